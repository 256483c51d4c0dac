"""AGENTS.md that an agent skips, twins that differ, files too large or nearly so, bytes that are not text."""

import pytest

from ctxtui.core.tokens.by_name import get_counter
from tests.audit.auditing_helpers import LOREM, audited, found, one, skill
from tests.cases import cases
from tests.conftest import Project

MAIN = f"# Rules for agents\n\n{LOREM}"


@cases(
    ("head", "is_apart"),
    [
        ("# Codex instructions", True),
        ("# Rules\n\nInstructions for OpenAI Codex.", True),
        ("# Rules\n\nContext for AI coding agents (OpenAI Codex, Copilot).", True),
        ("@./docs/copilot-tools.md\n\n# Rules", True),
        ("# Rules\n\nRead `CLAUDE.md` first.", True),
        ("# Agent rules for Codex and Claude Code", False),
        ("# Rules for all agents\n\nThe models of Gemini are supported.", False),
    ],
)
def test_an_agents_md_that_is_meant_for_other_agents_is_not_told(project: Project, head: str, is_apart: bool) -> None:
    files = {"AGENTS.md": f"{head}\n\n{LOREM * 3}", "CLAUDE.md": "# Claude\n\nBe kind.\n"}
    told = found(project(files), "shadowed")
    assert [each.severity for each in told] == ([] if is_apart else ["info"])
    assert all("write `@AGENTS.md` into CLAUDE.md" in each.message for each in told)
    below = {"web/AGENTS.md": files["AGENTS.md"], "CLAUDE.md": files["CLAUDE.md"]}
    assert bool(found(project(below), "shadowed")) is not is_apart


@cases(
    ("main", "claude", "severity"),
    [
        ("# Rules\n", "@AGENTS.md\n", "warning"),
        ("# AGENTS.md\n\nBe kind.\n", "# All\n\n@AGENTS.md\n", "warning"),
        ("# Rules\n", "Be kind.\n", "info"),
        ("# Rules\n\nIn spec, follow its AGENTS.md.\n", "@AGENTS.md\n", "info"),
        ("# Rules\n", "@AGENTS.md\n\nRead the AGENTS.md of a folder first.\n", "info"),
        ("", "Be kind.\n", "info"),
    ],
)
def test_an_agents_md_below_the_one_read_is_told(project: Project, main: str, claude: str, severity: str) -> None:
    files = {"spec/AGENTS.md": f"# Spec\n\n{LOREM}", "CLAUDE.md": claude, **({"AGENTS.md": main} if main else {})}
    assert {each.path: each.severity for each in found(project(files), "shadowed")}["spec/AGENTS.md"] == severity


def test_an_agents_md_that_claude_md_keeps_out_is_shadowed(project: Project) -> None:
    files = {"AGENTS.md": MAIN, "CLAUDE.md": "# Claude\n\nBe kind.\n"}
    finding = one(project(files), "shadowed")
    assert (finding.path, finding.agent, finding.severity) == ("AGENTS.md", "claude-code", "info")
    assert finding.tokens > 200
    assert finding.message.endswith("because CLAUDE.md exists; write `@AGENTS.md` into CLAUDE.md")
    # What is a part of AGENTS.md hides it, however long it is.
    part = "".join(f"Rule {number} is for everybody who works here.\n" for number in range(60))
    assert one(project({"AGENTS.md": f"{part}{LOREM * 6}", "CLAUDE.md": part}), "shadowed").severity == "info"
    # Within a skill, it is a document of the skill.
    within = {"CLAUDE.md": files["CLAUDE.md"], "skills/pots/AGENTS.md": MAIN}
    assert found(project(within), "shadowed")
    assert found(project({**within, "skills/pots/SKILL.md": skill("pots")}), "shadowed") == []


