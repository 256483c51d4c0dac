"""Text that reaches one agent's context more than once from the start."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from ctxtui.agents.costs import Charge, Repeat
from ctxtui.agents.types import AT_START

AGAIN = "imported again"
LINK = "links to one file"
COPY = "identical text"
ENTRY = "listed again"


def find_repeats(
    charges: Sequence[Charge], read: Callable[[str], str | None], real: Callable[[str], str]
) -> Iterator[Repeat]:
    """The groups of charges at the start with the same text, in loading order.

    Only files of equal cost are compared, and links to the same file are not read.
    """
    by_cost: defaultdict[int, list[Charge]] = defaultdict(list)
    for charge in charges:
        if charge.moment in AT_START and charge.tokens:
            by_cost[charge.tokens].append(charge)
    for alike in by_cost.values():
        if len(alike) > 1:
            yield from _same(alike, read, real)
    yield from _entries(charges)


def _same(alike: Sequence[Charge], read: Callable[[str], str | None], real: Callable[[str], str]) -> Iterator[Repeat]:
    groups: defaultdict[str, list[Charge]] = defaultdict(list)
    for charge in alike:
        groups[charge.text(read(charge.path) or "")].append(charge)
    for text, group in groups.items():
        if text and len(group) > 1:
            paths = tuple(charge.path for charge in group)
            yield Repeat(paths, _why(paths, real), sum(charge.tokens or 0 for charge in group[1:]))


def _why(paths: Sequence[str], real: Callable[[str], str]) -> str:
    if len(set(paths)) == 1:
        return AGAIN
    return LINK if len({real(path) for path in paths}) == 1 else COPY


def _entries(charges: Sequence[Charge]) -> Iterator[Repeat]:
    """Skills, commands and rules that are listed twice with the same name and description."""
    groups: defaultdict[tuple[str, str], list[Charge]] = defaultdict(list)
    for charge in charges:
        if charge.entry and charge.entry.tokens and charge.moment != "touch":
            groups[charge.entry.name, charge.entry.description].append(charge)
    for group in groups.values():
        if len(group) > 1:
            yield Repeat(tuple(charge.path for charge in group), ENTRY, sum(each.start_tokens for each in group[1:]))
