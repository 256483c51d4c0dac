"""Text that one agent pays for twice, and text that it knows to be one. A token is a character here."""

from ctxtui.agents import Repeat
from tests.agents.conftest import Contexts, moments_of, skill, when
from tests.cases import cases

TEXT = "# The same rules\n"


def linked(path: str) -> str:
    return {"CLAUDE.md": "AGENTS.md", "GEMINI.md": "AGENTS.md"}.get(path, path)


def test_cursor_pays_twice_for_a_link(contexts: Contexts) -> None:
    context = contexts({"AGENTS.md": TEXT, "CLAUDE.md": TEXT, ".cursorrules": "other"}, real=linked)["cursor"]
    assert context.repeats == (Repeat(("AGENTS.md", "CLAUDE.md"), "links to one file", len(TEXT)),)
    assert (context.start_tokens, context.repeated_tokens) == (2 * len(TEXT) + 5, len(TEXT))


def test_copilot_cli_sends_one_text_once_whether_link_or_copy(contexts: Contexts) -> None:
    files = dict.fromkeys(["AGENTS.md", "CLAUDE.md", "GEMINI.md"], TEXT) | {".github/copilot-instructions.md": "x"}
    for real in (linked, str):
        context = contexts(files, real=real)["copilot-cli"]
        assert (context.start_tokens, context.repeats) == (len(TEXT) + 1, ()), real
        assert "the same" in next(context.at("never")).reason


def test_droid_reads_a_link_once_and_only_to_a_file_of_its_names(contexts: Contexts) -> None:
    files = {"AGENTS.md": TEXT, "CLAUDE.md": TEXT, ".factory/x": ""}
    assert contexts(files, real=linked)["factory-droid"].start_tokens == len(TEXT.strip())
    assert contexts(files)["factory-droid"].start_tokens == 2 * len(TEXT.strip())
    elsewhere = contexts(files, real=lambda path: ".agents/rules/base.md")["factory-droid"]
    assert elsewhere.start_tokens == 0
    assert "another name" in next(elsewhere.at("never")).reason


def test_vscode_sends_a_link_once_and_a_copy_again(contexts: Contexts) -> None:
    files = {"AGENTS.md": TEXT, "CLAUDE.md": TEXT, ".github/copilot-instructions.md": "x"}
    assert contexts(files, real=linked)["copilot"].start_tokens == len(TEXT) + 1
    (repeat,) = contexts(files)["copilot"].repeats
    assert (repeat.why, repeat.tokens) == ("identical text", len(TEXT))


@cases("agent", ["cursor", "claude-code"])
def test_copies_are_paid_for_by_everybody(contexts: Contexts, agent: str) -> None:
    files = {"AGENTS.md": TEXT, "CLAUDE.md": TEXT, "CLAUDE.local.md": TEXT, ".cursorrules": "x"}
    (repeat,) = contexts(files)[agent].repeats
    assert (repeat.why, repeat.tokens) == ("identical text", len(TEXT))


def test_cursor_lists_skills_in_folders_that_are_links_once(contexts: Contexts) -> None:
    text = skill("a", "Helps.")
    files = {".agents/skills/a/SKILL.md": text, ".claude/skills/a/SKILL.md": text, ".cursorrules": "x"}
    apart = contexts(files)["cursor"]
    linked = contexts(files, real=lambda path: path.replace(".claude/", ".agents/"))["cursor"]
    assert (len(apart.repeats), linked.repeats) == (1, ())
    assert apart.start_tokens - linked.start_tokens == len("a: Helps.")


def test_what_enters_is_compared_not_what_is_written_or_how_long_it_is(contexts: Contexts) -> None:
    files = {"AGENTS.md": "ab", "CLAUDE.md": "ba", ".cursorrules": "x", ".clinerules": ""}
    assert contexts(files)["cursor"].repeats == ()
    files = {"CLAUDE.md": "<!-- a -->\n" + TEXT, "CLAUDE.local.md": TEXT}
    assert [repeat.tokens for repeat in contexts(files)["claude-code"].repeats] == [len(TEXT)]


def test_claude_reads_a_link_once(contexts: Contexts) -> None:
    files = {"CLAUDE.md": TEXT, "CLAUDE.local.md": TEXT, "a/CLAUDE.md": TEXT}
    links = {"CLAUDE.local.md": "CLAUDE.md", "a/CLAUDE.md": "CLAUDE.md"}
    context = contexts(files, real=lambda path: links.get(path, path))["claude-code"]
    assert (context.start_tokens, context.repeats) == (len(TEXT), ())
    assert moments_of(context) == when(start="CLAUDE.md", never="CLAUDE.local.md a/CLAUDE.md")
    assert "the same file as CLAUDE.md" in next(context.at("never")).reason


def test_links_that_only_a_touch_brings_are_all_kept(contexts: Contexts) -> None:
    files = {"CLAUDE.md": "x", "a/CLAUDE.md": TEXT, "b/CLAUDE.md": TEXT}
    context = contexts(files, real=lambda path: path.replace("b/", "a/"))["claude-code"]
    assert [charge.path for charge in context.at("touch")] == ["a/CLAUDE.md", "b/CLAUDE.md"]


def test_codex_and_cursor_know_linked_skills(contexts: Contexts) -> None:
    files = {".agents/skills/a/SKILL.md": skill("a"), ".codex/skills/a/SKILL.md": skill("a"), ".cursorrules": "x"}
    found = contexts(files, real=lambda path: path.replace(".codex", ".agents"))
    assert [charge.moment for charge in found["codex"].charges] == ["listed", "never"]
    assert [charge.moment for charge in found["cursor"].charges if charge.row.kind == "skill"] == ["listed", "never"]


def test_an_agents_md_that_claude_md_imports_is_paid_for_once(contexts: Contexts) -> None:
    found = contexts({"CLAUDE.md": "@AGENTS.md", "AGENTS.md": TEXT, ".cursorrules": "x"})
    assert found["claude-code"].start_tokens == len("@AGENTS.md") + len(TEXT)
    assert found["claude-code"].repeats == ()