def test_what_is_to_be_done_with_a_shadowed_file(project: Project) -> None:
    own = "".join(f"Rule {number} of this file alone says what nobody else says.\n" for number in range(40))
    finding = one(project({"AGENTS.md": f"{MAIN}\n{own}", "CLAUDE.md": f"# Claude\n\n{LOREM}"}), "shadowed")
    assert finding.severity == "info"
    merge = "merge both into AGENTS.md, with `@AGENTS.md` in CLAUDE.md, or delete one"
    assert finding.message.endswith(merge)
    # Two texts about the same things have hardly a line in common.
    for count, is_merged in ((3, True), (2, False)):
        parts = [f"## Part {number}\n\nSay {number}.\n\n" for number in range(count)]
        files = {"AGENTS.md": f"{MAIN}\n{own}{''.join(parts)}", "CLAUDE.md": "".join(parts).replace("Say", "Do")}
        assert one(project(files), "shadowed").message.endswith(merge) == is_merged
    hidden = {".claude/AGENTS.md": f"# Rules\n\n{LOREM}", ".claude/CLAUDE.md": "# Own\n", "CLAUDE.md": "# C\n"}
    assert one(project(hidden), "shadowed").remedy.words == "write `@AGENTS.md` into .claude/CLAUDE.md"
    # A link shadows as well, and the text that it leads to is kept.
    root = project({"AGENTS.md": MAIN, "docs/agent.md": "# For agents\n\nBe short.\n", ".claude/settings.json": "{}"})
    (root / "CLAUDE.md").symlink_to("docs/agent.md")
    told = one(root, "shadowed").message
    assert "because CLAUDE.md (a link to docs/agent.md) exists" in told
    assert "the lines `@AGENTS.md` and `@docs/agent.md`" in told


def test_those_below_are_one_finding_also_if_the_main_one_is_read(project: Project) -> None:
    root = project({"AGENTS.md": MAIN, "web/AGENTS.md": "# Web\n", "core/AGENTS.md": "# Core\n"})
    (root / "CLAUDE.md").symlink_to("AGENTS.md")
    finding = one(root, "shadowed")
    assert sorted(each.path for each in finding.places) == ["core/AGENTS.md", "web/AGENTS.md"]
    told = "Claude Code reads none of these 2 files, because CLAUDE.md (a link to AGENTS.md)"
    assert finding.message.startswith(told)
    assert finding.remedy.words == "put a CLAUDE.md beside each with the one line `@AGENTS.md`"
    (root / "core/AGENTS.md").unlink()
    assert one(root, "shadowed").remedy.words == "write web/CLAUDE.md with the one line `@AGENTS.md`"


_WEB = {"web/AGENTS.md": "# Web\n"}


@cases(
    "files",
    [
        {"CLAUDE.md": "@AGENTS.md\n"},
        {"CLAUDE.md": "See `AGENTS.md` for the rules.\n"},
        {"CLAUDE.md": "@docs/a.md\n", "docs/a.md": "Read [the rules](../AGENTS.md).\n"},
        {"CLAUDE.md": MAIN},
        {"CLAUDE.md": f"# Claude\n\n{LOREM}\nAnd be kind.\n"},
        {"CLAUDE.local.md": "Mine.\n"},
        {"CLAUDE.md": "@AGENTS.md\n", "vendor/x/AGENTS.md": "x\n", "docs/templates/AGENTS.md": "x\n"},
        {"CLAUDE.md": "@AGENTS.md\n\nIn web, read web/AGENTS.md.\n", **_WEB},
        {"CLAUDE.md": MAIN, "AGENTS.md": "Read CLAUDE.md.\n"},
        {"CLAUDE.md": "@AGENTS.md\n", "docs/ja-JP/AGENTS.md": "x\n", ".codex/AGENTS.md": "x\n"},
        {".claude/rules/a.md": "x\n"},
        {},
    ],
)
def test_nothing_is_shadowed_if_claude_code_is_led_to_it(project: Project, files: dict[str, str]) -> None:
    assert not any(each.is_problem for each in found(project({"AGENTS.md": MAIN, **files}), "shadowed"))


@cases(
    ("files", "told"),
    [
        ({".claude/CLAUDE.md": f"# Claude\n\n{LOREM}\nFor users: `AGENTS.md` at the root.\n"}, []),
        ({"CLAUDE.md": "@AGENTS.md\n\nBefore you end, scan and use nested AGENTS.md files.\n", **_WEB}, []),
        ({"CLAUDE.md": "@AGENTS.md\n\nFor plans, open `@/web/AGENTS.md`.\n", **_WEB}, []),
        # Notes of another agent, and an empty file.
        ({"CLAUDE.md": "@AGENTS.md\n", "docs/cursor_notes/AGENTS.md": "x\n", "api/AGENTS.md": "\n"}, []),
        # These words do not ask to read them.
        ({"CLAUDE.md": "@AGENTS.md\n\nEach folder has its own AGENTS.md.\n", **_WEB}, ["web/AGENTS.md"]),
    ],
)
def test_a_text_may_lead_to_files_of_all_folders(project: Project, files: dict[str, str], told: list[str]) -> None:
    assert [each.path for each in found(project({"AGENTS.md": MAIN, **files}), "shadowed")] == told


