"""Rules about metadata that readers reject or ignore, and globs that match nothing."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxtui.agents import what_if
from ctxtui.agents.globs import Trigger
from ctxtui.audit.fixes import apply
from ctxtui.audit.types import Fix
from ctxtui.core.disk.root import Root
from ctxtui.core.tokens.by_name import get_counter
from tests.audit.auditing_helpers import LOREM, audited, found, one, skill
from tests.cases import cases
from tests.conftest import Project

TORN = "---\nname: helper\ndescription: Reads: everything\n  bad: [open\n---\nDo it.\n"


def test_a_skill_with_torn_frontmatter_is_dropped_by_one_and_read_bare_by_another(project: Project) -> None:
    root = project({".agents/skills/helper/SKILL.md": TORN, "AGENTS.md": "# A\n"})
    finding = one(root, "frontmatter-rejected")
    assert (finding.severity, finding.agent, finding.line) == ("error", "codex", 3)
    assert "drops the file" in finding.message
    assert finding.tokens == get_counter().count(TORN)
    root = project({".claude/skills/helper/SKILL.md": TORN})
    finding = one(root, "frontmatter-rejected")
    assert (finding.severity, finding.agent) == ("warning", "claude-code")
    assert "without metadata" in finding.message


def test_a_skill_without_a_needed_key_is_dropped(project: Project) -> None:
    root = project({".agents/skills/helper/SKILL.md": "---\nname: helper\n---\nx\n", "GEMINI.md": "# G\n"})
    finding = one(root, "frontmatter-rejected")
    assert finding.agent is None
    assert "no description" in finding.message
    assert "OpenAI Codex and Gemini CLI" in finding.message


def test_a_skill_without_frontmatter_is_dropped(project: Project) -> None:
    root = project({".agents/skills/helper/SKILL.md": "# Helper\n"})
    message = one(root, "frontmatter-rejected").message
    assert message.endswith("it has no frontmatter; begin it with frontmatter with name and description")
    late = project({f".agents/skills/{name}/SKILL.md": f"# Helper\n\n{skill()}" for name in ("helper", "other")})
    assert one(late, "frontmatter-rejected").fact.endswith("2 files: their frontmatter is not on line 1")


def test_broken_metadata_of_a_catalog_are_told_with_their_line(project: Project) -> None:
    index = "---\ntitle: Index\ntype: index\nestimatedTokens: 5\nloadingStrategy: always\n---\n# Index\n"
    broken = "---\ntitle: A: b\nestimatedTokens: [\n---\n# A\n"
    root = project({"lib/index.md": index, "lib/api/index.md": index, "lib/api/broken.md": broken})
    finding = one(root, "frontmatter-rejected")
    assert (finding.path, finding.severity) == ("lib/api/broken.md", "error")
    assert finding.line in (2, 3, 4)


def test_keys_that_a_formatter_mangled_are_told_once_for_a_file(project: Project) -> None:
    index = "---\ntitle: Index\ntype: index\nestimatedTokens: 5\nloadingStrategy: always\n{}---\n# Index\n"
    mangled = index.format("## tags: [a]\n## crossDomainTriggers: []\n")
    root = project({"lib/index.md": index.format(""), "lib/api/index.md": mangled})
    finding = one(root, "frontmatter-rejected")
    assert (finding.path, finding.severity) == ("lib/api/index.md", "warning")
    assert "and 1 more" in finding.message


@pytest.mark.parametrize(
    "rule",
    ["---\nglobs: **/*.py\nalwaysApply: false\n---\nx\n", "---\ndescription: [a, b\nalwaysApply: true\n---\nx\n"],
)
def test_cursor_reads_lines_and_rejects_nothing(project: Project, rule: str) -> None:
    assert found(project({".cursor/rules/a.mdc": rule, "src/a.py": ""}), "frontmatter-rejected") == []


def test_sound_metadata_are_not_rejected(project: Project) -> None:
    root = project({".agents/skills/helper/SKILL.md": skill(), ".claude/skills/helper/SKILL.md": skill()})
    assert found(root, "frontmatter-rejected") == []


def test_globs_under_the_key_of_another_agent_leave_a_rule_always_on(project: Project) -> None:
    root = project({".claude/rules/api.md": f"---\nglobs: src/**\n---\n{LOREM}", "src/a.py": ""})
    finding = one(root, "globs-ignored")
    assert (finding.agent, finding.subject) == ("claude-code", "globs")
    assert "write `paths`" in finding.message
    assert finding.tokens == get_counter().count(LOREM)


def test_a_text_where_cline_wants_a_list_leaves_a_rule_always_on(project: Project) -> None:
    root = project({".clinerules/api.md": f"---\npaths: src/**\n---\n{LOREM}", "src/a.py": ""})
    finding = one(root, "globs-ignored")
    assert (finding.agent, finding.subject) == ("cline", "paths")
    assert "as a YAML list" in finding.message
    (root / ".clinerules/web.md").write_text("---\npaths: web/**\n---\nx\n")
    (root / ".clinerules/page.md").write_text("---\npaths: page/**\n---\nx\n")
    assert one(root, "globs-ignored").fact == "Cline ignores `paths` of 3 rules, which therefore always load"


def test_globs_that_are_heeded_or_not_meant_are_fine(project: Project) -> None:
    root = project(
        {
            ".claude/rules/api.md": "---\npaths: src/**\nglobs: src/**\n---\nx\n",
            ".claude/rules/all.md": "# For all\n",
            ".claude/rules/each.md": "---\napplyTo: '**/*'\n---\nx\n",
            ".clinerules/api.md": "---\npaths: ['src/**']\n---\nx\n",
            ".cursor/rules/a.mdc": "---\nglobs: src/**\nalwaysApply: false\n---\nx\n",
            ".github/instructions/a.instructions.md": "---\napplyTo: '**'\n---\nx\n",
            "src/a.py": "",
        }
    )
    assert found(root, "globs-ignored") == []


def test_a_rule_whose_globs_match_nothing_never_fires(project: Project) -> None:
    root = project({".claude/rules/api.md": f"---\npaths: ['app/**/*.py']\n---\n{LOREM}", "src/a.py": ""})
    finding = one(root, "dead-glob")
    assert (finding.severity, finding.subject, finding.line) == ("info", "app/**/*.py", 2)
    assert "never loads" in finding.message
    assert finding.tokens == get_counter().count(LOREM)


def test_instructions_of_copilot_with_dead_globs_may_still_be_chosen_by_their_description(project: Project) -> None:
    text = "---\ndescription: The API\napplyTo: 'app/**/*.py'\n---\n" + LOREM
    finding = one(project({".github/instructions/api.instructions.md": text, "src/a.py": ""}), "dead-glob")
    assert finding.message.endswith("matches no file; only its description may bring the rule")
    assert finding.tokens == 0


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
    ("name", "text", "severity"),
    [
        ("helper.md", "# Helper\n", "error"),
        ("helper.md", "", "warning"),
        ("security-scanner.md", "# Scanner\n", "error"),
        ("helper.md", "../../agents/helper.md", "error"),
        ("INDEX.md", "# Agents\n", None),
        ("README-agents.md", "# Agents\n", None),
        ("notes.example.md", "# Copy this\n", None),
        ("_reference.md", "# Keys\n", None),
        ("scanner/checklist.md", "# Read by the agent\n", "info"),
        ("redis-guide.md", "# How\n", "info"),
    ],
)
def test_only_agents_need_frontmatter(project: Project, name: str, text: str, severity: str | None) -> None:
    told = found(project({f".claude/agents/{name}": text, "CLAUDE.md": "# C\n"}), "frontmatter-rejected")
    assert [each.severity for each in told] == ([severity] if severity else [])


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
    root = project({".claude/agents/a.md": head, "CLAUDE.md": "# C\n"})
    finding = one(root, "frontmatter-rejected")
    assert f"its frontmatter is {why}; {remedy}" in finding.message


def test_an_agent_of_any_vendor_needs_its_frontmatter(project: Project) -> None:
    root = project({".factory/droids/helper.md": "# Helper\n", "AGENTS.md": "# A\n"})
    assert one(root, "frontmatter-rejected").severity == "error"


@cases(
    ("folder", "files", "severity"),
    [
        ("apps/a", {}, "info"),
        ("lib/skills/a", {}, "info"),
        ("skills/a", {}, "warning"),
        ("kit/skills/a", {"kit/.claude-plugin/plugin.json": '{"name": "kit"}'}, "warning"),
    ],
)
def test_a_skill_for_the_loader_of_a_product_is_a_note(
    project: Project, folder: str, files: dict[str, str], severity: str
) -> None:
    root = project({f"{folder}/SKILL.md": "# Play\n", "CLAUDE.md": "# C\n", **files})
    assert {each.severity for each in found(root, "frontmatter-rejected")} == {severity}
    linked = project({f"{folder}/SKILL.md": skill("a", body="[x](gone.md)\n"), "CLAUDE.md": "# C\n", **files})
    assert {each.severity for each in found(linked, "broken-link")} == {severity}


def test_rules_for_other_projects_have_one_note(project: Project) -> None:
    rule = "---\npaths: ['sub/*.{}']\n---\nx\n"
    rules = {f".claude/rules/{name}.md": rule.format(name) for name in "abcd"}
    finding = one(project(rules), "dead-glob")
    assert (finding.severity, finding.count) == ("info", 4)
    moved = {f"web/sub/x.{name}": "" for name in "ab"}
    told = found(project({**rules, **moved}), "dead-glob")
    assert [(each.severity, each.count) for each in told] == [("warning", 1), ("warning", 1), ("info", 2)]


def test_globs_with_commas_where_a_text_is_one_glob_never_match(project: Project) -> None:
    steering = "---\ninclusion: fileMatch\nfileMatchPattern: '*.ts,*.tsx'\n---\nx\n"
    root = project({".kiro/steering/ts.md": steering, "src/a.ts": "", "src/b.tsx": ""})
    finding = one(root, "dead-glob")
    assert (finding.severity, finding.agent, finding.line) == ("warning", "kiro", 3)
    assert finding.message.endswith("commas do not separate globs here; write a YAML list")
    (root / ".kiro/steering/ts.md").write_text(steering.replace("'*.ts,*.tsx'", "['*.ts', '*.tsx']"))
    assert found(root, "dead-glob") == []
    (root / ".kiro/steering/ts.md").write_text(steering.replace("*.ts,*.tsx", "*.{ts,tsx}"))
    assert found(root, "dead-glob") == []


def test_a_dead_glob_beside_a_live_one_is_no_mistake(project: Project) -> None:
    root = project({".claude/rules/api.md": "---\npaths: ['app/**', 'src/**']\n---\nx\n", "src/a.py": ""})
    assert found(root, "dead-glob") == []


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


def test_a_command_that_only_its_own_agent_reads_may_be_mended(project: Project) -> None:
    text = "---\nname: go\ndescription: Go. Usage: /go\n---\nGo.\n"
    root = project({".claude/commands/go.md": text, ".claude/skills/go/SKILL.md": text})
    assert one(root, "frontmatter-rejected").path == ".claude/skills/go/SKILL.md"


@pytest.mark.parametrize(
    "head",
    [
        "description: Use it: with care",
        "argument-hint: [issue] [reason]\ndescription: Closes issues",
        "paths: **/*.ts",
    ],
)
def test_what_claude_code_mends_is_not_refused_and_worth_a_word_if_it_is_listed(project: Project, head: str) -> None:
    root = project({".claude/skills/close/SKILL.md": f"---\nname: close\n{head}\n---\nClose it.\n"})
    told = found(root, "frontmatter-rejected")
    assert [(each.severity, each.line) for each in told] == ([("info", 3)] if "with care" in head else [])
    assert all("Claude Code mends it, strict readers drop the file" in each.message for each in told)


def test_what_stays_broken_in_quotes_is_refused_by_claude_code_as_well(project: Project) -> None:
    head = "name: close\ndescription: Closes issues.\n\n  Keywords: a, b\nlicense: MIT"
    root = project({".claude/skills/close/SKILL.md": f"---\n{head}\n---\nClose it.\n"})
    assert one(root, "frontmatter-rejected").severity == "warning"


@pytest.mark.parametrize("path", ["assets/page.md", "references/page.md"])
def test_files_beside_a_skill_have_no_frontmatter_that_anybody_reads(project: Project, path: str) -> None:
    files = {"skills/pots/SKILL.md": skill("pots"), f"skills/pots/{path}": "---\n- a: b: c\n---\nx\n"}
    assert found(project(files), "frontmatter-rejected") == []


def test_one_reason_in_one_folder_of_skills_is_one_finding(project: Project) -> None:
    files = {f"skills/{name}/SKILL.md": "# No frontmatter\n" for name in ("pots", "cups", "jars")}
    finding = one(project(files), "frontmatter-rejected")
    assert (finding.count, finding.severity) == (3, "warning")
    assert "drop these 3 files: they have no frontmatter" in finding.message


def test_copies_of_a_skill_have_one_fault_where_it_is_worst(project: Project) -> None:
    text = "---\nname: pots\ndescription: Does. Covers: b\n  bad: [open\n---\nDo it.\n"
    places = [f"{folder}/pots/SKILL.md" for folder in ("skills", ".agents/skills")]
    root = project({**dict.fromkeys(places, text), "AGENTS.md": "x\n", ".codex/config.toml": ""})
    finding = one(root, "frontmatter-rejected")
    assert (finding.path, finding.severity, finding.agent) == (places[1], "error", "codex")
    assert [each.path for each in finding.places] == [places[1], places[0]]
    assert finding.also(3) == f"also {places[0]}:3"
    others = project({**dict.fromkeys(places, text), places[0]: f"{text}More.\n", "AGENTS.md": "x\n"})
    assert len(found(others, "frontmatter-rejected")) == 2


def test_copies_do_not_count_as_further_causes(project: Project) -> None:
    text = skill(body="Run `cut -f $0`.\n")
    names = [f"{folder}/{name}" for folder in ("skills", ".claude/skills") for name in ("pots", "cups")]
    root = project({f"{each}/SKILL.md": text.replace("helper", each.rpartition("/")[2]) for each in names})
    (finding,) = [each for each in audited(root, ["replaced-text"]).findings if each.agent == "claude-code"]
    assert "in 2 skills" in finding.message


def test_translations_to_install_are_notes(project: Project) -> None:
    for place, severity in (("docs/ja-JP/skills", "info"), ("skills", "warning")):
        assert one(project({f"{place}/pots/SKILL.md": "# Pots\n"}), "frontmatter-rejected").severity == severity


@pytest.mark.parametrize("place", [".opencode/skills/a", ".claude/agents"])
def test_values_that_all_readers_here_mend_are_one_note(project: Project, place: str) -> None:
    name = "SKILL.md" if "skills" in place else "a.md"
    head = "name: a\ndescription: Does. Covers: b"
    root = project({f"{place}/{name}": f"---\n{head}\n---\nDo it.\n", "opencode.json": "{}\n"})
    finding = one(root, "frontmatter-rejected")
    assert (finding.severity, finding.path, finding.line) == ("info", f"{place}/{name}", 3)


def test_what_copilot_cannot_read_it_drops(project: Project) -> None:
    head = "name: a\ndescription: Does. Covers: b"
    files = {".github/agents/a.agent.md": f"---\n{head}\n---\nx\n", ".github/copilot-instructions.md": "x\n"}
    finding = one(project(files), "frontmatter-rejected")
    assert (finding.severity, finding.agent) == ("error", "copilot-cli")
    assert finding.message.startswith("GitHub Copilot CLI drops the file: ")


def test_agents_of_gemini_cli_with_tools_of_another_agent_are_one_finding(project: Project) -> None:
    head = "description: Reviews.\ntools: Read, Write"
    files = {f".gemini/agents/{name}.md": f"---\nname: {name}\n{head}\n---\nx\n" for name in "ab"}
    finding = one(project(files), "frontmatter-rejected")
    assert (finding.severity, finding.count, finding.agent) == ("error", 2, "gemini-cli")
    assert "`tools` must be a list" in finding.message


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


def test_files_of_tests_and_readmes_may_lack_what_agents_demand(project: Project) -> None:
    files = {
        "tests/Fixtures/kit/SKILL.md": "# Broken on purpose\n",
        ".claude/agents/readme.md": "# Our agents\n",
        ".cursor/rules/readme.md": "# Our rules\n",
        ".cursor/rules/a.mdc": "---\nalwaysApply: true\n---\nx\n",
    }
    told = [*found(project(files), "frontmatter-rejected"), *found(project(files), "never-loaded")]
    assert [(each.path, each.severity) for each in told] == [("tests/Fixtures/kit/SKILL.md", "info")]


def test_a_sample_that_is_linked_elsewhere_is_one_note_about_the_file(project: Project) -> None:
    files = {"skills/tester/SKILL.md": skill("tester"), "skills/tester/assets/sample/SKILL.md": "# None\n"}
    root = project({**files, "AGENTS.md": "x\n"})
    (root / ".agents/skills").mkdir(parents=True)
    (root / ".agents/skills/tester").symlink_to("../../skills/tester/assets/sample")
    finding = one(root, "frontmatter-rejected")
    assert (finding.path, finding.severity) == ("skills/tester/assets/sample/SKILL.md", "info")
    (root / "skills/own").mkdir()
    (root / "skills/own/SKILL.md").write_text("# None\n")
    assert "warning" in {each.severity for each in found(root, "frontmatter-rejected")}


def test_a_dead_glob_for_a_folder_says_how_to_write_it(project: Project) -> None:
    rule = "---\napplyTo: '{}'\n---\nx\n"
    path = ".github/instructions/a.instructions.md"
    finding = one(project({path: rule.format("sdk/*/manager_*/"), "sdk/one/x.rs": ""}), "dead-glob")
    assert finding.message.endswith("; a pattern that ends in `/` never matches a file; write `…/**`")
    finding = one(project({path: rule.format("sdk/*/manager_*/**"), "sdk/one/x.rs": ""}), "dead-glob")
    assert "never matches a file" not in finding.message


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


def test_an_alias_is_yaml_and_a_key_that_comes_twice_is_not(project: Project) -> None:
    path = ".agents/skills/t/SKILL.md"
    head = "---\nname: t\ndescription: {}\n---\nbody\n"
    assert found(project({path: head.format("&d Text\nsummary: *d")}), "frontmatter-rejected") == []
    finding = one(project({path: head.format("a\ndescription: b")}), "frontmatter-rejected")
    assert (finding.severity, finding.agent) == ("error", "codex")
    assert "`description` twice" in finding.message


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
    path = ".github/instructions/a.instructions.md"
    root = project({path: f"---\napplyTo: '{glob}'\n---\nx\n", "src/a.ts": ""})
    agents = [each for each in audited(root).agents if each.agent.id == "copilot"]
    assert bool(what_if(agents, "src/a.ts")[0].charges) is not is_dead
    told = [each for each in found(root, "dead-glob") if each.agent != "copilot-cli"]
    assert bool(told) is is_dead


@pytest.mark.parametrize("glob", ["{src/*.{ts,tsx},fn/**/*.py}", "{lib,{a,b}}/*.ts"])
def test_globs_with_nested_braces_which_agents_split_differently_are_left_alone(project: Project, glob: str) -> None:
    files = {".cursor/rules/a.mdc": f"---\nglobs: {glob}\n---\nx\n"}
    files[".github/instructions/a.instructions.md"] = f"---\napplyTo: '{glob}'\n---\nx\n"
    assert found(project(files), "dead-glob") == []


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
    root = project({"src/a.ts": "", "src/b/A.ts": "", "b.ts": "", **rules})
    result = audited(root, ["dead-glob"])
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
    results = [audited(root) for root in (alone, below / "svc")]
    touched = [
        {each.agent.id: [charge.reason for charge in each.charges] for each in what_if(result.agents, "src/api/a.py")}
        for result in results
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
