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
    files = {
        ".claude/skills/deploy.md": skill("deploy"),
        ".claude/skills/INDEX.md": "# Our skills\n",
        ".claude/skills/README.md": skill("readme"),
        ".claude/skills/companion.md": skill("companion"),
        ".claude/skills/test/SKILL.md": skill("test", body="See ../companion.md.\n"),
    }
    assert one(project(files), "wrong-place").path == ".claude/skills/deploy.md"
    manifest = {".claude-plugin/plugin.json": '{"skills": ["./.claude/skills/deploy.md"]}'}
    assert found(project({**files, **manifest}), "wrong-place") == []


@cases(
    ("path", "key", "beside", "remedy"),
    [
        (".claude/mcp.json", "mcpServers", "x", "move it to .mcp.json"),
        (".claude/hooks.json", "hooks", ".claude/settings.json", "move its text into .claude/settings.json"),
        (".claude/mcp.json", "servers", "x", ""),
        ("plugin/hooks/hooks.json", "hooks", "x", ""),
    ],
)
def test_a_configuration_that_is_not_read_is_told(
    project: Project, path: str, key: str, beside: str, remedy: str
) -> None:
    files = {"CLAUDE.md": "x\n", path: json.dumps({key: {"a": {}}}), beside: "{}"}
    findings = found(project(files), "wrong-place")
    assert [(each.remedy.words, each.tokens) for each in findings] == [(remedy, 0)] * bool(remedy)


def test_a_skill_in_the_plural_is_renamed(project: Project) -> None:
    finding = one(project({"CLAUDE.md": "x\n", ".claude/skills/tdd/SKILLS.md": skill("tdd")}), "wrong-place")
    assert finding.remedy.words == "rename it to SKILL.md"


def test_a_flat_skill_that_a_text_imports_is_a_note(project: Project) -> None:
    files = {"CLAUDE.md": "@.claude/skills/deploy.md\n", ".claude/skills/deploy.md": skill("deploy")}
    finding = one(project(files), "wrong-place")
    assert (finding.severity, finding.tokens, finding.remedy.steps) == ("info", 0, ())
    assert "does not offer it as a skill, only as an import: it looks for skills in folders" in finding.message


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
    files = {
        "AGENTS.md": "x\n",
        "GEMINI.md": "x\n",
        ".cursor/rules/a.mdc": "---\nalwaysApply: true\n---\nx\n",
        ".claude/rules/a.md": "x\n",
        ".claude/commands/review.md": "x\n",
        ".github/instructions/a.instructions.md": "---\napplyTo: '**'\n---\nx\n",
        ".github/instructions/README.md": "# How\n",
        ".github/prompts/a.prompt.md": "x\n",
        "vendor/lib/.codex/AGENTS.md": "x\n",
        ".codex/AGENTS.override.md": " \n",
    }
    assert found(project(files), "wrong-place") == []


TWINS = {
    "CLAUDE.md": "@AGENTS.md\n",
    "AGENTS.md": "# All\n",
    "web/CLAUDE.md": "@AGENTS.md\n",
    "web/AGENTS.md": "# Web\n",
    "core/CLAUDE.md": "# Core\n",
    "core/AGENTS.md": "# Core\n",
}


def test_folders_without_the_twin_that_their_neighbors_have_are_one_finding(project: Project) -> None:
    root = project({**TWINS, "cli/AGENTS.md": f"# Cli\n{LOREM}", "tui/AGENTS.md": "# Tui\n"})
    finding = one(root, "missing-twin")
    assert [each.path for each in finding.places] == ["cli/AGENTS.md", "tui/AGENTS.md"]
    assert finding.agent == "claude-code"
    assert "3 other folders" in finding.message


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
        {
            **TWINS,
            "vendor/x/AGENTS.md": "# X\n",
            ".claude/skills/a/SKILL.md": skill("a"),
            ".claude/skills/a/AGENTS.md": "x",
        },
    ],
)
def test_no_twin_is_missing_where_all_have_one_or_none_is_needed(project: Project, files: dict[str, str]) -> None:
    assert found(project(files), "missing-twin") == []


