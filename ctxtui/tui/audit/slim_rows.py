"""The plan of changes that save start tokens as rows of the Audit screen."""

from __future__ import annotations

from collections.abc import Iterator

from ctxtui.audit.slim.change import Change, Plan
from ctxtui.tui import shown
from ctxtui.tui.audit.row import AuditRow


def plan_rows(plan: Plan) -> Iterator[AuditRow]:
    """The changes, those that save most first; then what must be done by hand."""
    for change in plan.changes:
        tokens = f"{change.tokens:>8,}" if change.tokens else " " * 8
        yield AuditRow(
            ((f"{change.kind:<9} ", "accent"), (shown.line(change.title), "")),
            ((tokens, "good"),),
            change.path,
            detail=f"saves {saved_words(change)}\n{change.lost}\nenter shows the diff, and asks before it is written",
            tokens=change.tokens,
            change=change,
        )
    for notice in plan.by_hand:
        yield AuditRow(
            (("by hand   ", "warn"),),
            path=notice.path,
            detail=notice.message,
            name=(shown.line(notice.path or ""), ""),
            more=((shown.line(notice.message), "dim"),),
        )


def saved_words(change: Change) -> str:
    """The tokens that a change saves, agent by agent."""
    words = [f"{each.name} {each.tokens:,} of {each.before:,}" for each in change.saved]
    return ", ".join(words) or "no start tokens; loaders that plan by the numbers load what they should"
