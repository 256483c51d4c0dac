"""The rules of the other agents, on projects of a few files."""

from tests.agents.conftest import Loads, Moments, empty, front, skill, when
from tests.cases import cases

BROKEN = skill("a", "use when: always")
GOOD = skill("a", "use it")


def test_gemini(moments: Moments) -> None:
    files = empty("docs/a.md a/GEMINI.md .gemini/commands/git/c.toml AGENTS.md")
    files |= {
        "GEMINI.md": "@docs/a.md",
        ".gemini/skills/a/SKILL.md": BROKEN,
        ".gemini/skills/b/SKILL.md": front("name: b"),
    }
    assert moments("gemini-cli", files) == when(
        start="GEMINI.md docs/a.md",
        touch="a/GEMINI.md",
        listed=".gemini/skills/a/SKILL.md",
        never=".gemini/skills/b/SKILL.md",
        manual=".gemini/commands/git/c.toml",
    )


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
    [("antigravity", ".agents/rules/a.md"), ("devin", ".devin/rules/a.md"), ("devin", ".windsurf/rules/a.md")],
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
    files = empty(".clinerules/workflows/w.md .clinerules/b.txt .cursor/rules/c.mdc AGENTS.md .windsurfrules")
    expected = when(start=".clinerules/b.txt AGENTS.md", manual=".clinerules/workflows/w.md")
    assert moments("cline", files) == expected


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
    assert moments("roo", {".roorules": "", ".clinerules": ""}) == {".roorules": "start", ".clinerules": "never"}
    files = empty(".roorules .roo/rules/a.md .roo/rules-code/b.md AGENT.md")
    expected = when(manual=".roo/rules-code/b.md", start="AGENT.md .roo/rules/a.md", never=".roorules")
    assert moments("roo", files) == expected


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
    found = loads("zed", empty("AGENTS.md CLAUDE.md .cursorrules .zed/settings.json"))
    assert [(load.path, load.moment) for load in found.values()] == [
        *((".cursorrules", "start"), ("AGENTS.md", "never"), ("CLAUDE.md", "never"))
    ]
    assert ".cursorrules" in found["AGENTS.md"].reason


def test_junie_prefers_its_own_agents_md(moments: Moments) -> None:
    files = empty("AGENTS.md .junie/AGENTS.md .junie/rules/a.md")
    assert moments("junie", files) == when(start=".junie/AGENTS.md", never="AGENTS.md .junie/rules/a.md")
    del files[".junie/AGENTS.md"]
    assert moments("junie", files) == when(start="AGENTS.md .junie/rules/a.md")


@cases("config", ["", "{", "[]", '{"instructions": {"a": 1}}', "[" * 100_000])
def test_opencode_survives_its_configuration(loads: Loads, config: str) -> None:
    assert loads("opencode", {"opencode.json": config}) == {}


@cases(("kind", "moment"), [("manual", "manual"), ("agent_requested", "listed"), ("always_apply", "start")])
def test_augment(moments: Moments, kind: str, moment: str) -> None:
    assert moments("augment", {".augment/rules/a.md": front(f"type: {kind}")}) == {".augment/rules/a.md": moment}


def test_augment_reads_the_instructions_of_others(moments: Moments) -> None:
    files = empty("AGENTS.md CLAUDE.md .augment-guidelines .augment/guidelines.md a/AGENTS.md")
    expected = "CLAUDE.md AGENTS.md .augment-guidelines .augment/guidelines.md".split()
    assert list(moments("augment", files)) == expected


def test_cline_reads_rules_of_its_sdk(moments: Moments) -> None:
    files = {
        ".cline/rules/a.md": "without frontmatter",
        ".cline/rules/b/c.txt": front("name: c") + "x",
        ".cline/rules/off.md": front("disabled: true") + "x",
        ".cline/rules/torn.md": front("name: a: b") + "x",
    }
    expected = when(start=".cline/rules/a.md .cline/rules/b/c.txt", never=".cline/rules/off.md .cline/rules/torn.md")
    assert moments("cline", files) == expected


def test_skills_outside_agents_folders_are_costs_once_installed(moments: Moments) -> None:
    files = {"skills/a/ref.md": "", "skills/b/SKILL.md": BROKEN}
    files |= dict.fromkeys(["skills/a/SKILL.md", ".claude/skills/c/SKILL.md"], GOOD)
    expected = when(listed="skills/a/SKILL.md", never="skills/b/SKILL.md", reference="skills/a/ref.md")
    assert moments("agent-skills", files) == expected
