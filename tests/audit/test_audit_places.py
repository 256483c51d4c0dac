"""Instructions in wrong places, missing twins, names of skills, configurations that name what is not there."""

import json

from tests.audit.auditing_helpers import LOREM, found, one, skill
from tests.cases import cases
from tests.conftest import Project


@cases(
    ("path", "agent", "repair"),
    [
        (".codex/AGENTS.md", "codex", "move its text into AGENTS.md"),
        ("pkg/.codex/AGENTS.md", "codex", "move it to pkg/AGENTS.md"),
        (".gemini/GEMINI.md", "gemini-cli", "move it to GEMINI.md"),
        ("docs/.cursor/rules.mdc", "cursor", ""),
        ("pkg/.cursor/style.mdc", "cursor", "move it to pkg/.cursor/rules/style.mdc"),
        (".claude/rules.md", "claude-code", "move it to .claude/rules/rules.md"),
        (".claude/command/review.md", "claude-code", "move it into .claude/commands"),
        (".claude/skills/deploy.md", "claude-code", "move it to .claude/skills/deploy/SKILL.md"),
        (".github/instructions/python.md", "copilot", "rename it to python.instructions.md"),
        (".github/instructions/python.instructions.md`", "copilot", "rename it to python.instructions.md"),
        (".github/instructions/copilot-instructions.md", "copilot", "rename it to NAME.instructions.md"),
        (".github/copilot/prompts/review.prompt.md", "copilot", "move it to .github/prompts/review.prompt.md"),
        (".github/prompts/review.md", "copilot", "rename it to review.prompt.md"),
        (".github/prompts/old/review.md", "copilot", "move it to .github/prompts/review.prompt.md"),
    ],
)
def test_a_file_where_its_own_agent_never_looks(project: Project, path: str, agent: str, repair: str) -> None:
    # Cursor reads an AGENTS.md anywhere, which does not help the agent that is meant.
    rule = {".cursor/rules/a.mdc": "---\nalwaysApply: true\n---\nx\n", "AGENTS.md": "x\n"}
    root = project({path: skill("deploy"), **rule})
    told = [*found(root, "wrong-place"), *found(root, "never-loaded")]
    assert [(each.path, each.agent) for each in told] == [(path, agent)]
    assert told[0].remedy.words.endswith(repair)


def test_a_skill_without_a_folder_of_its_own_is_in_a_wrong_place(project: Project) -> None:
    flat = {f".claude/skills/{name}.md": skill(name.lower()) for name in ("deploy", "README", "companion")}
    files = {**flat, ".claude/skills/INDEX.md": "# Our skills\n"}
    files[".claude/skills/test/SKILL.md"] = skill("test", body="See ../companion.md.\n")
    assert one(project(files), "wrong-place").path == ".claude/skills/deploy.md"
    manifest = {".claude-plugin/plugin.json": '{"skills": ["./.claude/skills/deploy.md"]}'}
    assert found(project({**files, **manifest}), "wrong-place") == []
    plural = one(project({"CLAUDE.md": "x\n", ".claude/skills/tdd/SKILLS.md": skill("tdd")}), "wrong-place")
    assert plural.remedy.words == "rename it to SKILL.md"
    # One that a text imports is a note.
    imported = {"CLAUDE.md": "@.claude/skills/deploy.md\n", ".claude/skills/deploy.md": skill("deploy")}
    finding = one(project(imported), "wrong-place")
    assert (finding.severity, finding.tokens, finding.remedy.steps) == ("info", 0, ())
    assert "does not offer it as a skill, only as an import: it looks for skills in folders" in finding.message
    # Texts in a folder for skills that has none are meant as such.
    texts = {"CLAUDE.md": "x\n", ".claude/skills/deploy.md": "# Deploy\n", ".claude/skills/README.md": "x\n"}
    finding = one(project(texts), "wrong-place")
    assert (finding.path, finding.severity) == (".claude/skills/deploy.md", "warning")
    assert found(project({**texts, ".claude/skills/test/SKILL.md": skill("test")}), "wrong-place") == []


@cases(
    ("path", "key", "beside", "remedy"),
    [
        (".claude/mcp.json", "mcpServers", "x", "move it to .mcp.json"),
        (".claude/hooks.json", "hooks", ".claude/settings.json", "move its text into .claude/settings.json"),
        (".claude/mcp.json", "servers", "x", ""),
        ("plugin/hooks/hooks.json", "hooks", "x", ""),
    ],
)
def test_a_configuration_not_read_is_told(project: Project, path: str, key: str, beside: str, remedy: str) -> None:
    findings = found(project({"CLAUDE.md": "x\n", path: json.dumps({key: {"a": {}}}), beside: "{}"}), "wrong-place")
    assert [(each.remedy.words, each.tokens) for each in findings] == [(remedy, 0)] * bool(remedy)


