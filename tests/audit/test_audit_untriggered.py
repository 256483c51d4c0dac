"""Rules that nothing triggers, names that are nearly right, roles of paths, and text of skills that is replaced."""

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.audit.apply_rules import merge_causes
from ctxtui.audit.roles import language_of
from ctxtui.audit.types import Edit, Finding
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


def test_a_list_of_globs_is_written_as_one_text(project: Project) -> None:
    path = ".github/instructions/a.instructions.md"
    text = "---\napplyTo:\n  - '**/*.py'\n  - setup.cfg\n---\n\nBe short.\n"
    finding = one(project({path: text, ".github/copilot-instructions.md": "Be kind.\n", "a.py": ""}), "untriggered")
    assert finding.fact.endswith("reads it only if somebody names it: its applyTo is a list, which it ignores")
    assert finding.remedy.words == 'write `applyTo: "**/*.py,setup.cfg"`'
    (edit,) = finding.remedy.steps
    assert isinstance(edit, Edit)
    fixed = f"{text[: edit.start]}{edit.text}{text[edit.end :]}"
    assert fixed == '---\napplyTo: "**/*.py,setup.cfg"\n---\n\nBe short.\n'


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
    finding = one(project({".claude/settings.json": "{}", ".claude/rules/a.md": "x\n", path: skill()}), "wrong-place")
    assert (finding.path, finding.message.rpartition("; ")[2]) == (path, remedy)
    told, name = remedy.rpartition(" ")[2], path.rpartition("/")[2]
    assert finding.message.startswith("on a disk that tells case,") is (told.lower() == name.lower() and told != name)


def test_a_nearly_right_name_that_something_uses_is_a_note(project: Project) -> None:
    files = {"AGENT.md": "# Learned\n", ".claude/rules/a.md": "Be short.\n"}
    assert one(project(files), "wrong-place").severity == "warning"
    assert one(project({**files, "PROMPT.md": "Read @AGENT.md.\n"}), "wrong-place").severity == "info"


@cases("path", ["docs/agents.md", "docs/claude.md", "helper/SKILL.md", "helper/parts/one/SKILL.md"])
def test_such_names_elsewhere_and_skills_within_a_skill_are_not(project: Project, path: str) -> None:
    path = f".claude/skills/{path}" if path.startswith("helper") else path
    files = {"CLAUDE.md": "Be short.\n", ".claude/skills/helper/SKILL.md": skill(), path: skill()}
    assert found(project(files), "wrong-place") == []


PLACE = ".claude/skills/helper/SKILL.md"
AWK = "Sizes:\n\n```sh\ndu | awk '{print $1, $2}'\n```\n"


def test_code_in_which_arguments_would_be_put_is_told_once(project: Project) -> None:
    finding = one(project({PLACE: skill(body=AWK)}), "replaced-text")
    assert (finding.path, finding.line, finding.agent) == (PLACE, 8, "claude-code")
    assert finding.message.startswith("Claude Code replaces `$1` and 1 more with words of the arguments")
    assert "`$1` becomes the second word after `/helper` if there are at least two" in finding.message
    # What the call has no word for stays.
    assert finding.severity == "info"
    assert finding.evidence.startswith("https://code.claude.com/docs/en/skills")
    first = one(project({PLACE: skill(body="Copy `$1` to `$0`.\n")}), "replaced-text")
    assert (first.severity, "`$0` becomes the first word after `/helper`; write" in first.message) == ("info", True)


def test_skills_of_a_plugin_have_one_cause(project: Project) -> None:
    files = {f"skills/{name}/SKILL.md": skill(name, body="Run `cut -f $2`.\n") for name in ("one", "two")}
    finding = one(project({".claude-plugin/plugin.json": '{"name": "p"}', **files}), "replaced-text")
    assert (finding.count, finding.agent) == (2, "claude-plugins")
    assert "in 2 skills" in finding.message


@cases(
    "text",
    [
        skill(body="awk '{print \\$1}', ${1}, $10, $1st, $x, US$ 1 and $HOME\n"),
        skill(body="Copy $0 to $1; all of it is $ARGUMENTS.\n"),
        skill(body="Read the file.\n"),
        skill(body="It costs $2 per call, or $1.2M a year.\n"),
        skill(body="```yaml\nprice: $1.50\n```\n"),
        # It asks for arguments.
        skill(body="Copy $0 to $1.\n").replace("---\n", "---\nargument-hint: from to\n", 1),
        skill(body="Copy $0 to $1.\n").replace("---\n", "---\narguments: [from, to]\n", 1),
    ],
)
def test_what_is_not_replaced_or_meant_is_left_alone(project: Project, text: str) -> None:
    assert found(project({PLACE: text}), "replaced-text") == []


def test_only_skills_of_claude_code_are_concerned(project: Project) -> None:
    others = (".claude/commands/copy.md", ".claude/skills/helper/reference.md", "CLAUDE.md")
    files = {".cursor/skills/helper/SKILL.md": skill(body=AWK), **dict.fromkeys(others, AWK)}
    assert found(project({**files, PLACE: skill(description="Costs $1.")}), "replaced-text") == []


@cases(
    ("path", "language"),
    [
        *(
            ("docs/zh-CN/skills/a/SKILL.md", "zh-CN"),
            ("README.zh-CN.md", "zh-CN"),
            ("docs/zh-Hans/guide.md", "zh-Hans"),
        ),
        *(("i18n/pt_BR/AGENTS.md", "pt_BR"), ("docs/ja/guide.md", "ja"), ("docs/README_ja.md", "ja")),
        *((f"{folder}AGENTS.md", "") for folder in ("src/ui/", "go/", "docs/api/", "my-app/", "")),
    ],
)
def test_translations_are_known_by_their_folder_or_name(path: str, language: str) -> None:
    assert language_of(path) == language


_CAUSES = st.sampled_from(["", "one", "two"])
_PLACES = st.tuples(_CAUSES, st.sampled_from("abc"), st.integers(1, 9), st.integers(0, 99))


@given(st.lists(_PLACES, max_size=12, unique=True))
def test_findings_of_one_cause_are_told_once_and_lose_no_place(found: list[tuple[str, str, int, int]]) -> None:
    findings = [
        Finding(
            "broken-link", "warning", "m", path=path, line=line, tokens=tokens, cause=cause, many="{count} of them"
        )
        for cause, path, line, tokens in found
    ]
    told = merge_causes(findings)
    assert sum(each.tokens for each in told) == sum(each.tokens for each in findings)
    assert sum(each.count for each in told) == len(set(findings))
    assert len({each.key for each in told if each.cause}) == len([each for each in told if each.cause])
    assert all(each.message == f"{each.count} of them" for each in told if each.count > 1)
