"""Providers written as plain data, such as in a recipe (slices specification 4).

A node is one mapping (or, with nothing to add, one word) that names a provider:

    correlation                  DefaultCorrelationProvider
    all                          AllVisibleProvider
    state                        StateDelegatingProvider
    filter: {…}                  FilteredContextProvider: types, tags, producers, correlation_id, since, until,
                                 limit, order; `tags` is a list (any of them) or include, require and exclude
    composite: [node, …]         CompositeProvider

A node may also have `redact: {keys: […], patterns: […]}` and `limit: N`, which apply to its items.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from difflib import get_close_matches
from typing import Any

from ctxtui.core.errors import ContextError
from ctxtui.core.patterns.regex import compile_foreign
from ctxtui.slices.artifact import in_utc
from ctxtui.slices.composite import CompositeProvider, LimitedProvider
from ctxtui.slices.filters import NEWEST_FIRST, ORDERS, FilterConfig, TagFilter
from ctxtui.slices.providers import (
    AllVisibleProvider,
    DefaultCorrelationProvider,
    FilteredContextProvider,
    StateDelegatingProvider,
)
from ctxtui.slices.redaction import RedactingProvider
from ctxtui.slices.types import ContextProvider

Path = tuple[str | int, ...]
LineOf = Callable[[Path], int | None]

_DEEPEST = 16
_FILTER_KEYS = ("types", "tags", "producers", "correlation_id", "since", "until", "limit", "order")
_TAG_KEYS = ("include", "require", "exclude")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def build_provider(data: object, where: str, line_of: LineOf | None = None) -> ContextProvider:
    """Builds the provider that plain data describes; nothing in the data is ever run.

    Raises ContextError (invalid_request) that names `where`, the line that `line_of` returns for a path of keys
    and positions, the path and the reason, with the nearest known key as the hint.
    """
    return _node(data, _Place(where, line_of))


@dataclass(frozen=True, slots=True)
class _Place:
    """A place in the tree, to read its value and to report what is wrong with it."""

    where: str
    line_of: LineOf | None
    path: Path = ()

    def at(self, step: str | int) -> _Place:
        return replace(self, path=(*self.path, step))

    def refuse(self, message: str, hint: str | None = None) -> ContextError:
        line = self.line_of(self.path) if self.line_of else None
        steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path).lstrip(".")
        place = ": ".join(filter(None, (self.where if line is None else f"{self.where}:{line}", steps)))
        return ContextError("invalid_request", f"{place}: {message}", hint=hint)

    def mapping(self, value: object, known: Iterable[str]) -> Mapping[str, Any]:
        keys = list(known)
        if not isinstance(value, Mapping):
            raise self.refuse(f"should be a mapping, not {_shown(value)}", f"with {', '.join(keys)}")
        for key in value:
            if key not in keys:
                raise self.at(str(key)).refuse("unknown key", _nearest(str(key), keys))
        return value

    def texts(self, value: object) -> list[str]:
        given = [value] if isinstance(value, str) else value
        if not isinstance(given, list | tuple):
            raise self.refuse(f"should be a list of texts, not {_shown(value)}")
        for position, each in enumerate(given):
            if not isinstance(each, str):
                raise self.at(position).refuse(f"should be a text, not {_shown(each)}", "put it in quotes")
        return list(given)

    def limit(self, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self.refuse(f"should be a number of items, not {_shown(value)}", "0 or more")
        return value

    def time(self, value: object, of_day: time) -> datetime:
        """A time; for a date alone, its first or last moment in UTC."""
        try:
            if isinstance(value, str) and _DATE.fullmatch(value):
                value = date.fromisoformat(value)
            elif isinstance(value, str):
                value = datetime.fromisoformat(value)
        except ValueError as error:
            hint = "such as 2026-01-31 or 2026-01-31T12:00:00Z"
            raise self.refuse(f"not a date or time: {value!r}", hint) from error
        if isinstance(value, datetime):
            try:
                return in_utc(value, f"`{value.isoformat()}`")
            except ContextError as error:
                raise self.refuse(error.message, "add Z for UTC") from error
        if isinstance(value, date):
            return datetime.combine(value, of_day, UTC)
        raise self.refuse(f"should be a date or time, not {_shown(value)}")


def _shown(value: object) -> str:
    return f"`{value}`"[:60] if isinstance(value, str | int | float) else type(value).__name__


def _nearest(key: str, known: list[str]) -> str:
    close = get_close_matches(key, known, n=1)
    return f"did you mean `{close[0]}`?" if close else f"known: {', '.join(known)}"


def _node(data: object, place: _Place) -> ContextProvider:
    if len(place.path) > 2 * _DEEPEST:
        raise place.refuse(f"nested more than {_DEEPEST} deep")
    node = place.mapping({data: None} if isinstance(data, str) else data, (*_KINDS, "redact", "limit"))
    kinds = [kind for kind in _KINDS if kind in node]
    if len(kinds) != 1:
        message = f"names both {' and '.join(kinds)}" if kinds else "names no provider"
        raise place.refuse(message, f"one of {', '.join(_KINDS)}; join several with `composite`")
    provider = _KINDS[kinds[0]](node[kinds[0]], place.at(kinds[0]))
    if "redact" in node:
        provider = _redacting(provider, node["redact"], place.at("redact"))
    if "limit" in node:
        provider = LimitedProvider(provider, place.at("limit").limit(node["limit"]))
    return provider


def _alone(provider: ContextProvider) -> Callable[[object, _Place], ContextProvider]:
    def build(value: object, place: _Place) -> ContextProvider:
        if value is not None and value is not True:
            raise place.refuse(f"takes nothing, but has {_shown(value)}", "use `filter` to choose")
        return provider

    return build


def _filter(value: object, place: _Place) -> ContextProvider:
    given = place.mapping(value, _FILTER_KEYS)
    texts = {key: place.at(key).texts(given[key]) for key in ("types", "producers") if key in given}
    ends = {"since": time.min, "until": time.max}
    times = {key: place.at(key).time(given[key], end) for key, end in ends.items() if key in given}
    correlation = given.get("correlation_id")
    if "correlation_id" in given and not (isinstance(correlation, str) and correlation):
        raise place.at("correlation_id").refuse(f"should be a text, not {_shown(correlation)}", "put it in quotes")
    order = given.get("order", NEWEST_FIRST)
    if order not in ORDERS:
        raise place.at("order").refuse(f"unknown order {_shown(order)}", f"one of {', '.join(ORDERS)}")
    limit = place.at("limit").limit(given["limit"]) if "limit" in given else None
    tags = _tags(given["tags"], place.at("tags")) if "tags" in given else None
    return FilteredContextProvider(
        FilterConfig(
            types=texts.get("types", ()),
            tags=tags,
            producers=texts.get("producers", ()),
            correlation_id=correlation,
            since=times.get("since"),
            until=times.get("until"),
            limit=limit,
            order=order,
        )
    )


def _tags(value: object, place: _Place) -> TagFilter:
    if isinstance(value, Mapping):
        given = place.mapping(value, _TAG_KEYS)
        return TagFilter(**{key: place.at(key).texts(given[key]) for key in given})
    return TagFilter(place.texts(value))


def _composite(value: object, place: _Place) -> ContextProvider:
    if not isinstance(value, list | tuple) or not value:
        raise place.refuse(f"should be a list of nodes, not {_shown(value)}", f"each one of {', '.join(_KINDS)}")
    return CompositeProvider(*(_node(each, place.at(position)) for position, each in enumerate(value)))


def _redacting(provider: ContextProvider, value: object, place: _Place) -> ContextProvider:
    given = place.mapping(value, ("keys", "patterns"))
    if not given:
        raise place.refuse("names nothing to redact", "give `keys` or `patterns`")
    keys = place.at("keys").texts(given.get("keys", []))
    patterns = []
    for position, pattern in enumerate(place.at("patterns").texts(given.get("patterns", []))):
        try:
            patterns.append(compile_foreign(pattern))
        except ContextError as error:
            raise place.at("patterns").at(position).refuse(error.message, error.hint) from error
    return RedactingProvider(provider, keys, patterns)


_KINDS: dict[str, Callable[[object, _Place], ContextProvider]] = {
    "correlation": _alone(DefaultCorrelationProvider()),
    "all": _alone(AllVisibleProvider()),
    "state": _alone(StateDelegatingProvider()),
    "filter": _filter,
    "composite": _composite,
}
