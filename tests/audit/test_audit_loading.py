"""Rules about text that agents never load or cut."""

import pytest

from ctxtui.core.tokens.by_name import get_counter
from tests.audit.auditing_helpers import LOREM, found, one, skill
from tests.cases import cases
from tests.conftest import Project


def test_a_rule_with_the_wrong_ending_is_never_loaded(project: Project) -> None:
    root = project({".cursor/rules/style.md": LOREM, ".cursor/rules/api.mdc": "---\nalwaysApply: true\n---\nx\n"})
    finding = one(root, "never-loaded")
    assert (finding.path, finding.agent, finding.severity) == (".cursor/rules/style.md", "cursor", "warning")
    assert "must end in .mdc" in finding.message
    assert finding.tokens == get_counter().count(LOREM)
    assert "cursor.com" in finding.evidence
    assert "checked 2026" in finding.evidence


def test_a_file_that_a_rule_of_its_folder_names_is_a_companion(project: Project) -> None:
    rule = "---\nalwaysApply: true\n---\nSee [more](mdc:.cursor/rules/more.md).\n"
    files = {".cursor/rules/a.mdc": rule, ".cursor/rules/more.md": "x\n", "README.md": "See style.md.\n"}
    assert found(project(files), "never-loaded") == []
    lost = {f".cursor/rules/{name}.md": "See other.md.\n" for name in ("style", "other")}
    assert one(project({**files, **lost}), "never-loaded").count == 2


_NAMES = "---\nname: a\ndescription: Names things.\n---\nFollow [names](../../rules/naming.md).\n"


@cases(
    "files",
    [
        # A skill of the same agent names it.
        {".agents/skills/a/SKILL.md": _NAMES, ".agents/rules/naming.md": "# Names\n", "AGENTS.md": "# A\n"},
        # It is there for other agents.
        {"CLAUDE.md": "# C\n", "AGENTS.md": LOREM},
        {"service/CLAUDE.md": "# C\n", "service/AGENTS.md": LOREM},
        {"CLAUDE.md": "@docs/style.md\n", "docs/style.md": "# Style\n"},
        {".claude/skills/a/SKILL.md": skill(), ".claude/skills/a/more.md": "# More\n"},
        {".claude/rules/README.md": "# About these rules\n", ".cursor/rules/README.md": "# About these rules\n"},
    ],
)
def test_what_loads_at_any_moment_is_loaded(project: Project, files: dict[str, str]) -> None:
    assert found(project(files), "never-loaded") == []


@cases(
    ("text", "lost"),
    [
        ("# A\n", ["base.md", "names.md"]),
        ("- `.agents/rules/`: rules\n", ["base.md", "names.md"]),
        ("See `.agents/rules/names.md-old`.\n", ["base.md", "names.md"]),
        ("Before you name things, read `.agents/rules/names.md`.\n", ["base.md"]),
        ("Read all of `.agents/rules/*.md`.\n", []),
        # A link is another way in.
        (None, ["names.md"]),
    ],
)
def test_a_dropped_rule_that_no_text_names_never_loads(project: Project, text: str | None, lost: list[str]) -> None:
    rules = {f".agents/rules/{name}.md": f"---\nalwaysApply: true\n---\n# {name}\n" for name in ("base", "names")}
    root = project({**rules, "AGENTS.md": text} if text else rules)
    if not text:
        (root / "AGENTS.md").symlink_to(".agents/rules/base.md")
    findings = found(root, "never-loaded")
    told = [place.path for each in findings for place in each.places or [each]]
    assert [str(each).rpartition("/")[2] for each in told] == lost
    assert all(each.message.endswith(" a `trigger`, such as `always_on`") for each in findings)


def test_a_personal_file_that_turns_off_that_of_the_team_is_told(project: Project) -> None:
    finding = one(project({"AGENTS.md": LOREM, "CLAUDE.local.md": "mine\n"}), "never-loaded")
    assert (finding.path, finding.agent) == ("AGENTS.md", "claude-code")
    assert "CLAUDE.local.md" in finding.message


@pytest.mark.parametrize("is_same", [True, False])
def test_a_file_whose_text_the_agent_reads_from_another_one_is_not_lost(project: Project, is_same: bool) -> None:
    root = project({".hermes.md": LOREM if is_same else "# Mine\n", "HERMES.md": LOREM})
    assert [each.path for each in found(root, "never-loaded")] == ([] if is_same else ["HERMES.md"])
    text = skill("a") if is_same else skill("a", "Else.")
    root = project({".gemini/skills/a/SKILL.md": skill("a"), ".agents/skills/a/SKILL.md": text})
    assert len(found(root, "never-loaded")) == (0 if is_same else 1)


def test_text_beyond_the_limit_of_codex_is_cut(project: Project) -> None:
    text = "0123456789abcde\n" * 2049  # 32,784 bytes
    finding = one(project({"AGENTS.md": text}), "cut-by-limit")
    assert (finding.path, finding.line, finding.severity, finding.agent) == ("AGENTS.md", 2049, "warning", "codex")
    assert finding.tokens == get_counter().count(text[32768:])
    assert "32,768 bytes" in finding.message
    assert finding.message.endswith("shorten it, or raise `project_doc_max_bytes` in .codex/config.toml")