def test_a_configuration_may_be_read_by_a_link_to_it(project: Project) -> None:
    root = project({"CLAUDE.md": "x\n", ".claude/mcp.json": '{"mcpServers": {"a": {}}}'})
    (root / ".mcp.json").symlink_to(".claude/mcp.json")
    assert found(root, "wrong-place") == []


def test_single_files_with_triggers_are_those_of_another_agent(project: Project) -> None:
    text = skill("deploy")
    assert one(project({"AGENTS.md": "x\n", ".agents/skills/deploy.md": text}), "wrong-place").agent == "codex"
    triggered = text.replace("---\n", "---\ntriggers:\n- deploy\n", 1)
    files = {"AGENTS.md": "x\n", ".agents/skills/deploy.md": triggered, ".agents/skills/always.md": skill("always")}
    assert found(project(files), "wrong-place") == []


def test_what_depends_on_the_version_of_an_agent_is_a_note(project: Project) -> None:
    finding = one(project({"AGENTS.md": "x\n", ".junie/guidelines.md": "y\n"}), "never-loaded")
    assert (finding.path, finding.severity) == (".junie/guidelines.md", "info")
    assert finding.message.endswith("; older versions, and projects that set it so, take .junie/guidelines.md first")


def test_files_where_their_agent_looks_are_in_no_wrong_place(project: Project) -> None:
    plain = (
        "AGENTS.md",
        "GEMINI.md",
        ".claude/rules/a.md",
        ".claude/commands/review.md",
        ".github/prompts/a.prompt.md",
    )
    files = {
        **dict.fromkeys((*plain, "vendor/lib/.codex/AGENTS.md", ".github/instructions/README.md"), "x\n"),
        ".cursor/rules/a.mdc": "---\nalwaysApply: true\n---\nx\n",
        ".github/instructions/a.instructions.md": "---\napplyTo: '**'\n---\nx\n",
        ".codex/AGENTS.override.md": " \n",
    }
    assert found(project(files), "wrong-place") == []


TWINS = {
    **dict.fromkeys(("CLAUDE.md", "web/CLAUDE.md"), "@AGENTS.md\n"),
    **dict.fromkeys(("AGENTS.md", "web/AGENTS.md", "core/CLAUDE.md", "core/AGENTS.md"), "# Core\n"),
}


def test_folders_without_the_twin_that_their_neighbors_have_are_one_finding(project: Project) -> None:
    finding = one(project({**TWINS, "cli/AGENTS.md": f"# Cli\n{LOREM}", "tui/AGENTS.md": "# Tui\n"}), "missing-twin")
    assert [each.path for each in finding.places] == ["cli/AGENTS.md", "tui/AGENTS.md"]
    assert finding.agent == "claude-code"
    assert "and 3 folders have one" in finding.message


@cases(("target", "is_told"), [("", True), ("gone.md", False), ("/etc/passwd", False), ("../CLAUDE.md", False)])
def test_a_link_is_a_twin_wherever_it_leads(project: Project, target: str, is_told: bool) -> None:
    root = project({**TWINS, "cli/AGENTS.md": "# Cli\n"})
    if target:
        (root / "cli/CLAUDE.md").symlink_to(target)
    assert bool(found(root, "missing-twin")) is is_told


@cases(
    "files",
    [
        TWINS,
        {**TWINS, "fixtures/v1/AGENTS.md": "# F\n"},
        {"AGENTS.md": "# All\n", "web/AGENTS.md": "# Web\n", ".claude/rules/a.md": "x\n"},
        {"CLAUDE.md": "# Mine\n", "web/CLAUDE.md": "# W\n", "AGENTS.md": "# All\n", "cli/AGENTS.md": "# Cli\n"},
        {**TWINS, "vendor/x/AGENTS.md": "# X\n", "skills/a/SKILL.md": skill("a"), "skills/a/AGENTS.md": "x"},
    ],
)
def test_no_twin_is_missing_where_all_have_one_or_none_is_needed(project: Project, files: dict[str, str]) -> None:
    assert found(project(files), "missing-twin") == []


def _named(**names: str) -> dict[str, str]:
    """Skills by folder, with their names."""
    return {f"{folder}/SKILL.md": skill(name) for folder, name in names.items()}