def test_names_of_skills_are_those_of_their_folders(project: Project) -> None:
    files = {
        ".cline/skills/one/SKILL.md": skill("other"),
        ".claude/skills/good/SKILL.md": skill("good"),
        ".claude/skills/_bad/SKILL.md": skill("_bad"),
    }
    by_subject = {each.subject: each for each in found(project(files), "skill-name")}
    assert set(by_subject) == {"folder", "shape"}
    assert by_subject["folder"].path == ".cline/skills/one/SKILL.md"
    assert by_subject["folder"].line == 2
    assert "`other`" in by_subject["folder"].message
    assert "Cline drops the skill" in by_subject["folder"].message
    assert by_subject["shape"].path == ".claude/skills/_bad/SKILL.md"


def test_editions_of_one_skill_have_one_wrong_name_and_samples_and_translations_none(project: Project) -> None:
    files = {
        ".claude/skills/one/SKILL.md": skill("other"),
        "plugins/x/skills/one/SKILL.md": skill("other"),
        "templates/skill/SKILL.md": skill("template-skill"),
        "docs/ja-JP/skills/one/SKILL.md": skill("other"),
        "skills/big/SKILL.md": skill("big"),
        "skills/big/parts/SKILL.md": skill("big-parts"),
    }
    finding = one(project(files), "skill-name")
    assert {each.path for each in finding.places} == {".claude/skills/one/SKILL.md", "plugins/x/skills/one/SKILL.md"}


