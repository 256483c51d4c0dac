"""A project with a unique word in every part of every kind of file that agents read.

`MARKS` maps a key to its file. The word of a part is `Mark<Key><part>`: B body, T last line, D description, W when to
use, C comment, F frontmatter value, 2 second line of a description, X end of a long description.
"""

import json
import re
from collections.abc import Mapping

PARTS = "BTDWCF2X"
FILES: dict[str, str] = {}
MARKS: dict[str, str] = {}


def word(key: str, part: str) -> str:
    return f"Mark{''.join(each.title() for each in re.split('[^a-z0-9]+', key))}{part}q"


def _file(key: str, path: str, head: Mapping[str, object] | str | None = None, more: str = "") -> None:
    if isinstance(head, Mapping):
        head = "".join(
            f"{name}: {json.dumps(value) if not isinstance(value, str) else value}\n" for name, value in head.items()
        )
    front = f"---\n{head}---\n" if head is not None else ""
    body = f"# Rule {key}\n\nObey {word(key, 'B')} always.\n\n<!-- {word(key, 'C')} -->\n\n{more}The end is {word(key, 'T')}.\n"
    MARKS[key] = path
    FILES[path] = front + body


def _described(key: str, path: str, name: str | None = None, **more: object) -> None:
    named = {} if name is None else {"name": name}
    _file(key, path, {**named, "description": f"Use it for {word(key, 'D')} work", **more})


def _skill(key: str, folder: str, **more: object) -> None:
    _described(key, f"{folder}/SKILL.md", folder.rpartition("/")[2], **more)


_file("root-agents", "AGENTS.md", more="See @docs/imported-agents.md and more.\n\n")
_file("imported-agents", "docs/imported-agents.md", more="Then @hop2.md here.\n\n")
for hop in range(2, 7):
    _file(f"hop{hop}", f"docs/hop{hop}.md", more=f"Then @hop{hop + 1}.md here.\n\n" if hop < 6 else "")
_file("root-claude", "CLAUDE.md", more="See @docs/imported-claude.md and more.\n\n")
_file("imported-claude", "docs/imported-claude.md")
_file("claude-local", "CLAUDE.local.md")
_file("dot-claude", ".claude/CLAUDE.md")
_file("dot-claude-agents", ".claude/AGENTS.md")
_file("root-override", "AGENTS.override.md")
_file("root-gemini", "GEMINI.md", more="See @./docs/gemini-import.md and more.\n\n")
_file("gemini-import", "docs/gemini-import.md")
_file("root-qwen", "QWEN.md")
_file("copilot", ".github/copilot-instructions.md")
_file("pi-system", ".pi/APPEND_SYSTEM.md")
_file("opencode-instructions", "docs/opencode-rule.md")
FILES["opencode.json"] = json.dumps({"instructions": ["docs/opencode-rule.md"]})
for line in (
    """
nested-agents src/AGENTS.md | nested-claude src/CLAUDE.md | nested-gemini src/GEMINI.md | nested-qwen src/QWEN.md
claude-rule-sub .claude/rules/sub/inner.md | claude-rule-always .claude/rules/always.md
cline-rule .clinerules/cline-always.md | cline-sdk-rule .cline/rules/cline-sdk-always.md
qwen-rule .qwen/rules/qwen-always.md | kilo-rule .kilo/rules/kilo-always.md
kilocode-rule .kilocode/rules/kilocode-always.md | kimi .kimi-code/AGENTS.md | factory .factory/AGENTS.md
hermes .hermes.md
""".strip()
    .replace("\n", " | ")
    .split(" | ")
):
    _file(*line.split())
for key, path, head in (
    ("claude-rule-scoped", ".claude/rules/scoped.md", {"paths": ["src/**"]}),
    ("claude-rule-front", ".claude/rules/front.md", {"other": word("claude-rule-front", "F")}),
    ("gh-all", ".github/instructions/all.instructions.md", {"applyTo": '"**"'}),
    ("gh-src", ".github/instructions/src.instructions.md", {"applyTo": '"src/**"'}),
    ("gh-none", ".github/instructions/none.instructions.md", {}),
):
    _file(key, path, {**head, "description": f"For {word(key, 'D')}"})
_file("cline-scoped", ".clinerules/cline-scoped.md", {"paths": ["src/**"]})
_file("cline-sdk-scoped", ".cline/rules/cline-sdk-scoped.md", {"paths": ["src/**"]})
_file("gh-nested", ".github/instructions/team/nested.instructions.md", {"applyTo": '"**"'})
for name in "agents claude codex gemini github opencode qwen pi cline kilo kilocode kimi-code factory agent".split():
    _skill(f"s-{name}", f".{name}/skills/s-{name}")
