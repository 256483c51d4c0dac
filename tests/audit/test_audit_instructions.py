"""The number of instructions in the starts of agents."""

from __future__ import annotations

import pytest

from ctxtui.audit.apply_rules import audit
from ctxtui.audit.reports.as_json import report_json
from ctxtui.audit.reports.as_markdown import to_markdown
from ctxtui.audit.text.instructions import instructions
from ctxtui.cli.audits.audit_table import audit_table
from tests.audit.reporting_helpers import opened
from tests.cases import cases
from tests.conftest import Project


@cases(
    "asks",
    [
        "Run the tests.",
        "- [ ] **Always** use `uv`",
        "1. Tests must pass.",
        "- **Testing**: run `pytest -q` first",
        "Before a commit, format the code.",
        "| API | Never change a public name |",
        "Handlers live in `api/`; do not add any elsewhere.",
        "Please be brief.",
        "Test every branch of it.",
    ],
)
def test_what_asks_for_something_counts(asks: str) -> None:
    assert instructions(f"# Rules\n\n{asks}\n") == 1


@cases(
    "tells",
    [
        "The server runs on port 8000.",
        "Test files live in `tests/`.",
        "- `make lint`: check the style",
        "## Run the tests",
        "```sh\nrun the tests\n```",
        "<!-- Never count this. -->",
        "Should it be slow?",
    ],
)
def test_what_only_tells_something_does_not_count(tells: str) -> None:
    assert instructions(f"---\nname: Use it\n---\n\n{tells}\n") == 0


def test_sentences_count_one_by_one_and_lines_of_one_sentence_together() -> None:
    text = "Use the log. Never print,\nand never swallow errors.\n- Keep it\n  short.\n- Ask if in doubt.\n"
    assert instructions(text) == 4


@pytest.mark.parametrize("text", ["Bitte die Tests nicht ändern und immer den Linter starten.", "请始终运行测试。"])
def test_other_languages_are_not_counted(text: str) -> None:
    assert instructions(text) is None


def test_starts_say_how_much_they_ask_for_and_where(project: Project) -> None:
    root = project(
        {
            "CLAUDE.md": "Use uv.\n\n@AGENTS.md\n@fremd.md\n",
            "AGENTS.md": "Be brief. Never guess.\n",
            "fremd.md": "Die Tests sind nicht in dieser Liste, und das ist gut.\n",
            ".claude/skills/ship/SKILL.md": "---\nname: ship\ndescription: Always ship.\n---\nNever wait.\n",
        }
    )
    found = opened(root)
    report = found.report(result=audit(found.workspace))
    table = audit_table(report, every=True)
    assert "3 instructions, 1 file not in English" in table
    assert "  claude-code: instructions in AGENTS.md 2, CLAUDE.md 1" in table.splitlines()
    (claude,) = [each for each in report_json(report)["agents"] if each["id"] == "claude-code"]
    assert claude["instructions"] == {
        "count": 3,
        "files": [
            {"path": "AGENTS.md", "instructions": 2},
            {"path": "CLAUDE.md", "instructions": 1},
            {"path": "fremd.md", "instructions": None},
        ],
    }
    assert "| 3, 1 file not in English |" in to_markdown(report)
