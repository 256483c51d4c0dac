"""The file budget: which choices are loaded or left out, and why (catalog specification 12.5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ctxtui.catalog.protocol.cross_domain import ALWAYS_FROM, ROOM_FROM
from ctxtui.catalog.types import Choice
from ctxtui.core.notices import Notice, OnNotice
from ctxtui.core.wording import plural

# The protocol's priority classes, best first.
ALWAYS, FRAMEWORK, LIBRARY, CROSS_CUTTING = 1, 2, 3, 4


@dataclass(frozen=True, slots=True)
class Fitted:
    taken: tuple[Choice, ...]
    left: tuple[tuple[Choice, str], ...]


def fit(choices: Iterable[Choice], limit: int, on_notice: OnNotice, free: Collection[str] = ()) -> Fitted:
    """Take at most `limit` files by priority. Files in `free` do not count.

    A relevance of 0.8 or more exceeds the limit. A relevance below 0.5 is never loaded.
    """
    taken: dict[str, Choice] = {}
    left: dict[str, tuple[Choice, str]] = {}
    for choice in sorted(choices, key=lambda each: each.priority):
        relevance = choice.relevance
        if choice.id in taken:
            continue
        if relevance is not None and relevance < ROOM_FROM:
            left.setdefault(choice.id, (choice, f"a reference only: relevance {relevance:g} is below {ROOM_FROM:g}"))
            continue
        paid = sum(1 for id_ in taken if id_ not in free)
        if choice.id in free or paid < limit:
            taken[choice.id] = choice
        elif relevance is not None and relevance >= ALWAYS_FROM:
            taken[choice.id] = choice
            message = f"{choice.id} is loaded beyond the budget of {plural(limit, 'file')}: relevance {relevance:g}"
            on_notice(Notice("beyond-budget", message))
        else:
            left.setdefault(choice.id, (choice, f"no room within {plural(limit, 'file')}"))
    for id_ in taken:
        left.pop(id_, None)
    fitted = Fitted(tuple(taken.values()), tuple(left.values()))
    _tell(fitted, limit, on_notice)
    return fitted


def _tell(fitted: Fitted, limit: int, on_notice: OnNotice) -> None:
    over = [choice.id for choice, reason in fitted.left if reason.startswith("no room")]
    if over:
        on_notice(Notice("over-budget", f"the budget of {plural(limit, 'file')} leaves out {', '.join(over)}"))
    for choice, reason in fitted.left:
        if choice.id not in over:
            on_notice(Notice("reference-only", f"{choice.id} is {reason}"))
