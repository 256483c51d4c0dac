"""Filters: criteria, order and limit of a query (slices specification 4.2)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from ctxtui.core.base.errors import invalid
from ctxtui.core.tokens.arguments import a_number, an_instance, wrong
from ctxtui.slices.artifact import Artifact, as_correlation, in_utc
from ctxtui.slices.json_data import type_name
from ctxtui.slices.visibility import words

OLDEST_FIRST: Final = "created_at"
NEWEST_FIRST: Final = "-created_at"
ORDERS: Final = (NEWEST_FIRST, OLDEST_FIRST)


@dataclass(frozen=True, slots=True)
class TagFilter:
    """A filter by tags: any of `include`, all of `require`, none of `exclude`. An empty set matches all."""

    include: Collection[str] = ()
    require: Collection[str] = ()
    exclude: Collection[str] = ()

    def __post_init__(self) -> None:
        for name in ("include", "require", "exclude"):
            object.__setattr__(self, name, words(getattr(self, name), name))

    def matches(self, tags: Iterable[str]) -> bool:
        """Whether an artifact with these tags matches."""
        have = frozenset(tags)
        return (
            (not self.include or not have.isdisjoint(self.include))
            and have.issuperset(self.require)
            and have.isdisjoint(self.exclude)
        )


@dataclass(frozen=True, slots=True)
class FilterConfig:
    """The criteria of a query. All given criteria must match, and empty criteria match everything.

    `types` are names or classes, a plain set of `tags` means any of them, `since` and `until` are aware times, both
    inclusive. `order` is `-created_at` (newest first) or `created_at`, ties are ordered by id. `limit` cuts after
    ordering, None means no limit. Raises ContextError (invalid_request) for another order, a negative limit or a time
    without offset.
    """

    types: Collection[str | type] = ()
    tags: TagFilter | Collection[str] | None = None
    producers: Collection[str] = ()
    correlation_id: str | UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
    limit: int | None = None
    order: str = NEWEST_FIRST

    def __post_init__(self) -> None:
        types: object = (self.types,) if isinstance(self.types, str | type) else self.types
        if not isinstance(types, Iterable):
            raise wrong("types", "a list of names or classes", types)
        tags = self.tags if self.tags is None or isinstance(self.tags, TagFilter) else TagFilter(self.tags)
        changes = {
            "types": frozenset(map(type_name, types)),
            "tags": tags,
            "producers": words(self.producers, "producers"),
            "correlation_id": as_correlation(self.correlation_id),
            "since": None if self.since is None else in_utc(self.since, "since"),
            "until": None if self.until is None else in_utc(self.until, "until"),
        }
        for name, value in changes.items():
            object.__setattr__(self, name, value)
        if self.order not in ORDERS:
            raise invalid(f"unknown order {self.order!r}", hint=f"one of {', '.join(ORDERS)}")
        check_limit(self.limit)

    def matches(self, artifact: Artifact) -> bool:
        """Whether an artifact matches, regardless of visibility."""
        return (
            (not self.types or artifact.type in self.types)
            and (not self.producers or artifact.produced_by in self.producers)
            and (self.correlation_id is None or artifact.correlation_id == self.correlation_id)
            and (self.since is None or artifact.created_at >= self.since)
            and (self.until is None or artifact.created_at <= self.until)
            and (not isinstance(self.tags, TagFilter) or self.tags.matches(artifact.tags))
        )

    def sort(self, artifacts: Iterable[Artifact]) -> list[Artifact]:
        """Artifacts in the filter's order, ties by id in both orders."""
        by_id = sorted(artifacts, key=lambda artifact: artifact.id)
        return sorted(by_id, key=lambda artifact: artifact.created_at, reverse=self.order == NEWEST_FIRST)

    def at_most(self, limit: int | None) -> FilterConfig:
        """The same filter with the smaller of its limit and `limit`, where None is no limit."""
        limits = [each for each in (self.limit, limit) if each is not None]
        return replace(self, limit=min(limits, default=None))


def a_filter(value: FilterConfig | None) -> FilterConfig:
    """Return a filter, for None one without criteria. Raises TypeError for anything else."""
    if value is None:
        return FilterConfig()
    checked: FilterConfig = an_instance(value, FilterConfig, "filters", "a FilterConfig or None")
    return checked


def check_limit(limit: int | None) -> None:
    """Raise ContextError (invalid_request) for a negative limit, TypeError if it is no number."""
    if limit is not None and a_number(limit, "limit", least=None) < 0:
        raise invalid(f"a limit of {limit} items", hint="0 or more; None for no limit")