def test_twins_that_differ_a_little_are_told_once(project: Project) -> None:
    files = {"AGENTS.md": MAIN, "CLAUDE.md": f"{MAIN}\nUse the other branch.\n"}
    finding = one(project(files), "differing-twins")
    assert (finding.path, finding.subject, finding.severity) == ("CLAUDE.md", "AGENTS.md", "info")
    assert "differs from AGENTS.md beside it in 1 line only" in finding.message
    assert found(project(files), "repeated-text") == []
    read_twice = project({**files, ".cursorrules": "x\n"})
    assert one(read_twice, "differing-twins").severity == "info"
    assert found(read_twice, "paid-twice") == []
    for claude in (MAIN, "@AGENTS.md\n", f"# Mine\n\n{LOREM[:400]}", "# Other\n\nBe kind.\n"):
        assert found(project({"AGENTS.md": MAIN, "CLAUDE.md": claude}), "differing-twins") == [], claude


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        (" nx configuration start", " nx configuration end"),
        (" BEGIN:next-rules v1.2 ", " END:next-rules "),
        (" rtk-rules v2 ", " /rtk-rules "),
    ],
)
def test_what_a_tool_writes_into_both_files_is_a_note(project: Project, begin: str, end: str) -> None:
    block = f"<!--{begin}-->\n{LOREM * 2}\n<!--{end}-->\n"
    own = "".join(f"Rule {number} of Claude alone says what to do.\n" for number in range(200))
    files = {"AGENTS.md": block, "CLAUDE.md": f"# Claude\n\n{own}\n{block}", ".cursorrules": "x\n"}
    finding = one(project(files), "paid-twice")
    assert finding.severity == "info"
    assert finding.message.endswith("; a tool writes it into both")
    plain = {name: text.replace(f"<!--{end}-->", "") for name, text in files.items()}
    assert one(project(plain), "paid-twice").remedy.words
    assert found(project({"AGENTS.md": block, "CLAUDE.md": f"# C\n{block}"}), "differing-twins") == []


def test_twins_that_are_both_generated_are_a_note(project: Project) -> None:
    made = "<!-- Generated by `tool sync`; edit agent-surfaces/ -->\n"
    copies = {"AGENTS.md": made + MAIN, "CLAUDE.md": made + MAIN, ".cursorrules": "x\n"}
    files = {**copies, "CLAUDE.md": f"{made}{MAIN}\nUse the other branch.\n"}
    assert found(project(files), "differing-twins") == []
    finding = one(project(files), "paid-twice")
    assert (finding.severity, finding.message.rpartition("; ")[2]) == ("info", "a tool writes it into both")
    assert one(project({**files, "CLAUDE.md": files["CLAUDE.md"].removeprefix(made)}), "differing-twins")
    assert one(project(copies), "paid-twice").severity == "info"


@pytest.mark.parametrize(("name", "others"), [("CLAUDE.md", {}), ("AGENTS.md", {"CLAUDE.md": "@AGENTS.md\n"})])
def test_what_claude_code_warns_of_is_a_large_start(project: Project, name: str, others: dict[str, str]) -> None:
    root = project({name: "word " * 40_001, **others, ".claude/rules/a.md": "word " * 7_000})
    finding = one(root, "large-start")
    assert (finding.path, finding.agent, finding.severity) == (name, "claude-code", "info")
    assert "200,005 characters, more than 200,000" in finding.message
    assert found(root, "large-start", window=2_000_000) == []


def test_a_damaged_file_is_not_large(project: Project) -> None:
    text = "---\nalwaysApply: true\n---\n" + "wörter " * 10_000
    for data, count in ((text.encode(), 1), (f"{text}\ufffd".encode(), 1), (text.encode("latin-1"), 0)):
        assert len(found(project({".cursor/rules/a.mdc": data}), "large-start")) == count