def test_names_of_skills_are_those_of_their_folders(project: Project) -> None:
    names = {".cline/skills/one": "other", ".claude/skills/good": "good", ".claude/skills/_bad": "_bad"}
    told = {each.subject: each for each in found(project(_named(**names)), "skill-name")}
    assert {subject: each.path for subject, each in told.items()} == {
        "folder": ".cline/skills/one/SKILL.md",
        "shape": ".claude/skills/_bad/SKILL.md",
    }
    assert (told["folder"].line, told["folder"].severity) == (2, "warning")
    assert "`other`" in told["folder"].message
    assert "Cline drops the skill" in told["folder"].message
    # What only the specification forbids is a note.
    names = {"agent/skills/deep_read": "deep_read", ".claude/skills/one": "other"}
    assert {each.severity for each in found(project(_named(**names)), "skill-name")} == {"info"}
    names = {".claude/skills/self-check": "Self Check", ".claude/skills/two": "other"}
    capitals, other = (each.message for each in found(project(_named(**names)), "skill-name"))
    assert "its folder `self-check`; write `self-check`" in capitals
    assert "write `two`" in other


def test_editions_of_one_skill_have_one_wrong_name_and_samples_and_translations_none(project: Project) -> None:
    editions = dict.fromkeys((".claude/skills/one", "plugins/x/skills/one"), "other")
    others = {"templates/skill": "template-skill", "docs/ja-JP/skills/one": "other", "src/hands/one": "other"}
    nested = {"skills/big": "big", "skills/big/parts": "big-parts"}
    finding = one(project(_named(**editions, **others, **nested)), "skill-name")
    assert {each.path for each in finding.places} == {f"{folder}/SKILL.md" for folder in editions}


