"""The rules of Codex, Claude Code, Cursor and Copilot, on projects of a few files."""

import pytest

from ctxtui.agents import classify
from tests.agents.conftest import Loads, Moments
from tests.cases import cases


def front(*lines: str) -> str:
    return "\n".join(["---", *lines, "---", "# Body", ""])


def found(*paths: str) -> set[str]:
    return {load.agent for load in classify(paths, lambda path: "")}


def test_agents_md_alone_means_codex() -> None:
    assert found("AGENTS.md", "src/main.py") == {"codex"}


def test_agents_md_counts_for_agents_with_files_of_their_own() -> None:
    assert found("AGENTS.md", ".cursor/rules/a.mdc") == {"codex", "cursor"}
    assert found("AGENTS.md", "CLAUDE.md") == {"codex", "claude-code"}
    assert found("AGENTS.md", ".zed/settings.json") == {"codex", "zed"}


def test_no_agent_without_files() -> None:
    assert found("README.md", "docs/rules.md", "src/POWER.md") == set()


BROKEN = front("name: a", "description: use it", "  bad: [open")
GOOD = front("name: a", "description: use it")


def test_files_beside_a_skill_are_opened_by_reference(moments: Moments) -> None:
    files = {
        ".agents/skills/a/SKILL.md": GOOD,
        ".agents/skills/a/scripts/run.py": "",
        ".agents/skills/b/SKILL.md": BROKEN,
        ".agents/skills/b/more.md": "",
        ".agents/skills/README.md": "",
    }
    assert moments("codex", files) == {
        ".agents/skills/a/SKILL.md": "listed",
        ".agents/skills/b/SKILL.md": "never",
        ".agents/skills/a/scripts/run.py": "reference",
    }


def test_claude_loads_the_root_at_the_start_and_folders_on_touch(loads: Loads) -> None:
    files = dict.fromkeys(
        ["pkg/CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "CLAUDE.md", "a/.claude/CLAUDE.md"], ""
    )
    assert [(load.path, load.moment, load.globs) for load in loads("claude-code", files).values()] == [
        ("CLAUDE.md", "start", ()),
        (".claude/CLAUDE.md", "start", ()),
        ("CLAUDE.local.md", "start", ()),
        ("a/.claude/CLAUDE.md", "touch", ("a/**",)),
        ("pkg/CLAUDE.md", "touch", ("pkg/**",)),
    ]


@pytest.mark.parametrize("blocker", ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"])
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


@pytest.mark.parametrize(
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
    files = dict.fromkeys([".cursorrules", "AGENTS.md", "CLAUDE.md", "a/AGENTS.md", "a/.cursor/rules/x.mdc"], "")
    assert moments("cursor", files) == {
        "a/.cursor/rules/x.mdc": "touch",
        ".cursorrules": "start",
        "AGENTS.md": "start",
        "CLAUDE.md": "start",
        "a/AGENTS.md": "touch",
    }


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
    files = {
        ".github/copilot-instructions.md": "",
        ".github/instructions/a.md": "",
        ".github/prompts/p.prompt.md": "",
        ".github/agents/r.agent.md": "",
        ".claude/rules/t.md": front("paths: src/**"),
        "CLAUDE.md": "",
        "AGENTS.md": "",
        "a/AGENTS.md": "",
    }
    assert moments("copilot", files) == {
        ".github/copilot-instructions.md": "start",
        ".github/instructions/a.md": "never",
        ".claude/rules/t.md": "touch",
        "AGENTS.md": "start",
        "CLAUDE.md": "start",
        "a/AGENTS.md": "reference",
        ".github/prompts/p.prompt.md": "manual",
        ".github/agents/r.agent.md": "subagent",
    }
    assert moments("copilot-cli", files)["a/AGENTS.md"] == "touch"