def test_of_a_large_document_the_import_is_to_go(project: Project) -> None:
    files = {"CLAUDE.md": "# C\n\nRead @docs/all.md first.\n", "docs/all.md": "word " * 45_000}
    finding = one(project(files), "large-start")
    assert finding.path == "docs/all.md"
    assert finding.message.endswith("; drop the import `@docs/all.md` in CLAUDE.md:3, or import a shorter file")
    files = {"CLAUDE.md": "@AGENTS.md\n", "AGENTS.md": "word " * 45_000}
    assert "import" not in one(project(files), "large-start").message


def test_a_rule_that_is_as_large_is_one_for_agents_that_do_not_warn(project: Project) -> None:
    rule = "---\nalwaysApply: {}\ndescription: Words\n---\n" + "word " * 11_000
    finding = one(project({".cursor/rules/a.mdc": rule.format("true")}), "large-start")
    assert (finding.agent, finding.severity) == ("cursor", "info")
    assert finding.message.startswith("Cursor reads all of it at every start: 11,0")
    assert "Claude" not in finding.message
    assert found(project({".cursor/rules/a.mdc": rule.format("false")}), "large-start") == []


def test_the_number_of_one_agent_does_not_count_for_another(project: Project) -> None:
    """Claude Code warns from 200,000 characters; Copilot, which reads the other file, does not."""
    files = {"CLAUDE.md": "word " * 45_000, ".github/copilot-instructions.md": "else " * 9_000}
    assert [each.agent for each in found(project(files), "large-start")] == ["claude-code"]
    files[".github/copilot-instructions.md"] = "else " * 11_000
    claude, copilot = found(project(files), "large-start")
    assert "tokens, more than 10,000;" in copilot.message
    assert "GitHub Copilot" in copilot.message
    assert "225,000 characters, more than 200,000;" in claude.message


def _imports(count: int, words: int) -> dict[str, str]:
    names = [f"docs/part{number}.md" for number in range(count)]
    files = {name: f"{name} " + "word " * words for name in names[:-1]}
    files[names[-2]] += f"\n@{names[-1].removeprefix('docs/')}\n"
    lines = "".join(f"@{name}\n" for name in names[:-1])
    return {"CLAUDE.md": "@AGENTS.md\n", "AGENTS.md": f"# A\n\n{lines}", **files, names[-1]: "word " * words}


def test_many_imports_are_a_large_start_and_named_by_their_file(project: Project) -> None:
    finding = one(project(_imports(12, 1_000)), "large-start")
    assert (finding.path, finding.line, finding.agent, finding.severity) == ("AGENTS.md", 3, "claude-code", "info")
    first, second = finding.message.split(": 12,")
    assert first == "Claude Code reads 13 files at every start because of the imports that begin in CLAUDE.md"
    assert "more than 10,000; AGENTS.md imports 11 of them; import only" in second
    assert 12_000 < finding.tokens < 12_400
    assert found(project(_imports(12, 800)), "large-start") == []
    assert len(found(project(_imports(12, 800)), "large-start", large_tokens=9_000)) == 1
    # 40,000 characters are not too large.
    assert found(project({"CLAUDE.md": "word " * 8_000}), "large-start") == []


def test_a_chain_that_nearly_fills_its_limit_is_information(project: Project) -> None:
    files = {"AGENTS.md": "a" * 20_000 + "\n", "sub/AGENTS.md": "b" * 10_000 + "\n", ".git/HEAD": ""}
    finding = one(project(files), "near-limit", cwd="sub")
    assert (finding.severity, finding.agent, finding.path) == ("info", "codex", "sub/AGENTS.md")
    assert finding.message.startswith("AGENTS.md and sub/AGENTS.md have 30,002 of the 32,768 bytes")
    assert found(project(files), "near-limit") == []
    assert found(project({"AGENTS.md": "a" * 40_000}), "near-limit") == []