def test_what_configurations_name_has_to_be_there(project: Project) -> None:
    names = ["CONTRIBUTING.md", "docs/rules.md", "docs/*.mdx", "docs/*.md", "https://example.org/x.md", "~/mine.md"]
    hook = {"hooks": [{"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh --all'}]}
    there = {"hooks": [{"type": "command", "command": "${CLAUDE_PROJECT_DIR}/.claude/hooks/there.sh; rm $HOME/x"}]}
    plugin = {".claude-plugin/plugin.json": json.dumps({"name": "p", "commands": "./orders"})}
    files = {
        **dict.fromkeys(("docs/a.md", "CONTRIBUTING.md", ".claude/hooks/there.sh"), "x\n"),
        **plugin,
        "opencode.json": json.dumps({"instructions": names}, indent=1),
        ".claude/settings.json": json.dumps({"hooks": {"PreToolUse": [hook, there]}}),
        "skills/pots/SKILL.md": skill("pots"),
    }
    root = project(files)
    (root / ".claude/hooks/there.sh").chmod(0o755)
    told = {each.path: each for each in found(root, "missing-file")}
    assert set(told) == {"opencode.json", ".claude/settings.json", *plugin}
    assert {each.subject for each in told["opencode.json"].places} == {"docs/rules.md", "docs/*.mdx"}
    assert "a hook runs .claude/hooks/check.sh" in told[".claude/settings.json"].message
    fine = {
        **dict.fromkeys(("AGENTS.md", "docs/a.md", "orders/ship.md"), "x\n"),
        **plugin,
        "opencode.json": json.dumps({"instructions": ["AGENTS.md", "docs/*.md"]}),
        ".claude/settings.json": '{"hooks": {"Stop": [{"hooks": [{"command": ["not", "a", "text"]}]}]}}',
    }
    assert found(project(fine), "missing-file") == []


def test_a_plugin_within_a_project_without_agents_names_its_missing_script(project: Project) -> None:
    hooks = {"hooks": {"Stop": [{"hooks": [{"command": "${CLAUDE_PLUGIN_ROOT}/scripts/gone.sh"}]}]}}
    plugin = {
        ".claude-plugin/plugin.json": '{"name": "p"}',
        "scripts/there.sh": "",
        "hooks/hooks.json": json.dumps(hooks),
    }
    finding = one(project({f"tools/p/{path}": text for path, text in plugin.items()}), "missing-file")
    assert (finding.subject, finding.agent) == ("scripts/gone.sh", "claude-plugins")


def test_a_plugin_behind_a_link_to_its_folder_is_there(project: Project) -> None:
    plugins = [{"name": name, "source": f"./plugins/{name}"} for name in ("all", "gone")]
    files = {"plugins/a.md": "x\n", "skills/a/SKILL.md": skill(), ".claude-plugin/plugin.json": '{"name": "all"}'}
    root = project({".claude-plugin/marketplace.json": json.dumps({"plugins": plugins}), **files})
    (root / "plugins/all").symlink_to("..")
    assert one(root, "missing-file").subject == "plugins/gone"


def test_subagents_have_names_in_lower_case(project: Project) -> None:
    agent = "---\nname: {}\ndescription: Reviews.\n---\nReview.\n"
    names = {"a": "code-reviewer", "b": "Code Reviewer", "c": "code_planner", "d": "engineer--python"}
    files = {f".claude/agents/{file}.md": agent.format(name) for file, name in names.items()}
    finding = one(project(files), "skill-name")
    assert (finding.severity, [place.path[-4:] for place in finding.places]) == ("info", ["b.md", "c.md"])
    assert finding.fact == "the names of 2 subagents have other signs than lower-case letters and hyphens"


def test_prompts_that_something_in_the_project_names_are_not_meant_for_copilot(project: Project) -> None:
    files = {".github/prompts/review-changes.md": "Review.\n", "AGENTS.md": "x\n"}
    finding = one(project(files), "wrong-place")
    assert (finding.severity, finding.path) == ("info", ".github/prompts/review-changes.md")
    assert finding.message.startswith("GitHub Copilot in VS Code does not offer it as a prompt: ")
    for user, text in {
        ".github/workflows/review.yml": "run: cat .github/prompts/review-changes.md\n",
        "tools/prompts.py": 'load("review-changes")\n',
        ".github/copilot-instructions.md": "See [it](prompts/review-changes.md).\n",
    }.items():
        assert found(project({**files, user: text}), "wrong-place") == []
    several = project({f".github/instructions/{name}.md": "x\n" for name in ("python", "rust")})
    assert one(several, "wrong-place").message.endswith("; rename each to NAME.instructions.md")


def test_a_missing_file_that_the_project_generates_is_information(project: Project) -> None:
    files = {"opencode.json": json.dumps({"instructions": ["FACTS.md"]}), "AGENTS.md": "Read FACTS.md first.\n"}
    assert one(project(files), "missing-file").severity == "warning"
    assert one(project({**files, "README.md": "`/learn` generates `FACTS.md`.\n"}), "missing-file").severity == "info"
    assert found(project({**files, ".gitignore": "FACTS.md\n"}), "missing-file") == []


@cases(
    ("command", "is_told"),
    [
        ("{}", True),
        ("cd x; {} -f", True),
        ('[ -x "{}" ] && exec "{}"; exit 0', False),
        ("[[ -f {} ]] && {}", False),
        ("test -f {} && {}", False),
        ("if [ ! -e {} ]; then exit; fi; {}", False),
        ("{} || true", False),
        ("{} || :", False),
        ("{} || exit 0", False),
        ("{} || exit 1", True),
    ],
)
def test_a_hook_that_does_without_its_file_misses_nothing(project: Project, command: str, is_told: bool) -> None:
    hook = {"type": "command", "command": command.replace("{}", "$CLAUDE_PROJECT_DIR/.claude/check.sh")}
    files = {".claude/settings.json": json.dumps({"hooks": {"Stop": [{"hooks": [hook]}]}}), "CLAUDE.md": "x\n"}
    assert bool(found(project(files), "missing-file")) == is_told


@cases(("agents", "is_told"), [("./agents/", True), (["./agents"], True), (["./agents/a.md"], False), (None, False)])
def test_a_plugin_with_a_folder_of_agents_is_refused(project: Project, agents: object, is_told: bool) -> None:
    manifest = json.dumps({"name": "pots", "agents": agents} if agents else {"name": "pots"})
    root = project({".claude-plugin/plugin.json": manifest, "agents/a.md": skill("a"), "README.md": "x\n"})
    told = [each.message for each in found(root, "missing-file")]
    assert [message.endswith("that end in .md; list the files of the folder") for message in told] == [True] * is_told


def test_a_plugin_whose_folder_does_not_exist_is_told(project: Project) -> None:
    sources = {"here": "./here", "gone": "./plugins/gone", "up": "../up"}
    plugins = [{"name": name, "source": source} for name, source in sources.items()]
    market = {".claude-plugin/marketplace.json": json.dumps({"name": "m", "plugins": plugins})}
    root = project({**market, "here/skills/one/SKILL.md": "---\nname: one\ndescription: About one\n---\nText\n"})
    assert one(root, "missing-file").message == "2 files that .claude-plugin/marketplace.json names do not exist"
