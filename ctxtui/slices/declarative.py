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
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from functools import partial

from ctxtui.core.base.errors import ContextError
from ctxtui.core.text.data.lines import LineOf
from ctxtui.core.text.data.schema import Place, Reader, choice, filled, many, mapping, read, texts
from ctxtui.core.text.regex import ForeignPattern, compile_foreign
from ctxtui.slices.artifact import in_utc
from ctxtui.slices.composite import CompositeProvider, LimitedProvider, RedactingProvider
from ctxtui.slices.filters import ORDERS, FilterConfig, TagFilter
from ctxtui.slices.providers import (
    AllVisibleProvider,
    DefaultCorrelationProvider,
    FilteredContextProvider,
    StateDelegatingProvider,
)
from ctxtui.slices.types import ContextProvider

_DEEPEST = 16
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def build_provider(data: object, where: str | Place, line_of: LineOf | None = None) -> ContextProvider:
    """Build the provider that plain data describes. No part of the data is ever executed.

    Raises ContextError (invalid_request) that names `where`, the line that `line_of` returns for a path of keys and
    positions, the path and the reason, with the nearest known key as the hint.
    """
    return _built_provider(where if isinstance(where, Place) else Place.named(where, line_of), data)


def _texts(place: Place, value: object) -> list[str]:
    return [value] if isinstance(value, str) else list(texts(place, value))


def _limit(place: Place, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise place.should_be("a number of items", value, "0 or more")
    return value


def _time(of_day: time) -> Reader:
    """A reader of times, returned in UTC. A date alone means the time `of_day` on that date."""

    def check(place: Place, value: object) -> datetime:
        try:
            if isinstance(value, str) and _DATE.fullmatch(value):
                value = date.fromisoformat(value)
            elif isinstance(value, str):
                value = datetime.fromisoformat(value)
        except ValueError as error:
            hint = "such as 2026-01-31 or 2026-01-31T12:00:00Z"
            raise place.error(f"not a date or time: {value!r}", hint) from error
        if isinstance(value, datetime):
            try:
                return in_utc(value, f"`{value.isoformat()}`")
            except ContextError as error:
                raise place.error(error.message, "add Z for UTC") from error
        if isinstance(value, date):
            return datetime.combine(value, of_day, UTC)
        raise place.should_be("a date or time", value)

    return check


def _tags(place: Place, value: object) -> TagFilter:
    if isinstance(value, Mapping):
        return TagFilter(**read(place, value, dict.fromkeys(("include", "require", "exclude"), _texts)))
    return TagFilter(_texts(place, value))


def _patterns(place: Place, value: object) -> list[ForeignPattern]:
    written = enumerate(_texts(place, value))
    return [place.at(position).within(partial(compile_foreign, pattern)) for position, pattern in written]


_FILTER: Mapping[str, Reader] = {
    "types": _texts,
    "tags": _tags,
    "producers": _texts,
    "correlation_id": filled,
    "since": _time(time.min),
    "until": _time(time.max),
    "limit": _limit,
    "order": choice(*ORDERS),
}
_REDACT: Mapping[str, Reader] = {"keys": _texts, "patterns": _patterns}


def _built_provider(place: Place, data: object) -> ContextProvider:
    """The provider of one node, with its redaction and then its limit."""
    if len(place.steps) > 2 * _DEEPEST:
        raise place.error(f"nested more than {_DEEPEST} deep")
    node = mapping(place, {data: None} if isinstance(data, str) else data, (*_KINDS, "redact", "limit"))
    kinds = [kind for kind in _KINDS if kind in node]
    if len(kinds) != 1:
        message = f"names both {' and '.join(kinds)}" if kinds else "names no provider"
        raise place.wrong(message, f"one of {', '.join(_KINDS)}; join several with `composite`")
    provider: ContextProvider = _KINDS[kinds[0]](place.at(kinds[0]), node[kinds[0]])
    if "redact" in node:
        given = read(place.at("redact"), node["redact"], _REDACT)
        if not given:
            raise place.at("redact").wrong("names nothing to redact", "give `keys` or `patterns`")
        provider = RedactingProvider(provider, **given)
    if "limit" in node:
        provider = LimitedProvider(provider, _limit(place.at("limit"), node["limit"]))
    return provider


def _reader_without_value(provider: ContextProvider) -> Reader:
    """A reader that returns `provider` and refuses any value but `true`."""

    def build(place: Place, value: object) -> ContextProvider:
        if value is not None and value is not True:
            raise place.wrong("takes no value", "use `filter` to choose")
        return provider

    return build


def _filter(place: Place, value: object) -> ContextProvider:
    return FilteredContextProvider(FilterConfig(**read(place, value, _FILTER)))


def _composite(place: Place, value: object) -> ContextProvider:
    if not isinstance(value, list | tuple) or not value:
        raise place.should_be("a list of nodes", value, f"each one of {', '.join(_KINDS)}")
    return CompositeProvider(*many(_built_provider)(place, value))


_KINDS: dict[str, Reader] = {
    "correlation": _reader_without_value(DefaultCorrelationProvider()),
    "all": _reader_without_value(AllVisibleProvider()),
    "state": _reader_without_value(StateDelegatingProvider()),
    "filter": _filter,
    "composite": _composite,
}