_skill("s-clinerules", ".clinerules/skills/s-clinerules")
_skill("s-opencode-one", ".opencode/skill/s-opencode-one")
_skill("s-nested-group", ".agents/skills/group/s-nested-group")
_skill("s-hidden", ".claude/skills/s-hidden", **{"disable-model-invocation": True})
_skill("s-hidden-agents", ".agents/skills/s-hidden-agents", **{"disable-model-invocation": True})
_skill("s-scoped", ".claude/skills/s-scoped", paths=["src/**"])
_skill("s-when", ".claude/skills/s-when", when_to_use=f"When {word('s-when', 'W')} comes")
_LONG = "It is long and it goes on for a while. " * 18
for key, folder, times in (
    ("s-long", ".claude", 3),
    ("s-long-agents", ".agents", 1),
    ("s-too-long-agents", ".agents", 2),
):
    text = f"Use it for {word(key, 'D')} work. {_LONG * times}{word(key, 'X')}"
    _file(key, f"{folder}/skills/{key}/SKILL.md", {"name": key, "description": text})
_file("s-nodesc", ".claude/skills/s-nodesc/SKILL.md", {"name": "s-nodesc"})
_file("s-nodesc-agents", ".agents/skills/s-nodesc-agents/SKILL.md", {"name": "s-nodesc-agents"})
_file("s-nofront", ".agents/skills/s-nofront/SKILL.md")
_file("s-nofront-claude", ".claude/skills/s-nofront-claude/SKILL.md")
for key, folder in (("s-broken", ".claude"), ("s-broken-agents", ".agents")):
    text = f"name: {key}\ndescription: Use it for {word(key, 'D')} work\n  bad: [unclosed\n"
    _file(key, f"{folder}/skills/{key}/SKILL.md", text)
for key, folder in (("s-colon", ".claude"), ("s-colon-agents", ".agents")):
    _file(key, f"{folder}/skills/{key}/SKILL.md", f"name: {key}\ndescription: Use it: for {word(key, 'D')} work\n")
_described("s-misnamed", ".agents/skills/s-other-name/SKILL.md", "s-misnamed")
_lines = f"  Use it for {word('s-multi', 'D')} work\n  and then {word('s-multi', '2')} too\n"
_file("s-multi", ".agents/skills/s-multi/SKILL.md", f"name: s-multi\ndescription: |\n{_lines}")
_described("twin-agents", ".agents/skills/s-twin/SKILL.md", "s-twin")
_described("twin-claude", ".claude/skills/s-twin/SKILL.md", "s-twin")
_skill("s-nested-claude", "src/.claude/skills/s-nested-claude")
_skill("s-nested-agents", "src/.agents/skills/s-nested-agents")
_described("a-claude", ".claude/agents/a-claude.md", "a-claude")
_described("a-noname", ".claude/agents/a-noname.md")
_described("a-nested", "src/.claude/agents/a-nested.md", "a-nested")
_described("a-github", ".github/agents/a-github.agent.md", "a-github")
_described("a-github-md", ".github/agents/a-github-md.md", "a-github-md")
_described("a-gemini", ".gemini/agents/a-gemini.md", "a-gemini")
_described("a-opencode", ".opencode/agent/a-opencode.md", mode="subagent")
_described("a-opencodes", ".opencode/agents/a-opencodes.md", mode="subagent")
_described("a-qwen", ".qwen/agents/a-qwen.md", "a-qwen")
_described("a-kilo", ".kilo/agent/a-kilo.md", mode="subagent")
_described("a-kilos", ".kilo/agents/a-kilos.md", mode="subagent")
_described("a-kimi", ".kimi-code/agents/a-kimi.md", "a-kimi")
_described("a-factory", ".factory/droids/a-factory.md", "a-factory")
MARKS["a-codex"] = ".codex/agents/a-codex.toml"
FILES[MARKS["a-codex"]] = (
    f'name = "a-codex"\ndescription = "Use it for {word("a-codex", "D")} work"\ndeveloper_instructions = "Obey {word("a-codex", "B")}."\n'
)
_described("c-claude", ".claude/commands/c-claude.md")
_described("c-claude-sub", ".claude/commands/group/c-claude-sub.md")
_described("c-qwen", ".qwen/commands/c-qwen.md")
_described("c-opencode", ".opencode/command/c-opencode.md")
_described("c-kilo", ".kilo/command/c-kilo.md")
_described("c-factory", ".factory/commands/c-factory.md")
_file("c-nodesc", ".claude/commands/c-nodesc.md", {"argument-hint": "x"})
MARKS["c-plain"] = ".claude/commands/c-plain.md"
FILES[MARKS["c-plain"]] = f"Do the {word('c-plain', 'B')} thing, {'and do it well, ' * 8}{word('c-plain', 'X')}.\n"
MARKS["c-qwen-toml"] = ".qwen/commands/c-qwen-toml.toml"
FILES[MARKS["c-qwen-toml"]] = (
    f'description = "Use it for {word("c-qwen-toml", "D")} work"\nprompt = "Do {word("c-qwen-toml", "B")}"\n'
)
FILES["src/app.py"] = "print(1)\n"


def found(text: str) -> dict[str, str]:
    """The parts of each key whose word is in a text, as letters."""
    found = {key: "".join(part for part in PARTS if word(key, part) in text) for key in MARKS}
    return {key: parts for key, parts in found.items() if parts}


def named(text: str) -> dict[str, str]:
    """The keys whose skill a list of names has, as `N`."""
    words = set(re.findall(r"[\w-]+", text))
    folders = {key: path.split("/")[-2] for key, path in MARKS.items() if path.endswith("/SKILL.md")}
    return {key: "N" for key, folder in folders.items() if folder in words or key in words}