@cases(
    ("data", "said"),
    [
        (b"# Caf\xe9\n", "it is not UTF-8 text, see byte 5"),
        (b"# A\n\0\n", "byte 4 is NUL"),
        (b"\xff\xfe#\0 \0A\0\n\0", "it is UTF-16 text"),
        ("# Caf\u00e9 \ufffd\n".encode(), "characters were lost when it was saved"),
        ("# Caf\u00e9\n".encode(), ""),
    ],
)
def test_bytes_that_are_no_text(project: Project, data: bytes, said: str) -> None:
    root = project({".claude/commands/readme.md": data, "CLAUDE.md": "# C\n"})
    told = found(root, "not-text")
    assert [each.path for each in told] == ([".claude/commands/readme.md"] if said else [])
    assert all(said in each.message for each in told)
    assert found(root, "never-loaded") == []


def test_a_file_in_another_encoding_costs_what_reaches_the_model(project: Project) -> None:
    root = project({"AGENTS.md": "# Rules\nAlways test\n".encode("utf-16")})
    data = (root / "AGENTS.md").read_bytes()
    (context,) = (each for each in audited(root).agents if each.agent.id == "codex")
    assert context.start_tokens == get_counter().count(data.decode("utf-8", "replace"))
    assert one(root, "not-text").message.startswith("it is UTF-16 text; agents read it with marks")


def test_an_empty_file_that_keeps_another_from_being_read_is_told(project: Project) -> None:
    files = {"AGENTS.md": "# Rules\nAlways test\n", "AGENTS.override.md": " \n"}
    finding = one(project(files), "shadowed")
    assert (finding.path, finding.severity, finding.agent) == ("AGENTS.md", "warning", "codex")
    assert "AGENTS.override.md instead, which is empty" in finding.message
    assert found(project(files | {"AGENTS.override.md": "# Mine\n"}), "shadowed") == []
    names = 'project_doc_fallback_filenames = ["A.md", "B.md"]\n'
    files = {".codex/config.toml": names, "A.md": "", "B.md": "# Rules\n", ".agents/skills/s/SKILL.md": skill("s")}
    assert one(project(files), "shadowed").path == "B.md"


def test_without_a_repository_codex_reads_the_folder_where_it_starts(project: Project) -> None:
    files = {"AGENTS.md": "# Above\n", "sub/AGENTS.md": "# Below\n", ".agents/skills/s/SKILL.md": skill("s")}
    for more, paths in (
        ({}, ["sub/AGENTS.md"]),
        ({".git/HEAD": ""}, ["AGENTS.md", "sub/AGENTS.md", ".agents/skills/s/SKILL.md"]),
    ):
        (context,) = (each for each in audited(project(files | more), cwd="sub").agents if each.agent.id == "codex")
        assert [charge.path for charge in context.at("start", "listed")] == paths


def test_globs_beside_a_switch_that_always_loads_have_no_effect(project: Project) -> None:
    rule = "---\nalwaysApply: true\nglobs: {}\n---\nType it.\n"
    files = {".cursor/rules/py.mdc": rule.format("*.py"), ".cursor/rules/all.mdc": rule.format("'**/*'")}
    finding = one(project(files), "globs-ignored")
    assert (finding.path, finding.line, finding.agent) == (".cursor/rules/py.mdc", 3, "cursor")
    assert finding.message.endswith("drop `alwaysApply: true`, or the globs")
    other = files | {".cursor/rules/py.mdc": rule.format("*.py").replace("true", "false")}
    assert found(project(other), "globs-ignored") == []


_OTHERS = {"src/app/main.py": "", "docs/guide.md": "x\n", "hack/make_it.sh": "", "local/a.md": ""}
PATHS = {**_OTHERS, ".gitignore": "local/\n", "skills/one/SKILL.md": skill("one")}


def test_a_path_to_a_file_that_does_not_exist_in_a_folder_that_does(project: Project) -> None:
    command = {".claude/commands/go.md": "Run the `docs/gone.sh` to generate it.\n"}
    files = {**PATHS, **command, "AGENTS.md": "# A\n\nRun `src/make_it.sh` first.\n"}
    called, always = found(project(files), "missing-path")
    assert (always.path, always.line, always.severity) == ("AGENTS.md", 3, "info")
    assert always.message == "names `src/make_it.sh`, which does not exist; write `hack/make_it.sh`"
    assert (called.path, called.severity) == (".claude/commands/go.md", "info")


