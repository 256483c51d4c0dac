"""The actions on a row of the Audit screen: mend it, go to its place, copy it, ignore it."""

from __future__ import annotations

from typing import NamedTuple

from ctxtui.audit.fixes import commands
from ctxtui.audit.reports.report import Report
from ctxtui.audit.slim.change import Change
from ctxtui.audit.types import Finding
from ctxtui.tui.audit.row import AuditRow
from ctxtui.tui.audit.writing import Writing, ignoring, making, mending


class Action(NamedTuple):
    """An action in words: a change after a diff and a yes, a text to copy, or an action of the screen to run."""

    about: str
    write: Writing | None = None
    copy: str = ""
    run: str = ""


def actions_on(row: AuditRow, report: Report, saving: Change | None) -> dict[str, Action]:
    """The actions by name, most useful first. `saving` is the change of the plan that mends the finding."""
    found: dict[str, Action] = {}
    change, finding = row.change or saving, row.finding
    if change is not None:
        found["save"] = Action(f"{change.title}: saves {change.tokens:,} tokens", making(change))
    if finding is not None:
        found |= _mends(finding, report)
    if row.path and not row.path.startswith("id:"):
        place = f"{row.path}:{row.line}" if row.line else row.path
        found["edit"] = Action(f"open {place} in your editor", run="editor")
        found["go"] = Action("go to the file in the tree", run="go")
    if finding is not None:
        found["copy"] = Action("copy the finding, as a task for an agent", copy=report.adviser.as_task(finding))
    if finding is not None and finding not in report.problems:
        found["ignore"] = Action("ignore it for a reason, in the configuration", ignoring(finding, report.findings))
    return found


def _mends(finding: Finding, report: Report) -> dict[str, Action]:
    steps = finding.remedy.steps
    if not steps:
        return {}
    found = {"fix": Action(finding.remedy.words, mending(steps))}
    fixes = [each.fix for each in report.findings if each.fix is not None and each.rule == finding.rule]
    if finding.rule == "token-drift" and len(fixes) > 1:
        found["fix all"] = Action(f"correct all {len(fixes):,} numbers", mending(fixes))
    if told := commands(steps):
        found["command"] = Action(f"copy {told[0]}", copy="\n".join(told) + "\n")
    return found
