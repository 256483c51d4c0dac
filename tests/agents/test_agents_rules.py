"""The rules of Codex, Claude Code, Cursor and Copilot, on projects of a few files."""

from ctxtui.agents import classify
from tests.agents.conftest import Loads, Moments, empty, front, skill, when
from tests.cases import cases


@cases(
    ("paths", "agents"),
    [
        ("AGENTS.md src/main.py", {"codex"}),
        # It counts for agents with files of their own.
        ("AGENTS.md .cursor/rules/a.mdc", {"codex", "cursor"}),
        ("AGENTS.md CLAUDE.md", {"codex", "claude-code"}),
        ("AGENTS.md .zed/settings.json", {"codex", "zed"}),
        ("README.md docs/rules.md src/POWER.md", set()),
    ],
)
def test_agents_md_alone_means_codex(paths: str, agents: set[str]) -> None:
    assert {load.agent for load in classify(paths.split(), lambda path: "")} == agents


def test_files_beside_a_skill_are_opened_by_reference(moments: Moments) -> None:
    files = empty(".agents/skills/a/scripts/run.py .agents/skills/b/more.md .agents/skills/README.md")
    files |= {
        ".agents/skills/a/SKILL.md": skill("a"),
        ".agents/skills/b/SKILL.md": skill("a", "use it", "  bad: [open"),
    }
    assert moments("codex", files) == when(
        listed=".agents/skills/a/SKILL.md",
        never=".agents/skills/b/SKILL.md",
        reference=".agents/skills/a/scripts/run.py",
    )


def test_claude_loads_the_root_at_the_start_and_folders_on_touch(loads: Loads) -> None:
    files = empty("pkg/CLAUDE.md CLAUDE.local.md .claude/CLAUDE.md CLAUDE.md a/.claude/CLAUDE.md")
    assert [(load.path, load.moment, load.globs) for load in loads("claude-code", files).values()] == [
        ("CLAUDE.md", "start", ()),
        (".claude/CLAUDE.md", "start", ()),
        ("CLAUDE.local.md", "start", ()),
        ("a/.claude/CLAUDE.md", "touch", ("a/**",)),
        ("pkg/CLAUDE.md", "touch", ("pkg/**",)),
    ]


@cases("blocker", ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"])
def test_claude_reads_agents_md_only_without_its_own(loads: Loads, blocker: str) -> None:
    load = loads("claude-code", {"AGENTS.md": "", blocker: ""})["AGENTS.md"]
    assert load.moment == "never"
    assert blocker in load.reason


@cases(
    ("text", "moment", "globs"),
    [
        ("# always", "start", ()),
        (front("description: x"), "start", ()),
        (front("globs: src/**"), "start", ()),
        (front("paths:", '  - "src/**/*.{ts,tsx}"', "  - lib/**"), "touch", ("src/**/*.{ts,tsx}", "lib/**")),
        (front("paths: **/*.py, docs/**"), "touch", ("**/*.py", "docs/**")),
        (front("paths: []"), "start", ()),
    ],
)
def test_claude_rules(loads: Loads, text: str, moment: str, globs: tuple[str, ...]) -> None:
    load = loads("claude-code", {".claude/rules/deep/a.md": text})[".claude/rules/deep/a.md"]
    assert (load.moment, load.globs) == (moment, globs)


@cases(
    ("lines", "moment"),
    [
        (["alwaysApply: true", "globs: src/**"], "start"),
        (["globs: **/*.ts,src/**", "alwaysApply: false"], "touch"),
        (["description: when it matters", "globs:", "alwaysApply: false"], "listed"),
        (["description:", "globs:", "alwaysApply: false"], "manual"),
    ],
)
def test_cursor_knows_four_cases(moments: Moments, lines: list[str], moment: str) -> None:
    assert moments("cursor", {".cursor/rules/a.mdc": front(*lines)}) == {".cursor/rules/a.mdc": moment}


def test_cursor_reports_unquoted_globs(loads: Loads) -> None:
    load = loads("cursor", {".cursor/rules/a.mdc": front("globs: **/*.ts,src/**")})[".cursor/rules/a.mdc"]
    assert load.globs == ("**/*.ts", "src/**")
    assert load.reason == "globs is set: read when a file under **/*.ts, src/** is touched"


def test_cursor_ignores_plain_markdown_among_rules(loads: Loads) -> None:
    found = loads("cursor", {".cursor/rules/a.md": front("alwaysApply: true"), ".cursor/rules/README.md": ""})
    assert [(load.path, load.moment) for load in found.values()] == [(".cursor/rules/a.md", "never")]
    assert ".mdc" in found[".cursor/rules/a.md"].reason


def test_cursor_reads_claude_md_and_nested_files(moments: Moments) -> None:
    files = empty(".cursorrules AGENTS.md CLAUDE.md a/AGENTS.md a/.cursor/rules/x.mdc")
    expected = when(touch="a/.cursor/rules/x.mdc a/AGENTS.md", start=".cursorrules AGENTS.md CLAUDE.md")
    assert moments("cursor", files) == expected


@cases(
    ("lines", "editor", "terminal"),
    [
        (["applyTo: '**'"], "start", "start"),
        (['applyTo: "**/*"'], "start", "start"),
        (["applyTo: **/*.ts, **/*.tsx"], "touch", "listed"),
        (["description: for tests"], "listed", "start"),
        ([], "manual", "start"),
    ],
)
def test_copilot_apply_to(moments: Moments, lines: list[str], editor: str, terminal: str) -> None:
    files = {".github/instructions/a.instructions.md": front(*lines)}
    assert moments("copilot", files) == dict.fromkeys(files, editor)
    assert moments("copilot-cli", files) == dict.fromkeys(files, terminal)


def test_copilot_needs_the_right_name_and_reads_other_agents_files(moments: Moments) -> None:
    files = empty(
        ".github/copilot-instructions.md .github/instructions/a.md .github/prompts/p.prompt.md"
        " .github/agents/r.agent.md CLAUDE.md AGENTS.md a/AGENTS.md"
    )
    files[".claude/rules/t.md"] = front("paths: src/**")
    assert moments("copilot", files) == when(
        start=".github/copilot-instructions.md AGENTS.md CLAUDE.md",
        never=".github/instructions/a.md",
        touch=".claude/rules/t.md",
        reference="a/AGENTS.md",
        manual=".github/prompts/p.prompt.md",
        subagent=".github/agents/r.agent.md",
    )
    assert moments("copilot-cli", files)["a/AGENTS.md"] == "touch"