def test_what_configurations_name_has_to_be_there(project: Project) -> None:
    names = ["CONTRIBUTING.md", "docs/rules.md", "docs/*.mdx", "docs/*.md", "https://example.org/x.md", "~/mine.md"]
    hook = {"hooks": [{"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/.claude/hooks/check.sh --all'}]}
    there = {"hooks": [{"type": "command", "command": "${CLAUDE_PROJECT_DIR}/.claude/hooks/there.sh; rm $HOME/x"}]}
    files = {
        "opencode.json": json.dumps({"instructions": names}, indent=1),
        "docs/a.md": "x\n",
        "CONTRIBUTING.md": "x\n",
        ".claude/settings.json": json.dumps({"hooks": {"PreToolUse": [hook, there]}}),
        ".claude/hooks/there.sh": "",
        "skills/pots/SKILL.md": skill("pots"),
        ".claude-plugin/plugin.json": json.dumps({"name": "p", "commands": "./orders"}),
    }
    root = project(files)
    (root / ".claude/hooks/there.sh").chmod(0o755)
    told = {each.path: each for each in found(root, "missing-file")}
    assert set(told) == {"opencode.json", ".claude/settings.json", ".claude-plugin/plugin.json"}
    assert {each.subject for each in told["opencode.json"].places} == {"docs/rules.md", "docs/*.mdx"}
    assert "a hook runs .claude/hooks/check.sh" in told[".claude/settings.json"].message


def test_a_plugin_within_a_project_without_agents_names_its_missing_script(project: Project) -> None:
    hook = {"hooks": [{"command": "${CLAUDE_PLUGIN_ROOT}/scripts/gone.sh"}]}
    files = {
        "tools/p/.claude-plugin/plugin.json": '{"name": "p"}',
        "tools/p/hooks/hooks.json": json.dumps({"hooks": {"Stop": [hook]}}),
        "tools/p/scripts/there.sh": "",
    }
    finding = one(project(files), "missing-file")
    assert (finding.subject, finding.agent) == ("scripts/gone.sh", "claude-plugins")


def test_configurations_that_name_what_is_there_are_fine(project: Project) -> None:
    files = {
        "opencode.json": json.dumps({"instructions": ["AGENTS.md", "docs/*.md"]}),
        "AGENTS.md": "x\n",
        "docs/a.md": "x\n",
        ".claude/settings.json": '{"hooks": {"Stop": [{"hooks": [{"command": ["not", "a", "text"]}]}]}}',
        ".claude-plugin/plugin.json": json.dumps({"name": "p", "commands": "./orders"}),
        "orders/ship.md": "x\n",
    }
    assert found(project(files), "missing-file") == []


def test_a_plugin_behind_a_link_to_its_folder_is_there(project: Project) -> None:
    plugins = [{"name": name, "source": f"./plugins/{name}"} for name in ("all", "gone")]
    files = {"plugins/a.md": "x\n", "skills/a/SKILL.md": skill(), ".claude-plugin/plugin.json": '{"name": "all"}'}
    root = project({".claude-plugin/marketplace.json": json.dumps({"plugins": plugins}), **files})
    (root / "plugins/all").symlink_to("..")
    assert one(root, "missing-file").subject == "plugins/gone"


def test_subagents_have_names_in_lower_case(project: Project) -> None:
    agent = "---\nname: {}\ndescription: Reviews.\n---\nReview.\n"
    names = {"a": "code-reviewer", "b": "Code Reviewer", "c": "code_planner"}
    files = {f".claude/agents/{file}.md": agent.format(name) for file, name in names.items()}
    finding = one(project(files), "skill-name")
    assert (finding.severity, [place.path[-4:] for place in finding.places]) == ("info", ["b.md", "c.md"])
    assert finding.fact == "the names of 2 subagents have other signs than lower-case letters and hyphens"


def test_a_name_that_only_the_specification_forbids_is_a_note(project: Project) -> None:
    files = {"agent/skills/deep_read/SKILL.md": skill("deep_read"), ".claude/skills/one/SKILL.md": skill("other")}
    assert {each.severity for each in found(project(files), "skill-name")} == {"info"}
    assert one(project({".cline/skills/one/SKILL.md": skill("other")}), "skill-name").severity == "warning"


def test_a_name_with_capitals_and_a_space_is_told_as_such(project: Project) -> None:
    files = {".claude/skills/self-check/SKILL.md": skill("Self Check"), ".claude/skills/two/SKILL.md": skill("other")}
    capitals, other = (each.message for each in found(project(files), "skill-name"))
    assert "its folder `self-check`; write `self-check`" in capitals
    assert "write `two`" in other


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


def test_a_missing_file_that_the_project_generates_is_information(project: Project) -> None:
    files = {"opencode.json": json.dumps({"instructions": ["FACTS.md"]}), "AGENTS.md": "Read FACTS.md first.\n"}
    assert one(project(files), "missing-file").severity == "warning"
    finding = one(project({**files, "README.md": "`/learn` generates `FACTS.md`.\n"}), "missing-file")
    assert finding.severity == "info"
    assert found(project({**files, ".gitignore": "FACTS.md\n"}), "missing-file") == []


def test_several_files_in_a_wrong_place_have_one_repair(project: Project) -> None:
    files = {f".github/instructions/{name}.md": "x\n" for name in ("python", "rust")}
    finding = one(project(files), "wrong-place")
    assert finding.message.endswith("; rename each to NAME.instructions.md")


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
    plugins = [
        {"name": "here", "source": "./here"},
        {"name": "gone", "source": "./plugins/gone"},
        {"name": "up", "source": "../up"},
    ]
    market = {".claude-plugin/marketplace.json": json.dumps({"name": "m", "plugins": plugins})}
    root = project({**market, "here/skills/one/SKILL.md": "---\nname: one\ndescription: About one\n---\nText\n"})
    assert one(root, "missing-file").message == "2 files that .claude-plugin/marketplace.json names do not exist"


def test_texts_in_a_folder_for_skills_that_has_none_are_meant_as_skills(project: Project) -> None:
    files = {
        "CLAUDE.md": "x\n",
        ".claude/skills/deploy.md": "# Deploy\n\nRun it.\n",
        ".claude/skills/README.md": "x\n",
    }
    finding = one(project(files), "wrong-place")
    assert (finding.path, finding.severity) == (".claude/skills/deploy.md", "warning")
    assert found(project({**files, ".claude/skills/test/SKILL.md": skill("test")}), "wrong-place") == []
