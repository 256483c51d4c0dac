"""The rules of the other agents, on projects of a few files."""

import pytest

from tests.agents.conftest import Loads, Moments
from tests.cases import cases


def front(*lines: str) -> str:
    return "\n".join(["---", *lines, "---", "# Body", ""])


BROKEN = front("name: a", "description: use when: always")
GOOD = front("name: a", "description: use it")


def test_gemini(moments: Moments) -> None:
    files = {
        "GEMINI.md": "@docs/a.md",
        "docs/a.md": "",
        "a/GEMINI.md": "",
        ".gemini/skills/a/SKILL.md": BROKEN,
        ".gemini/skills/b/SKILL.md": front("name: b"),
        ".gemini/commands/git/c.toml": "",
        "AGENTS.md": "",
    }
    assert moments("gemini-cli", files) == {
        "GEMINI.md": "start",
        "docs/a.md": "start",
        "a/GEMINI.md": "touch",
        ".gemini/skills/a/SKILL.md": "listed",
        ".gemini/skills/b/SKILL.md": "never",
        ".gemini/commands/git/c.toml": "manual",
    }


TRIGGERS = [
    ("always_on", "start"),
    ("glob", "touch"),
    ("model_decision", "listed"),
    ("manual", "manual"),
    ("x", "never"),
]


@cases(("trigger", "moment"), TRIGGERS)
@cases(
    ("agent", "path"),
    [
        ("antigravity", ".agents/rules/a.md"),
        ("devin", ".devin/rules/a.md"),
        ("devin", ".windsurf/rules/a.md"),
    ],
)
def test_triggers(moments: Moments, agent: str, path: str, trigger: str, moment: str) -> None:
    assert moments(agent, {path: front(f"trigger: {trigger}", "globs: **/*.ts")}) == {path: moment}


def test_a_rule_without_a_trigger(loads: Loads) -> None:
    text = front("alwaysApply: true")
    lost = loads("antigravity", {".agents/rules/a.md": text})[".agents/rules/a.md"]
    assert lost.moment == "never"
    assert "trigger" in lost.reason
    assert loads("devin", {".devin/rules/a.md": text})[".devin/rules/a.md"].moment == "manual"


@cases(
    ("text", "moment"),
    [
        ("# plain", "start"),
        (front("paths:", '  - "src/**"'), "touch"),
        (front('paths: "src/**"'), "start"),
        (front("paths: **/*.ts"), "start"),
        (front("paths: []"), "never"),
    ],
)
def test_cline_wants_a_list(moments: Moments, text: str, moment: str) -> None:
    assert moments("cline", {".clinerules/a.md": text}) == {".clinerules/a.md": moment}


def test_cline_keeps_workflows_apart_and_reads_no_rules_of_other_agents(moments: Moments) -> None:
    files = [".clinerules/workflows/w.md", ".clinerules/b.txt", ".cursor/rules/c.mdc", "AGENTS.md", ".windsurfrules"]
    assert moments("cline", dict.fromkeys(files, "")) == {
        ".clinerules/b.txt": "start",
        "AGENTS.md": "start",
        ".clinerules/workflows/w.md": "manual",
    }


@cases(
    ("rules", "left_out"),
    [
        ("# links\nCLAUDE.md\n", {"CLAUDE.md"}),
        ("*.md\n!AGENTS.md\n", {"CLAUDE.md"}),
        ("/.cursor/\n", {".cursor/rules/a.mdc"}),
        ("docs/\n[\n", set()),
        ("", set()),
    ],
)
def test_cursor_reads_nothing_that_its_ignore_file_covers(moments: Moments, rules: str, left_out: set[str]) -> None:
    texts = {"AGENTS.md": "", "CLAUDE.md": "", ".cursor/rules/a.mdc": front("alwaysApply: true")}
    found = moments("cursor", {**texts, ".cursorignore": rules})
    assert {path for path, moment in found.items() if moment == "never"} == left_out
    assert found.keys() == texts.keys()


def test_roo_falls_back_to_the_old_file(moments: Moments) -> None:
    assert moments("roo", {".roorules": "", ".clinerules": ""}) == {
        ".roorules": "start",
        ".clinerules": "never",
    }
    files = {".roorules": "", ".roo/rules/a.md": "", ".roo/rules-code/b.md": "", "AGENT.md": ""}
    assert moments("roo", files) == {
        ".roo/rules-code/b.md": "manual",
        "AGENT.md": "start",
        ".roo/rules/a.md": "start",
        ".roorules": "never",
    }