@cases(
    "line",
    [
        "Read `docs/guide.md` and `app/main.py` and `./src/app/main.py:12`.",
        *("It is in `nowhere/gone.md`.", "Read `local/gone.md`.", "Read docs/gone.md."),
        *("Write the plan to `docs/plan.md`.", "For example, `docs/gone.md`."),
        "Future versions get `docs/gone.v2.md` style filenames.",
        "Use names such as `docs/gone.md`.",
        "Read `skills/SKILL.md`, one of several.",
        "Read `docs/your-guide.md` or `docs/<name>.md` or `docs/*.md`.",
        "Read `docs/release-vX.Y.Z.md` and `src/app/useHookName.test.ts`.",
        *("If it exists, read `docs/gone.md`.", "`docs/gone.md` was removed."),
        "Both are folders. There is no\n`docs/gone.md` and no `docs/lost.md` either.",
        "Know that `docs/gone.md`\ndoes not exist.",
        "They are not here:\n\n- `docs/gone.md`\n- `docs/lost.md`",
        "Settings are in `docs/settings.json`.",
        "See `https://example.org/docs/gone.md`, `@org/docs/gone.md` and `owner/repo`.",
        "```\nRead `docs/gone.md`.\n```",
        # Folders that exist, or that are not near any.
        *("See `docs/` and `src/app/` and `app/`.", "Kept in `build/`.", "It is in `nowhere/`."),
        "There is no `skill/`.",
    ],
)
def test_paths_that_exist_or_are_only_shown_are_not_missing(project: Project, line: str) -> None:
    assert found(project({**PATHS, "AGENTS.md": f"{line}\n"}), "missing-path") == []


@cases(
    ("line", "meant"),
    [
        ("Create a file in `skill/` first.", "skills/"),
        ("Create a file in `.changes-of-ours/` first.", ".changes-of-our/"),
        ("Tools are in `src/main/`.", "src/deep/main/"),
        ("Tools are in `src/tools/`.", ""),
    ],
)
def test_a_folder_that_does_not_exist_is_a_note_with_what_is_meant(project: Project, line: str, meant: str) -> None:
    files = {**PATHS, "src/deep/main/a.py": "", ".changes-of-our/a.md": "", "AGENTS.md": f"{line}\n"}
    finding = one(project(files), "missing-path")
    assert finding.severity == "info"
    assert finding.message.endswith(f"which does not exist{f'; write `{meant}`' if meant else ''}")


_HIDDEN = "---\nsee: '`docs/gone.md`'\n---\n<!-- Read `docs/gone.md`. -->\n\n```\nRead `docs/gone.md`.\n```\n"


@cases(
    ("text", "line"),
    [
        # A denial holds for its own sentence.
        ("We have no other rules.\nRead `docs/gone.md` first.\nDo not be late.\n", 2),
        # Frontmatter, fences and comments name nothing.
        (f"{_HIDDEN}\r\nRead `docs/gone.md`.\n", 10),
    ],
)
def test_a_missing_path_has_its_line(project: Project, text: str, line: int) -> None:
    assert one(project({**PATHS, "AGENTS.md": text}), "missing-path").line == line


def test_skills_in_the_hidden_folders_of_collections_are_seen(project: Project) -> None:
    files = dict.fromkeys(("skills/.curated/pots/SKILL.md", ".ai/skill/cups/SKILL.md"), "# No frontmatter\n")
    assert {each.path for each in found(project({**files, "README.md": "x\n"}), "frontmatter-rejected")} == {*files}
    assert found(project({"skills/.curated/pots/SKILL.md": skill("pots")}), "skill-name") == []


def test_instructions_of_tests_and_examples_count(project: Project) -> None:
    files = {"CLAUDE.md": "# Ours\n\nBe short.\n", "tests/AGENTS.md": MAIN, "examples/one/AGENTS.md": MAIN}
    findings = found(project(files), "shadowed")
    told = {each.path for each in findings} | {place.path for each in findings for place in each.places}
    assert told == {"tests/AGENTS.md", "examples/one/AGENTS.md"}
    assert found(project({"CLAUDE.md": "# Ours\n", "tests/fixtures/a/AGENTS.md": MAIN}), "shadowed") == []