@cases(
    ("files", "severity"),
    [
        ({".codex/config.toml": ""}, "error"),
        ({"AGENTS.md": "For Codex.\n" + "word\n" * 10_000}, "error"),
        ({"opencode.json": "{}"}, "info"),
        ({"opencode.json": "{}", ".codex/config.toml": ""}, "error"),
    ],
)
def test_a_cut_is_an_error_for_an_agent_that_is_named(project: Project, files: dict[str, str], severity: str) -> None:
    assert one(project({"AGENTS.md": "word\n" * 10_000, **files}), "cut-by-limit").severity == severity


@cases(
    "files",
    [
        # Exactly what Codex reads.
        {"AGENTS.md": "0123456789abcde\n" * 2048},
        # Limits that are mere advice.
        {"CLAUDE.md": "- one more rule\n" * 300, ".claude/skills/helper/SKILL.md": skill(body="x\n" * 600)},
        # What cannot be read is a notice.
        {"AGENTS.md": b"\0binary", "CLAUDE.md": "# C\n"},
    ],
)
def test_what_is_within_limits_is_not_cut(project: Project, files: dict[str, str | bytes]) -> None:
    assert found(project(files), "cut-by-limit") == []


_LONG = {".claude/skills/helper/SKILL.md": skill(description="words " * 300)}


_CUT = "its description has 1,799 characters, of which fewer are listed: Claude Code 1,536"


@cases(
    ("files", "cut", "told"),
    [
        (_LONG, "warning claude-code description", f"{_CUT}; shorten it by 263 characters"),
        (
            {**_LONG, ".github/prompts/a.prompt.md": "x\n"},
            "warning None description",
            f"{_CUT} and GitHub Copilot in VS Code 1,024; shorten it by 775 characters",
        ),
        (
            {".agents/skills/long/SKILL.md": skill(name="x" * 65), "AGENTS.md": "# A\n"},
            "error codex name",
            "OpenAI Codex: its name has 65 characters, more than 64: skill dropped; shorten it by 1 character",
        ),
        (
            {".github/agents/long.agent.md": skill(body="x" * 30_001)},
            "warning copilot body",
            "its body has 30,001 characters, more than 30,000: GitHub Copilot on github.com refuses it;"
            " shorten it by 1 character",
        ),
        (
            {"skills/long/SKILL.md": skill("long", "w" * 1_100)},
            "warning agent-skills description",
            "its description has 1,100 characters, more than the 1,024 of the Agent Skills standard:"
            " GitHub Copilot CLI and Roo Code and Zoo Code drop the skill;"
            " OpenAI Codex, GitHub Copilot in VS Code, Factory Droid and Kimi Code cut it in their lists of skills;"
            " Cline calls it invalid; shorten it by 76 characters",
        ),
    ],
)
def test_what_is_too_long_is_told(project: Project, files: dict[str, str], cut: str, told: str) -> None:
    finding = one(project(files), "cut-by-limit")
    assert (f"{finding.severity} {finding.agent} {finding.subject}", finding.message) == (cut, told)
    assert finding.tokens > 0 or "listed" not in told


def test_an_import_too_deep_is_the_business_of_another_rule(project: Project) -> None:
    root = project({"CLAUDE.md": "@a1.md\n", **{f"a{n}.md": f"@a{n + 1}.md\n" for n in range(1, 6)}, "a6.md": "x\n"})
    assert found(root, "never-loaded") == []
    assert [each.path for each in found(root, "broken-import")] == ["a5.md"]


def test_the_worst_folder_is_a_note_if_it_passes_the_limit(project: Project) -> None:
    files = {"AGENTS.md": "x" * 15_999 + "\n", "a/b/AGENTS.md": "0123456789abcde\n" * 1200, "a/c/AGENTS.md": "x\n"}
    finding = one(project({**files, ".git/HEAD": ""}), "cut-by-limit")
    assert (finding.severity, finding.path, finding.line) == ("info", "a/b/AGENTS.md", 1049)
    assert finding.message.startswith(
        "started in a/b/, OpenAI Codex reads 35,200 bytes of AGENTS.md files and drops what is over 32,768:"
        " the last 2,432 bytes of a/b/AGENTS.md; shorten them by 2,432 bytes, or raise `project_doc_max_bytes`"
    )
    assert finding.tokens == get_counter().count("0123456789abcde\n" * 152)
    files = {"AGENTS.md": "x" * 30_000, "a/AGENTS.md": "y" * 5_000, "a/b/AGENTS.md": "z" * 1_000, ".git/HEAD": ""}
    told = one(project(files), "cut-by-limit").message
    assert "the last 2,232 bytes of a/AGENTS.md and all of a/b/AGENTS.md" in told


def test_what_is_over_the_limit_is_told_and_counted_once(project: Project) -> None:
    root = project({"AGENTS.md": "x" * 40_000, "a/AGENTS.md": "y\n"})
    assert [each.path for each in found(root, "cut-by-limit")] == ["AGENTS.md"]
    root = project({"AGENTS.md": "x\n", "a/AGENTS.md": "y" * 40_000})
    assert [each.subject for each in found(root, "cut-by-limit", cwd="a")] == ["chain"]
    root = project({"docs/AGENTS.md": "x\n" * 10_000, ".codex/config.toml": "", ".git/HEAD": ""})
    (root / "AGENTS.md").symlink_to("docs/AGENTS.md")
    assert found(root, "cut-by-limit") == []
    (root / "docs/more").mkdir()
    (root / "docs/more/AGENTS.md").write_text("y\n" * 8_000)
    assert "reads 36,000 bytes" in one(root, "cut-by-limit").message
