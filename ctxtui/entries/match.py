"""Which entries a query finds (entries specification 1.3 and 5)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice

from ctxtui.core.base.errors import ContextError
from ctxtui.core.tokens.arguments import shown
from ctxtui.entries.types import ContextEntry, ContextQuery

_LATEST = datetime.max.replace(tzinfo=UTC)
_Meets = Callable[["Candidate"], bool]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """An entry with its content prepared for comparing keywords."""

    entry: ContextEntry
    folded: str

    @staticmethod
    def of(entry: ContextEntry) -> Candidate:
        return Candidate(entry, entry.content.casefold())


def newest_first(candidate: Candidate) -> tuple[timedelta, str]:
    """A sort key: newest first, then by id."""
    return _LATEST - candidate.entry.created_at, candidate.entry.entry_id


def matching(candidates: Iterable[Candidate], query: ContextQuery) -> list[ContextEntry]:
    """The entries that meet all filters of a query, in the given order, at most `max_results`.

    Raises ContextError (invalid_request) for a negative limit and anything but a query.
    """
    if not isinstance(query, ContextQuery):
        raise ContextError("invalid_request", f"not a query: {shown(query)}", hint="give a ContextQuery")
    if query.max_results is not None and query.max_results < 0:
        raise ContextError("invalid_request", f"the limit {query.max_results} is negative", hint="give 0 or more")
    for meets in _filters(query):
        candidates = filter(meets, candidates)
    most = None if query.max_results is None else min(query.max_results, sys.maxsize)
    return [each.entry for each in islice(candidates, most)]


def _filters(query: ContextQuery) -> list[_Meets]:
    filters: list[_Meets] = []
    if query.category is not None:
        filters.append(lambda each: each.entry.category == query.category)
    if query.reference_code is not None:
        filters.append(lambda each: each.entry.reference_code == query.reference_code)
    if query.tags:
        wanted = frozenset(query.tags)
        filters.append(lambda each: not wanted.isdisjoint(each.entry.tags))
    if query.keywords:
        keywords = query.keywords.casefold()
        filters.append(lambda each: keywords in each.folded)
    return filters
