"""The plan of changes that save start tokens, as rows of the Audit screen."""

from __future__ import annotations

from collections.abc import Iterator

from ctxtui.audit.slim.change import Change, Plan
from ctxtui.tui import shown
from ctxtui.tui.audit.row import AuditRow, item


def plan_rows(plan: Plan) -> Iterator[AuditRow]:
    """The changes, largest saving first, then manual work."""
    for change in plan.changes:
        right = ((f"{change.tokens:>8,}" if change.tokens else " " * 8, "good"),)
        left = (f"{change.kind:<9} ", "accent"), (shown.line(change.title), "")
        detail = f"saves {saved_words(change)}\n{change.lost}\nenter shows the diff, and asks before it is written"
        yield AuditRow(left, right, change.path, detail=detail, tokens=change.tokens, change=change)
    for notice in plan.by_hand:
        path, why = notice.path, notice.message
        yield item(("by hand   ", "warn"), path or "", (), why, path=path, detail=why)


def saved_words(change: Change) -> str:
    """The saved tokens by agent."""
    words = [f"{each.name} {each.tokens:,} of {each.before:,}" for each in change.saved]
    return ", ".join(words) or "no start tokens; loaders that plan by the numbers load what they should"
