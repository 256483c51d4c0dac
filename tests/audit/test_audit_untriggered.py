"""Rules that nothing triggers, and files whose names are nearly right."""

from tests.audit.auditing_helpers import found, one, skill
from tests.cases import cases
from tests.conftest import Project


@cases(
    ("path", "text", "severity"),
    [
        (".cursor/rules/a.mdc", "Be short.\n", "warning"),
        (".cursor/rules/a.mdc", "---\ndescription:\nglobs:\nalwaysApply: false\n---\nBe short.\n", "info"),
        (".github/instructions/a.instructions.md", "Be short.\n", "info"),
    ],
)
def test_a_rule_without_a_trigger_is_reported(project: Project, path: str, text: str, severity: str) -> None:
    finding = one(project({path: text}), "untriggered")
    assert (finding.path, finding.severity) == (path, severity)


@cases(
    "files",
    [
        {".cursor/rules/a.mdc": "---\nalwaysApply: true\n---\nBe short.\n"},
        {".cursor/rules/a.mdc": "---\ndescription: On tests.\n---\nBe short.\n"},
        {".cursor/rules/a.mdc": "---\nglobs: '*.py'\n---\nBe short.\n"},
        {".cursor/rules/long-name.mdc": "Be short.\n", "AGENTS.md": "For tests, read long-name.mdc.\n"},
        {".github/instructions/a.instructions.md": "---\napplyTo: '**'\n---\nBe short.\n"},
        {"tests/.cursor/rules/a.mdc": "Be short.\n"},
    ],
)
def test_a_rule_with_a_trigger_or_that_a_text_names_is_not(project: Project, files: dict[str, str]) -> None:
    assert found(project(files), "untriggered") == []


@cases(
    ("path", "remedy"),
    [
        ("AGENT.md", "rename it to AGENTS.md"),
        ("agents.md", "rename it to AGENTS.md"),
        ("claude.md", "rename it to CLAUDE.md"),
        (".github/copilot-instruction.md", "rename it to copilot-instructions.md"),
        (".claude/skills/helper/skill.md", "rename it to SKILL.md"),
        (".claude/skills/group/helper/SKILL.md", "move it to .claude/skills/helper/"),
        (".claude/skills/SKILL.md", "move it to .claude/skills/NAME/"),
    ],
)
def test_a_name_or_folder_that_is_nearly_right_is_reported(project: Project, path: str, remedy: str) -> None:
    finding = one(
        project({".claude/settings.json": "{}", ".claude/rules/a.md": "Be short.\n", path: skill()}), "wrong-place"
    )
    assert (finding.path, finding.message.rpartition("; ")[2]) == (path, remedy)


@cases(
    "path",
    [
        "docs/agents.md",
        "docs/claude.md",
        ".claude/skills/helper/SKILL.md",
        ".claude/skills/helper/parts/one/SKILL.md",
    ],
)
def test_such_names_elsewhere_and_skills_within_a_skill_are_not(project: Project, path: str) -> None:
    files = {"CLAUDE.md": "Be short.\n", ".claude/skills/helper/SKILL.md": skill(), path: skill()}
    assert found(project(files), "wrong-place") == []
