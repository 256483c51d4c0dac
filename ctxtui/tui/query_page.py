"""The page of a query: its answer item by item, with the provider of each."""

from __future__ import annotations

from rich.segment import Segment
from textual.strip import Strip

from ctxtui.core.wording import plural
from ctxtui.session.picks import QueryPick
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.view_pages import BOLD, DIM, WARN, Laid, wrap


def answer_page(session: Session, query: QueryPick, width: int) -> Laid:
    answer, counter = session.answers.get(query.definition), session.budget.counter
    title = shown.line(query.label)
    lines = [*wrap(query.definition, width, DIM), Strip([])]
    if answer is None:
        return Laid(title, "computing …", lines)
    for notice in answer.notices:
        lines += wrap(str(notice), width, WARN)
    for item in answer.items:
        # Changed files are picks, whose blocks show their tokens.
        tokens = f", {shown.sized(counter.count(item.text), counter)}" if item.text else ""
        head = f"{item.kind}  {item.source or item.id or '(not on the board)'}"
        lines += wrap(head, width, BOLD)
        lines.append(Strip([Segment(f"  from {shown.line(item.provider)}{tokens}", DIM)]))
        for line in item.text.splitlines():
            lines += wrap(f"  {line}", width)
        lines.append(Strip([]))
    return Laid(title, f"{plural(len(answer.items), 'item')}", lines)