@cases(
    ("text", "moment", "globs"),
    [
        ("# plain", "start", ()),
        (front("inclusion: always"), "start", ()),
        (front("inclusion: fileMatch", "fileMatchPattern: src/**/*.ts"), "touch", ("src/**/*.ts",)),
        (front("inclusion: fileMatch", 'fileMatchPattern: ["a/*", "b/*"]'), "touch", ("a/*", "b/*")),
        (front("inclusion: fileMatch", 'fileMatchPattern: "*.{a,b},*.c"'), "touch", ("*.{a,b},*.c",)),
        (front("inclusion: fileMatch", 'fileMatchPattern: ["a,b", c]'), "touch", ("a,b", "c")),
        (front("inclusion: manual"), "manual", ()),
        (front("inclusion: auto", "name: x", "description: y"), "listed", ()),
        ("\n" + front("inclusion: manual"), "start", ()),
    ],
)
def test_kiro_steering(loads: Loads, text: str, moment: str, globs: tuple[str, ...]) -> None:
    load = loads("kiro", {".kiro/steering/a.md": text})[".kiro/steering/a.md"]
    assert (load.moment, load.globs, load.kind) == (moment, globs, "steering")


@cases(
    ("lines", "moment"),
    [
        ([], "start"),
        (["alwaysApply: true", "globs: a"], "start"),
        (["globs: ['src/**', '!x']"], "touch"),
        (["regex: TODO"], "touch"),
        (["alwaysApply: false", "description: x"], "listed"),
        (["alwaysApply: false"], "manual"),
        (["invokable: true"], "manual"),
    ],
)
def test_continue_rules(moments: Moments, lines: list[str], moment: str) -> None:
    assert moments("continue", {".continue/rules/a.md": front(*lines)}) == {".continue/rules/a.md": moment}


def test_zed_reads_the_first_of_its_list(loads: Loads) -> None:
    files = dict.fromkeys(["AGENTS.md", "CLAUDE.md", ".cursorrules", ".zed/settings.json"], "")
    found = loads("zed", files)
    assert [(load.path, load.moment) for load in found.values()] == [
        (".cursorrules", "start"),
        ("AGENTS.md", "never"),
        ("CLAUDE.md", "never"),
    ]
    assert ".cursorrules" in found["AGENTS.md"].reason


def test_junie_prefers_its_own_agents_md(moments: Moments) -> None:
    files = dict.fromkeys(["AGENTS.md", ".junie/AGENTS.md", ".junie/rules/a.md"], "")
    assert moments("junie", files) == {
        ".junie/AGENTS.md": "start",
        "AGENTS.md": "never",
        ".junie/rules/a.md": "never",
    }
    assert moments("junie", {"AGENTS.md": "", ".junie/rules/a.md": ""}) == {
        "AGENTS.md": "start",
        ".junie/rules/a.md": "start",
    }


@cases("config", ["", "{", "[]", '{"instructions": {"a": 1}}', "[" * 100_000])
def test_opencode_survives_its_configuration(loads: Loads, config: str) -> None:
    assert loads("opencode", {"opencode.json": config}) == {}


@pytest.mark.parametrize(
    ("kind", "moment"), [("manual", "manual"), ("agent_requested", "listed"), ("always_apply", "start")]
)
def test_augment(moments: Moments, kind: str, moment: str) -> None:
    assert moments("augment", {".augment/rules/a.md": front(f"type: {kind}")}) == {".augment/rules/a.md": moment}


def test_augment_reads_the_instructions_of_others(moments: Moments) -> None:
    names = ["AGENTS.md", "CLAUDE.md", ".augment-guidelines", ".augment/guidelines.md", "a/AGENTS.md"]
    assert list(moments("augment", dict.fromkeys(names, ""))) == [
        "CLAUDE.md",
        "AGENTS.md",
        ".augment-guidelines",
        ".augment/guidelines.md",
    ]


def test_cline_reads_rules_of_its_sdk(moments: Moments) -> None:
    files = {
        ".cline/rules/a.md": "without frontmatter",
        ".cline/rules/b/c.txt": front("name: c") + "x",
        ".cline/rules/off.md": front("disabled: true") + "x",
        ".cline/rules/torn.md": front("name: a: b") + "x",
    }
    assert moments("cline", files) == {
        ".cline/rules/a.md": "start",
        ".cline/rules/b/c.txt": "start",
        ".cline/rules/off.md": "never",
        ".cline/rules/torn.md": "never",
    }


def test_skills_outside_agents_folders_are_costs_once_installed(moments: Moments) -> None:
    files = {
        "skills/a/SKILL.md": GOOD,
        "skills/a/ref.md": "",
        "skills/b/SKILL.md": BROKEN,
        ".claude/skills/c/SKILL.md": GOOD,
    }
    assert moments("agent-skills", files) == {
        "skills/a/SKILL.md": "listed",
        "skills/b/SKILL.md": "never",
        "skills/a/ref.md": "reference",
    }
