"""Skills by name: which of equals wins, whose name is not its folder's, and what of a description is listed."""

import pytest

from ctxtui.agents import AgentContext
from tests.agents.conftest import Contexts, front, moments_of, skill, when
from tests.cases import cases


def winners(context: AgentContext) -> list[str]:
    return [charge.path.split("/skill")[0] for charge in context.charges if charge.start_tokens]


PLACES = ".agents .claude .cline .clinerules .github .gemini .opencode .roo .cursor .codex".split()
SAME = {f"{place}/skills/s/SKILL.md": skill("s") for place in PLACES}


@cases(
    ("agent", "expected"),
    [
        ("cline", [".agents"]),
        ("copilot", [".github"]),
        ("copilot-cli", [".github"]),
        ("gemini-cli", [".agents"]),
        ("opencode", [".opencode"]),
        ("roo", [".roo"]),
        ("claude-code", [".claude"]),
        ("codex", [".agents", ".codex"]),
        ("cursor", [".cursor", ".agents", ".claude", ".codex"]),
    ],
)
def test_which_of_equal_names_is_listed(contexts: Contexts, agent: str, expected: list[str]) -> None:
    context = contexts(SAME | {".github/copilot-instructions.md": ""})[agent]
    assert winners(context) == expected
    assert all("has the same name" in charge.reason for charge in context.at("never"))


def test_a_command_is_no_skill_where_one_has_its_name(contexts: Contexts) -> None:
    commands = {f".claude/commands/{name}.md": "Do it.\n" for name in ("s", "t")}
    files = {".github/copilot-instructions.md": "", ".github/skills/s/SKILL.md": skill("s")}
    context = contexts(files | commands)["copilot-cli"]
    assert [charge.path for charge in context.at("listed")] == [".github/skills/s/SKILL.md", ".claude/commands/t.md"]


@cases(
    ("agent", "listed"),
    [("cline", None), ("cline-cli", " other,"), ("roo", None), ("copilot", "folder: d"), ("cursor", "other: d")],
)
def test_a_name_that_is_not_the_folder(contexts: Contexts, agent: str, listed: str | None) -> None:
    files = {f"{place}/skills/folder/SKILL.md": skill("other") for place in PLACES}
    context = contexts(files)[agent]
    entries = {charge.entry.text for charge in context.charges if charge.entry and charge.start_tokens}
    assert entries == ({listed} if listed else set())
    if not listed:
        assert all("is not that of its folder, folder" in charge.reason for charge in context.at("never"))


@cases("agent", ["cline", "roo", "opencode", "continue"])
@cases("lines", [("name: s",), ("description: d",), ("name: s", "description: d", "- x")])
def test_skills_that_lack_something_are_not_listed(contexts: Contexts, agent: str, lines: tuple[str, ...]) -> None:
    if agent == "continue" and len(lines) == 3:
        pytest.skip("Continue reads what is no YAML line by line")
    files = {f".{place}/skills/s/SKILL.md": front(*lines) for place in ("cline", "roo", "opencode", "continue")}
    assert contexts(files)[agent].start_tokens == 0


def test_vscode_cuts_a_description(contexts: Contexts) -> None:
    context = contexts({".github/skills/s/SKILL.md": skill("s", "d" * 1_030)})["copilot"]
    assert (context.start_tokens, context.lost_tokens) == (len("s: ") + 1_024, 6)


def test_skills_of_a_mode_are_listed_in_it_only(contexts: Contexts) -> None:
    files = {
        ".roo/skills-code/a/SKILL.md": skill("a"),
        ".roo/skills/b/SKILL.md": skill("b", "d", "modeSlugs: [code]"),
        ".roo/skills/c/SKILL.md": skill("c"),
    }
    a, b, c = files
    assert moments_of(contexts(files)["roo"]) == when(manual=f"{a} {b}", listed=c)


def test_a_rule_of_new_versions_only_says_so(contexts: Contexts) -> None:
    (charge,) = contexts({"AGENTS.md": "x", ".claude/settings.json": ""})["claude-code"].charges
    assert (charge.row.since, charge.reason) == ("2.1.277", "read in full at the start, since version 2.1.277")
