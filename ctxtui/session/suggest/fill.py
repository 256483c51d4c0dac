"""A proposal within a budget: whole parts by their worth, outlines around them, tests, documents that apply."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ctxtui.core.base.target import Target
from ctxtui.session.session import Session

Group = Literal["code", "outline", "test", "document", "rule"]
Shares = tuple[tuple[Group, float], ...]
SHARES: Final[Shares] = (
    ("code", 0.66),
    ("test", 0.14),
    ("outline", 0.1),
    ("document", 0.05),
    ("rule", 0.05),
)
"""The share of the budget for each group, in the order of filling. What is left over is offered to code again."""

OF_DOCUMENTS: Final[Shares] = (
    ("document", 0.45),
    ("code", 0.35),
    ("test", 0.1),
    ("outline", 0.05),
    ("rule", 0.05),
)
"""The shares in a project of documents."""

# Documents that say as much as the code have a larger share.
_AS_GOOD, _OF_GOOD = 0.9, 0.2
# The header of a block and the fence around its text.
_HEADER: Final = 24
# Worth for tokens: twice as long has to be worth that much more. Below a share of the best, nothing is proposed.
_LONGER: Final = 0.02
_LEAST: Final = 0.25


@dataclass(frozen=True, slots=True)
class Proposal:
    """One row that can be picked by its `id`, its exact tokens, and the reason for it. `score` is higher than 0."""

    id: str
    tokens: int
    reason: str
    group: Group
    score: float

    @property
    def document(self) -> str:
        return Target.parse(self.id).document


def fill(session: Session, rows: Iterable[Proposal], limit: int, shares: Shares = SHARES) -> list[Proposal]:
    """The rows to propose, by group, best first, for a payload within `limit` tokens. `shares` divide the room."""
    by_group: dict[Group, list[Proposal]] = {group: [] for group, _ in SHARES}
    for row in rows:
        by_group[row.group].append(row)
    counter = session.budget.counter
    # Estimates are compared with a limit by the upper end of their band.
    free = counter.total(counter.within(limit)) - session.layout().wanted
    filling = _Filling(free)
    by_group = {group: found if group == "rule" else list(_worthwhile(found)) for group, found in by_group.items()}
    best = max((row.score for row in by_group["code"]), default=0.0)
    for group, share in shares:
        says = group == "document" and max((row.score for row in by_group[group]), default=0.0) >= _AS_GOOD * best
        filling.take(by_group[group], int(free * max(share, _OF_GOOD if says else 0.0)))
    for group in ("code", "document", "test"):
        filling.take(by_group[group], free)
    return _fitting(session, filling.taken, limit, shares)


def _worthwhile(rows: Sequence[Proposal]) -> Iterator[Proposal]:
    """The rows with scores close enough to the best, ordered by score less a deduction for many tokens."""
    least = _LEAST * max((row.score for row in rows), default=0.0)
    order = sorted(rows, key=lambda row: (_LONGER * math.log2(1 + row.tokens) - row.score, row.id))
    yield from (row for row in order if row.score >= least)


class _Filling:
    def __init__(self, free: int) -> None:
        self._left = free
        self._files: set[str] = set()
        self.taken: list[Proposal] = []

    def take(self, rows: Sequence[Proposal], share: int) -> None:
        """Take the rows that fit into `share` tokens of the budget, in their order."""
        known = frozenset(row.id for row in self.taken)
        for row in rows:
            cost = row.tokens + (0 if row.document in self._files else _HEADER) + 1
            if row.id not in known and cost <= min(share, self._left):
                self.taken.append(row)
                self._files.add(row.document)
                share -= cost
                self._left -= cost


def _fitting(session: Session, rows: list[Proposal], limit: int, shares: Shares) -> list[Proposal]:
    """The rows by group in the order of `shares`, then by score, the lowest dropped until `limit` tokens suffice."""
    order = [group for group, _ in shares]
    best = {group: max((row.score for row in rows if row.group == group), default=0.0) for group in order}
    if shares is OF_DOCUMENTS and best["code"] > best["document"]:
        # Such as the line of an error: the first row is the best answer.
        order.sort(key=lambda group: group == "document")
    rows = sorted(rows, key=lambda row: (order.index(row.group), -row.score, row.id))
    while rows:
        # Without cuts, as `build` compares it.
        over = session.pick_in_order([row.id for row in rows]).layout(over="fail").upper - limit
        if over <= 0:
            return rows
        least = iter(sorted(rows, key=lambda row: row.score))
        gone: set[str] = set()
        while over > 0 and (row := next(least, None)) is not None:
            gone.add(row.id)
            over -= row.tokens
        rows = [row for row in rows if row.id not in gone]
    return rows
