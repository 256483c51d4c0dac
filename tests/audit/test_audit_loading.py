"""Rules about text that agents never load or cut."""

from pathlib import Path

import pytest

from ctxtui.core.tokens.by_name import get_counter
from tests.audit.auditing_helpers import LOREM, found, one, skill
from tests.conftest import Project


def test_a_rule_with_the_wrong_ending_is_never_loaded(project: Project) -> None:
    root = project({".cursor/rules/style.md": LOREM, ".cursor/rules/api.mdc": "---\nalwaysApply: true\n---\nx\n"})
    finding = one(root, "never-loaded")
    assert (finding.path, finding.agent, finding.severity) == (".cursor/rules/style.md", "cursor", "warning")
    assert "must end in .mdc" in finding.message
    assert finding.tokens == get_counter().count(LOREM)
    assert "cursor.com" in finding.evidence
    assert "checked 2026" in finding.evidence


def test_a_rule_that_one_agent_drops_and_no_other_loads_is_never_loaded(project: Project) -> None:
    root = project({".agents/rules/base.md": "---\nalwaysApply: true\n---\n# Base\n"})
    assert "trigger" in one(root, "never-loaded").message


def test_a_link_gives_a_dropped_rule_another_way_in(project: Project) -> None:
    root = project({".agents/rules/base.md": "---\nalwaysApply: true\n---\n# Base\n"})
    (root / "AGENTS.md").symlink_to(".agents/rules/base.md")
    assert found(root, "never-loaded") == []


@pytest.mark.parametrize("folder", ["", "service/"])
def test_an_agents_md_beside_a_claude_md_is_there_for_other_agents(project: Project, folder: str) -> None:
    assert found(project({f"{folder}CLAUDE.md": "# C\n", f"{folder}AGENTS.md": LOREM}), "never-loaded") == []


def test_a_personal_file_that_turns_off_that_of_the_team_is_told(project: Project) -> None:
    root = project({"AGENTS.md": LOREM, "CLAUDE.local.md": "mine\n"})
    finding = one(root, "never-loaded")
    assert (finding.path, finding.agent) == ("AGENTS.md", "claude-code")
    assert "CLAUDE.local.md" in finding.message


def test_what_loads_at_any_moment_is_loaded(project: Project) -> None:
    root = project(
        {
            "CLAUDE.md": "@docs/style.md\n",
            "docs/style.md": "# Style\n",
            ".claude/skills/a/SKILL.md": skill(),
            ".claude/skills/a/more.md": "# More\n",
            ".claude/rules/README.md": "# About these rules\n",
            ".cursor/rules/README.md": "# About these rules\n",
        }
    )
    assert found(root, "never-loaded") == []


def test_text_beyond_the_limit_of_codex_is_cut(project: Project) -> None:
    text = "0123456789abcde\n" * 2049  # 32,784 bytes
    finding = one(project({"AGENTS.md": text}), "cut-by-limit")
    assert (finding.path, finding.line, finding.severity, finding.agent) == ("AGENTS.md", 2049, "warning", "codex")
    assert finding.tokens == get_counter().count(text[32768:])
    assert "32,768 bytes" in finding.message


@pytest.mark.parametrize(
    ("files", "severity"),
    [
        ({".codex/config.toml": ""}, "error"),
        ({"AGENTS.md": "For Codex.\n" + "word\n" * 10_000}, "error"),
        ({"opencode.json": "{}"}, "info"),
        ({"opencode.json": "{}", ".codex/config.toml": ""}, "error"),
    ],
)
def test_a_cut_is_an_error_only_if_the_project_names_the_agent(
    project: Project, files: dict[str, str], severity: str
) -> None:
    assert one(project({"AGENTS.md": "word\n" * 10_000, **files}), "cut-by-limit").severity == severity


def test_text_up_to_the_limit_of_codex_is_not_cut(project: Project) -> None:
    assert found(project({"AGENTS.md": "0123456789abcde\n" * 2048}), "cut-by-limit") == []


def test_a_description_is_cut_in_the_listing(project: Project) -> None:
    root = project({".claude/skills/helper/SKILL.md": skill(description="words " * 300)})
    finding = next(each for each in found(root, "cut-by-limit") if each.agent == "claude-code")
    assert finding.severity == "warning"
    assert "1,799 characters, of which fewer are listed: Claude Code 1,536" in finding.message
    assert finding.tokens > 0


def test_a_skill_that_codex_drops_for_its_name_is_told(project: Project) -> None:
    root = project({".agents/skills/long/SKILL.md": skill(name="x" * 65), "AGENTS.md": "# A\n"})
    finding = one(root, "cut-by-limit")
    assert (finding.severity, finding.agent, finding.subject) == ("error", "codex", "name")
    assert "its name has 65 characters, more than 64: skill dropped" in finding.message


def test_limits_that_are_mere_advice_are_not_told(project: Project) -> None:
    root = project(
        {"CLAUDE.md": "- one more rule\n" * 300, ".claude/skills/helper/SKILL.md": skill(body="x\n" * 600)}
    )
    assert found(root, "cut-by-limit") == []


def test_an_import_too_deep_is_the_business_of_another_rule(project: Project) -> None:
    files = {"CLAUDE.md": "@a1.md\n", **{f"a{n}.md": f"@a{n + 1}.md\n" for n in range(1, 6)}, "a6.md": "end\n"}
    root = project(files)
    assert found(root, "never-loaded") == []
    assert [each.path for each in found(root, "broken-import")] == ["a5.md"]


def test_a_file_that_cannot_be_read_is_a_notice_and_no_crash(project: Project) -> None:
    root: Path = project({"AGENTS.md": b"\0binary", "CLAUDE.md": "# C\n"})
    assert found(root, "cut-by-limit") == []


def test_a_description_too_long_for_several_agents_is_one_finding(project: Project) -> None:
    text = skill(description="words " * 300)
    root = project({".claude/skills/helper/SKILL.md": text, ".github/copilot-instructions.md": "x\n"})
    finding = one(root, "cut-by-limit")
    assert finding.message.endswith("are listed: Claude Code 1,536 and GitHub Copilot in VS Code 1,024; shorten it")


def test_a_cut_names_its_remedy(project: Project) -> None:
    finding = one(project({"AGENTS.md": "line\n" * 10_000}), "cut-by-limit")
    assert finding.message.endswith("shorten it, or raise `project_doc_max_bytes` in .codex/config.toml")
