"""The rule about text of skills that is replaced when they are called."""

import pytest

from tests.audit.auditing_helpers import found, one, skill
from tests.cases import cases
from tests.conftest import Project

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


def test_the_first_word_is_nearly_always_there(project: Project) -> None:
    finding = one(project({PLACE: skill(body="Copy `$1` to `$0`.\n")}), "replaced-text")
    assert finding.severity == "warning"
    assert "`$0` becomes the first word after `/helper`; write" in finding.message


def test_skills_of_a_plugin_have_one_cause(project: Project) -> None:
    files = {f"skills/{name}/SKILL.md": skill(name, body="Run `cut -f $2`.\n") for name in ("one", "two")}
    finding = one(project({".claude-plugin/plugin.json": '{"name": "p"}', **files}), "replaced-text")
    assert (finding.count, finding.agent) == (2, "claude-plugins")
    assert "in 2 skills" in finding.message


@cases(
    "body",
    [
        "awk '{print \\$1}', ${1}, $10, $1st, $x, US$ 1 and $HOME\n",
        "Copy $0 to $1; all of it is $ARGUMENTS.\n",
        "Read the file.\n",
        "It costs $2 per call, or $1.2M a year.\n",
        "```yaml\nprice: $1.50\n```\n",
    ],
)
def test_what_is_not_replaced_or_meant_is_left_alone(project: Project, body: str) -> None:
    assert found(project({PLACE: skill(body=body)}), "replaced-text") == []


@pytest.mark.parametrize("key", ["argument-hint: from to", "arguments: [from, to]"])
def test_a_skill_that_asks_for_arguments_means_them(project: Project, key: str) -> None:
    text = skill(body="Copy $0 to $1.\n").replace("---\n", f"---\n{key}\n", 1)
    assert found(project({PLACE: text}), "replaced-text") == []


def test_only_skills_of_claude_code_are_concerned(project: Project) -> None:
    files = {
        ".cursor/skills/helper/SKILL.md": skill(body=AWK),
        ".claude/commands/copy.md": AWK,
        ".claude/skills/helper/reference.md": AWK,
        ".claude/skills/helper/SKILL.md": skill(description="Costs $1."),
        "CLAUDE.md": AWK,
    }
    assert found(project(files), "replaced-text") == []
