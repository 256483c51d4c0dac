"""Rules about metadata that readers reject or ignore, and globs that match nothing."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxtui.agents import what_if
from ctxtui.agents.project.globs import Trigger
from ctxtui.audit.fixes import apply
from ctxtui.audit.types import Fix
from ctxtui.core.disk.root import Root
from ctxtui.core.tokens.by_name import get_counter
from tests.audit.auditing_helpers import LOREM, audited, found, one, skill
from tests.cases import cases
from tests.conftest import Project

TORN = "---\nname: helper\ndescription: Reads: everything\n  bad: [open\n---\nDo it.\n"


INDEX = "---\ntitle: Index\ntype: index\nestimatedTokens: 5\nloadingStrategy: always\n{}---\n# Index\n"
CATALOG = dict.fromkeys(("lib/api/index.md", "lib/index.md"), INDEX.format(""))
MENDED = "---\nname: a\ndescription: Does. Covers: b\n---\nDo it.\n"


HELPER = ".agents/skills/helper/SKILL.md"
UNNAMED = "---\nname: helper\n---\nx\n"
TOOLS = "---\nname: a\ndescription: R.\ntools: Read\n---\nx\n"


@cases(
    ("files", "told", "words"),
    [
        ({HELPER: TORN, "AGENTS.md": "# A\n"}, "error codex 3", "drops the file"),
        ({".claude/skills/helper/SKILL.md": TORN}, "warning claude-code 3", "without metadata"),
        ({HELPER: UNNAMED}, "error codex 1", "no description"),
        ({HELPER: UNNAMED, "GEMINI.md": "# G\n"}, "error None 1", "OpenAI Codex and Gemini CLI drop the file"),
        ({HELPER: "# Helper\n"}, "error codex 1", "; begin it with frontmatter with name and description"),
        (
            {HELPER.replace("helper", name): f"# Helper\n\n{skill()}" for name in ("helper", "other")},
            "error codex 1",
            "2 files: their frontmatter is not on line 1",
        ),
        (
            {f"skills/{name}/SKILL.md": "# No frontmatter\n" for name in ("cups", "jars", "pots")},
            "warning agent-skills 1",
            "drop these 3 files: they have no frontmatter",
        ),
        (
            {
                f".github/agents/{each}.agent.md": "name: A\n# To read\ntools: [read]\n\n---\nBe kind.\n"
                for each in "ab"
            }
            | {".github/copilot-instructions.md": "x\n"},
            "error copilot-cli 1",
            "their frontmatter has no `---` above it; write `---` as its first line",
        ),
        # A translation to install is a note.
        ({"docs/ja-JP/skills/pots/SKILL.md": "# Pots\n"}, "info agent-skills 1", "no frontmatter"),
        ({"skills/pots/SKILL.md": "# Pots\n"}, "warning agent-skills 1", "no frontmatter"),
        ({".factory/droids/a.md": "# A\n", "AGENTS.md": "# A\n"}, "error factory-droid 1", "no frontmatter"),
        # In quotes it stays broken: Claude Code refuses it as well.
        (
            {".claude/skills/a/SKILL.md": "---\nname: a\ndescription: A.\n\n  Keys: a, b\nlicense: MIT\n---\nx\n"},
            "warning claude-code 3",
            "not a YAML mapping",
        ),
        ({".opencode/skills/a/SKILL.md": MENDED, "opencode.json": "{}\n"}, "info None 3", "OpenCode mends it"),
        ({".claude/agents/a.md": MENDED, "opencode.json": "{}\n"}, "info None 3", "Claude Code mends it"),
        (
            {".github/agents/a.agent.md": MENDED, ".github/copilot-instructions.md": "x\n"},
            "error copilot-cli 3",
            "GitHub Copilot CLI drops the file: ",
        ),
        (
            {f".gemini/agents/{name}.md": TOOLS.replace("name: a", f"name: {name}") for name in "ab"},
            "error gemini-cli 1",
            "drops these 2 files: `tools` must be a list",
        ),
        (
            {".gemini/agents/a.md": TOOLS.replace("---\nx", "color: red\n---\nx")},
            "error gemini-cli 1",
            "`color`, which the agent does not know, and `tools` must be a list, not a text; remove `color` and write",
        ),
        (
            {"skills/pots/SKILL.md": "---\nlicense: MIT\n---\nx\n"},
            "warning agent-skills 1",
            "has no name and no description; add name and description",
        ),
        ({"skills/helper/SKILL.md": UNNAMED}, "warning agent-skills 1", "has no description; add description"),
        ({"lib/api/a.md": "---\ntitle: A: b\nestimatedTokens: [\n---\n# A\n", **CATALOG}, "error None 2", "YAML"),
        # What a formatter mangled is told once.
        (
            {**CATALOG, "lib/api/index.md": INDEX.format("## tags: [a]\n## crossDomainTriggers: []\n")},
            "warning None 1",
            "and 1 more",
        ),
        ({HELPER: "---\nname: t\ndescription: a\ndescription: b\n---\nx\n"}, "error codex 1", "`description` twice"),
    ],
)
def test_frontmatter_that_readers_reject(project: Project, files: dict[str, str], told: str, words: str) -> None:
    finding = one(project(files), "frontmatter-rejected")
    assert f"{finding.severity} {finding.agent} {finding.line}" == told
    assert finding.path == next(iter(files))
    assert words in finding.message


def test_a_remedy_for_one_of_two_faults_is_none(project: Project) -> None:
    text = TOOLS.replace("tools: Read", "tools: [Read]\ncolor: red")
    finding = one(project({".gemini/agents/a.md": text}), "frontmatter-rejected")
    assert finding.message.endswith("not know, and `tools` names Read, which is not one of the agent's tools")


def test_a_file_that_is_dropped_costs_all_of_its_tokens(project: Project) -> None:
    assert one(project({HELPER: TORN}), "frontmatter-rejected").tokens == get_counter().count(TORN)


POTS = {"skills/pots/SKILL.md": skill("pots")}


@cases(
    "files",
    [
        {".agents/skills/helper/SKILL.md": skill(), ".claude/skills/helper/SKILL.md": skill()},
        # Cursor reads lines and rejects nothing.
        {".cursor/rules/a.mdc": "---\nglobs: **/*.py\nalwaysApply: false\n---\nx\n", "src/a.py": ""},
        {".cursor/rules/a.mdc": "---\ndescription: [a, b\nalwaysApply: true\n---\nx\n"},
        # Nobody reads that of files beside a skill.
        {**POTS, "skills/pots/assets/page.md": "---\n- a: b: c\n---\nx\n"},
        {**POTS, "skills/pots/references/page.md": "---\n- a: b: c\n---\nx\n"},
        # An alias is YAML.
        {".agents/skills/t/SKILL.md": "---\nname: t\ndescription: &d Text\nsummary: *d\n---\nbody\n"},
    ],
)
def test_frontmatter_that_all_read_or_nobody(project: Project, files: dict[str, str]) -> None:
    assert found(project(files), "frontmatter-rejected") == []


@cases(
    ("path", "head", "agent", "words"),
    [
        (".claude/rules/api.md", "globs: src/**", "claude-code", "write `paths`"),
        (".clinerules/api.md", "paths: src/**", "cline", "as a YAML list"),
    ],
)
def test_ignored_globs_leave_a_rule_always_on(project: Project, path: str, head: str, agent: str, words: str) -> None:
    finding = one(project({path: f"---\n{head}\n---\n{LOREM}", "src/a.py": ""}), "globs-ignored")
    assert (finding.agent, finding.subject) == (agent, head.partition(":")[0])
    assert words in finding.message
    assert finding.tokens == get_counter().count(LOREM)


def test_a_rule_with_ignored_globs_may_still_be_chosen(project: Project) -> None:
    text = "---\nglob: src/**\ndescription: Api\nalwaysApply: false\n---\nx\n"
    finding = one(project({".cursor/rules/api.mdc": text, "src/a.py": ""}), "globs-ignored")
    says = "Cursor ignores `glob`, so the rule loads only if the model chooses it; write `globs`"
    assert (finding.severity, finding.line, finding.message) == ("warning", 2, says)


def test_ignored_globs_of_several_rules_are_one_finding(project: Project) -> None:
    rules = {f".clinerules/{name}.md": f"---\npaths: {name}/**\n---\nx\n" for name in ("api", "web", "page")}
    fact = "Cline ignores `paths` of 3 rules, which therefore always load"
    assert one(project(rules), "globs-ignored").fact == fact


def test_globs_that_are_heeded_or_not_meant_are_fine(project: Project) -> None:
    root = project(
        {
            ".claude/rules/api.md": "---\npaths: src/**\nglobs: src/**\n---\nx\n",
            ".claude/rules/all.md": "# For all\n",
            ".claude/rules/each.md": "---\napplyTo: '**/*'\n---\nx\n",
            ".clinerules/api.md": "---\npaths: ['src/**']\n---\nx\n",
            ".cursor/rules/a.mdc": "---\nglobs: src/**\nalwaysApply: false\n---\nx\n",
            ".cursor/rules/b.mdc": "---\nglob: src/**\nalwaysApply: true\n---\nx\n",
            ".github/instructions/a.instructions.md": "---\napplyTo: '**'\n---\nx\n",
            "src/a.py": "",
        }
    )
    assert found(root, "globs-ignored") == []


@cases(
    ("path", "head", "tokens", "words"),
    [
        (".claude/rules/api.md", "paths: ['app/**/*.py']", get_counter().count(LOREM), "the rule never loads"),
        (
            ".github/instructions/api.instructions.md",
            "applyTo: 'app/**/*.py'\ndescription: The API",
            0,
            "only its description may bring the rule",
        ),
    ],
)
def test_a_rule_with_dead_globs_never_fires(project: Project, path: str, head: str, tokens: int, words: str) -> None:
    finding = one(project({path: f"---\n{head}\n---\n{LOREM}", "src/a.py": ""}), "dead-glob")
    assert (finding.severity, finding.subject, finding.line) == ("info", "app/**/*.py", 2)
    assert finding.message.endswith(f"matches no file; {words}")
    assert finding.tokens == tokens


@pytest.mark.parametrize(("more", "hint"), [({}, "web/app/**/*.py` and `web/app/b/*.py"), ({"old/app/a.py": ""}, "")])
def test_a_glob_of_a_folder_that_moved_has_its_new_place(project: Project, more: dict[str, str], hint: str) -> None:
    globs = ("app/**/*.py", "app/b/*.py")
    listed = "".join(f"  - '{each}'\n" for each in globs[: 2 if hint else 1])
    files = {".claude/rules/api.md": f"---\npaths:\n{listed}---\nx\n", "web/app/b/a.py": ""}
    finding = one(project({**files, **more}), "dead-glob")
    steps = [step.after for step in finding.remedy.steps if isinstance(step, Fix)]
    assert steps == ([f"  - 'web/{each}'" for each in globs] if hint else [])
    assert finding.message.endswith(f"; write `{hint}`" if hint else "never loads")
    assert finding.severity == ("warning" if hint else "info")


@cases(
    ("path", "text", "severity"),
    [
        (".claude/agents/helper.md", "# Helper\n", "error"),
        (".claude/agents/helper.md", "", "warning"),
        (".claude/agents/security-scanner.md", "# Scanner\n", "error"),
        (".claude/agents/helper.md", "../../agents/helper.md", "error"),
        (".claude/agents/INDEX.md", "# Agents\n", None),
        (".claude/agents/readme.md", "# Agents\n", None),
        (".claude/agents/README-agents.md", "# Agents\n", None),
        (".claude/agents/notes.example.md", "# Copy this\n", None),
        (".claude/agents/_reference.md", "# Keys\n", None),
        (".claude/agents/scanner/checklist.md", "# Read by the agent\n", "info"),
        (".claude/agents/redis-guide.md", "# How\n", "info"),
        (".cursor/rules/readme.md", "# Our rules\n", None),
        ("tests/Fixtures/kit/SKILL.md", "# Broken on purpose\n", "info"),
    ],
)
def test_only_agents_need_frontmatter(project: Project, path: str, text: str, severity: str | None) -> None:
    root = project({path: text, "CLAUDE.md": "# C\n", ".cursor/rules/a.mdc": "---\nalwaysApply: true\n---\nx\n"})
    told = [*found(root, "frontmatter-rejected"), *found(root, "never-loaded")]
    assert [(each.path, each.severity) for each in told] == [(path, severity)] * bool(severity)


@cases(
    ("head", "why", "remedy"),
    [
        ("---\nname: a\ndescription: b\n\nDo it.\n", "not closed", "close it with a line `---`"),
        ("---\n  name: a\n  ---\nDo it.\n", "indented", "remove the blanks before its lines"),
        (
            "---\nname: a\ndescription: b\n\n<example>\nx\n</example>\n---\nDo it.\n",
            "not a YAML mapping",
            "write `description` in quotes",
        ),
    ],
)
def test_frontmatter_without_an_end_is_not_missing(project: Project, head: str, why: str, remedy: str) -> None:
    finding = one(project({".claude/agents/a.md": head, "CLAUDE.md": "# C\n"}), "frontmatter-rejected")
    assert f"its frontmatter is {why}; {remedy}" in finding.message


@cases(
    ("folder", "files", "severity"),
    [
        ("apps/a", {}, "info"),
        ("lib/skills/a", {}, "info"),
        ("skills/a", {}, "warning"),
        ("kit/skills/a", {"kit/.claude-plugin/plugin.json": '{"name": "kit"}'}, "warning"),
    ],
)
def test_a_skill_of_a_product_is_a_note(project: Project, folder: str, files: dict[str, str], severity: str) -> None:
    root = project({f"{folder}/SKILL.md": "# Play\n", "CLAUDE.md": "# C\n", **files})
    assert {each.severity for each in found(root, "frontmatter-rejected")} == {severity}
    linked = project({f"{folder}/SKILL.md": skill("a", body="[x](gone.md)\n"), "CLAUDE.md": "# C\n", **files})
    assert {each.severity for each in found(linked, "broken-link")} == {severity}


def test_rules_for_other_projects_have_one_note(project: Project) -> None:
    rule = "---\npaths: ['sub/*.{}']\n---\nx\n"
    rules = {f".claude/rules/{name}.md": rule.format(name) for name in "abcd"}
    finding = one(project(rules), "dead-glob")
    assert (finding.severity, finding.count) == ("info", 4)
    told = found(project({**rules, **{f"web/sub/x.{name}": "" for name in "ab"}}), "dead-glob")
    assert [(each.severity, each.count) for each in told] == [("warning", 1), ("warning", 1), ("info", 2)]


def test_globs_with_commas_where_a_text_is_one_glob_never_match(project: Project) -> None:
    files = {"src/a.ts": "", "src/b.tsx": ""}
    steering = "---\ninclusion: fileMatch\nfileMatchPattern: {}\n---\nx\n"
    finding = one(project({**files, ".kiro/steering/ts.md": steering.format("'*.ts,*.tsx'")}), "dead-glob")
    assert (finding.severity, finding.agent, finding.line) == ("warning", "kiro", 3)
    assert finding.message.endswith("commas do not separate globs here; write a YAML list")
    for globs in ("['*.ts', '*.tsx']", "'*.{ts,tsx}'"):
        assert found(project({**files, ".kiro/steering/ts.md": steering.format(globs)}), "dead-glob") == []


def test_a_dead_glob_beside_a_live_one_and_nested_braces_are_left_alone(project: Project) -> None:
    rule = "---\n{}\n---\nx\n"
    live = {".claude/rules/api.md": rule.format("paths: ['app/**', 'src/**']"), "src/a.py": ""}
    assert found(project(live), "dead-glob") == []
    # Agents split these differently.
    for glob in ("{src/*.{ts,tsx},fn/**/*.py}", "{lib,{a,b}}/*.ts"):
        files = {".cursor/rules/a.mdc": rule.format(f"globs: {glob}")}
        files[".github/instructions/a.instructions.md"] = rule.format(f"applyTo: '{glob}'")
        assert found(project(files), "dead-glob") == []


@cases(
    ("glob", "file"),
    [
        ("src/**/*.{ts,tsx}", "src/deep/a.tsx"),
        ("*.png", "art/logo.png"),
        ("src/", "src/a.py"),
        ("src", "src/a.py"),
        ("./src/*.py", "src/a.py"),
        ("/src/*.py", "src/a.py"),
        ("build/**", "build/out.js"),
        ("**/.env*", ".env.local"),
        ("!docs/**", "src/a.py"),
        ("local/specs/**", "src/a.py"),
    ],
)
def test_globs_that_match_in_any_dialect_or_ignored_files_live(project: Project, glob: str, file: str) -> None:
    files = {".claude/rules/a.md": f"---\npaths: ['{glob}']\n---\nx\n", file: "x", ".gitignore": "build/\nlocal/\n"}
    assert found(project(files), "dead-glob") == []


def test_what_claude_code_mends_is_not_refused_and_worth_a_word_if_it_is_listed(project: Project) -> None:
    heads = ("argument-hint: [issue] [reason]\ndescription: Closes issues", "paths: **/*.ts")
    for head, told in ((heads[0], []), (heads[1], []), ("description: Use it: with care", [("info", 3)])):
        root = project({".claude/skills/close/SKILL.md": f"---\nname: close\n{head}\n---\nClose it.\n"})
        findings = found(root, "frontmatter-rejected")
        assert [(each.severity, each.line) for each in findings] == told, head
        assert all("Claude Code mends it, strict readers drop the file" in each.message for each in findings)
    # Nobody else reads a command.
    root = project(dict.fromkeys((".claude/commands/go.md", ".claude/skills/go/SKILL.md"), MENDED))
    assert one(root, "frontmatter-rejected").path == ".claude/skills/go/SKILL.md"


def test_copies_of_a_skill_have_one_fault_where_it_is_worst(project: Project) -> None:
    places = [".agents/skills/pots/SKILL.md", "skills/pots/SKILL.md"]
    copies = {**dict.fromkeys(places, TORN), "AGENTS.md": "x\n"}
    finding = one(project({**copies, ".codex/config.toml": ""}), "frontmatter-rejected")
    assert (finding.path, finding.severity, finding.agent) == (places[0], "error", "codex")
    assert [each.path for each in finding.places] == places
    assert finding.also(3) == f"also {places[1]}:3"
    assert len(found(project({**copies, places[1]: f"{TORN}More.\n"}), "frontmatter-rejected")) == 2


def test_copies_do_not_count_as_further_causes(project: Project) -> None:
    text = skill(body="Run `cut -f $0`.\n")
    names = [f"{folder}/{name}" for folder in ("skills", ".claude/skills") for name in ("pots", "cups")]
    root = project({f"{each}/SKILL.md": text.replace("helper", each.rpartition("/")[2]) for each in names})
    (finding,) = [each for each in audited(root, ["replaced-text"]).findings if each.agent == "claude-code"]
    assert "in 2 skills" in finding.message


@cases(
    ("meta", "words"),
    [
        ("name: b\ndescription: b\ntools: Read", "write `tools` as a YAML list"),
        ("name: b\ndescription: b\na: 1\nc: 1", "remove `a`, `c`"),
        ("description: b", "add name"),
    ],
)
def test_a_remedy_says_how_to_meet_the_demand_of_an_agent(project: Project, meta: str, words: str) -> None:
    root = project({".gemini/agents/b.md": f"---\n{meta}\n---\nB\n"})
    assert one(root, "frontmatter-rejected").remedy.words == words


def test_a_sample_that_is_linked_elsewhere_is_one_note_about_the_file(project: Project) -> None:
    sample = "skills/tester/assets/sample/SKILL.md"
    root = project({"skills/tester/SKILL.md": skill("tester"), sample: "# None\n", "AGENTS.md": "x\n"})
    (root / ".agents/skills").mkdir(parents=True)
    (root / ".agents/skills/tester").symlink_to("../../skills/tester/assets/sample")
    finding = one(root, "frontmatter-rejected")
    assert (finding.path, finding.severity) == (sample, "info")
    (root / "skills/own").mkdir()
    (root / "skills/own/SKILL.md").write_text("# None\n")
    assert "warning" in {each.severity for each in found(root, "frontmatter-rejected")}


def test_a_dead_glob_for_a_folder_says_how_to_write_it(project: Project) -> None:
    said = "; a pattern that ends in `/` never matches a file; write `…/**`"
    for glob, is_said in (("sdk/*/manager_*/", True), ("sdk/*/manager_*/**", False)):
        rule = {".github/instructions/a.instructions.md": f"---\napplyTo: '{glob}'\n---\nx\n"}
        assert one(project({**rule, "sdk/one/x.rs": ""}), "dead-glob").message.endswith(said) == is_said, glob


def test_a_byte_order_mark_that_hides_frontmatter_is_an_error_with_a_change(project: Project) -> None:
    text = "---\nname: t\ndescription: A skill.\n---\nbody\n"
    root = project({".agents/skills/t/SKILL.md": f"\ufeff{text}"})
    finding = one(root, "frontmatter-rejected")
    assert (finding.severity, finding.agent) == ("error", "codex")
    assert finding.message.endswith("; remove the byte order mark of .agents/skills/t/SKILL.md")
    assert finding.fix is not None
    apply(Root(root), [finding.fix])
    assert (root / ".agents/skills/t/SKILL.md").read_text() == text
    assert found(root, "frontmatter-rejected") == []


@cases(
    ("description", "key"),
    [("\n  Reviews\n  of: all\n  of them", "description"), ("|\n  ok\nother: a: b", "other"), ('"a" b', "")],
)
def test_the_key_in_which_yaml_fails_is_to_be_quoted(project: Project, description: str, key: str) -> None:
    text = f"---\nname: t\ndescription: {description}\nlicense: MIT\n---\nbody\n"
    finding = one(project({".agents/skills/t/SKILL.md": text}), "frontmatter-rejected")
    assert finding.remedy.words == (f"write `{key}` in quotes, or as a block below `{key}: |`" if key else "")


@cases(
    ("glob", "is_dead"),
    [("**/*.TS", False), ("a.ts", False), ("./src/**", True), ("/src/**", True), ("lib/**", True)],
)
def test_a_glob_of_vscode_is_dead_if_no_file_fires_it(project: Project, glob: str, is_dead: bool) -> None:
    root = project({".github/instructions/a.instructions.md": f"---\napplyTo: '{glob}'\n---\nx\n", "src/a.ts": ""})
    agents = [each for each in audited(root).agents if each.agent.id == "copilot"]
    assert bool(what_if(agents, "src/a.ts")[0].charges) is not is_dead
    assert bool([each for each in found(root, "dead-glob") if each.agent != "copilot-cli"]) is is_dead


_GLOBS = st.builds(
    lambda start, parts: start + "/".join(parts),
    st.sampled_from(["", "", "./", "/"]),
    st.lists(st.sampled_from(["src", "a.ts", "*.ts", "*.TS", "**", "*", "A.ts", "{a,b}.ts"]), min_size=1, max_size=3),
)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        (".cursor/rules/{}.mdc", "globs: '{}'"),
        (".github/instructions/{}.instructions.md", "applyTo: '{}'"),
        (".clinerules/{}.md", "paths: ['{}']"),
        (".claude/rules/{}.md", "paths: ['{}']"),
    ],
)
@given(st.lists(_GLOBS, min_size=1, max_size=12, unique=True))
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_dead_globs_are_those_that_no_touch_fires(project: Project, name: str, key: str, globs: list[str]) -> None:
    rules = {name.format(number): f"---\n{key.format(glob)}\n---\nx\n" for number, glob in enumerate(globs)}
    result = audited(project({"src/a.ts": "", "src/b/A.ts": "", "b.ts": "", **rules}), ["dead-glob"])
    context = result.agents[0]
    told = [each for each in result.findings if each.agent in (context.agent.id, None, "")]
    dead = {place.path for each in told for place in (each.places or (each,))}
    paths = ["src/a.ts", "src/b/A.ts", "b.ts", *rules]
    fired = {charge.path for path in paths for charge in what_if([context], path)[0].charges}
    # A rule may fire for its own file, which no touch brings.
    own = {each.path for each in context.at("touch") if Trigger(each.scopes).fires(each.path)}
    assert dead == {charge.path for charge in context.at("touch")} - fired - own


def test_a_folder_of_a_repository_is_audited_as_a_copy_of_it(project: Project) -> None:
    files = {
        ".claude/rules/a.md": "---\npaths: src/**/*.py\n---\nx\n",
        ".cursor/rules/a.mdc": "---\nglobs: src/**\n---\nx\n",
        ".cursor/rules/b.mdc": "---\nglobs: gone/**\n---\nx\n",
        ".github/instructions/a.instructions.md": "---\napplyTo: '*.py'\n---\nx\n",
        "src/api/a.py": "",
    }
    alone, below = project(files), project({f"svc/{path}": text for path, text in files.items()} | {".git/HEAD": ""})
    touched = [
        {each.agent.id: [charge.reason for charge in each.charges] for each in what_if(result.agents, "src/api/a.py")}
        for result in [audited(root) for root in (alone, below / "svc")]
    ]
    assert touched[0] == touched[1]
    assert {agent for agent, charges in touched[0].items() if charges} >= {"claude-code", "cursor", "copilot"}
    said = [[each.message for each in found(root, "dead-glob")] for root in (alone, below / "svc")]
    assert said[0] == said[1] != []


def test_metadata_below_a_blank_line_is_told_for_commands_as_well(project: Project) -> None:
    head = "---\ndescription: Checks.\n---\n"
    root = project({".claude/commands/a.md": f"\n{head}Check.\n", ".claude/commands/b.md": f"{head}Check.\n"})
    finding = one(root, "frontmatter-rejected")
    assert (finding.path, finding.fact.rpartition(": ")[2]) == (
        ".claude/commands/a.md",
        "its frontmatter is not on line 1",
    )
    sample = f"# A\n\nIt begins so:\n\n```md\n\n{head}```\n"
    shown = one(project({".claude/agents/a.md": sample}), "frontmatter-rejected")
    assert "it has no frontmatter" in shown.fact
