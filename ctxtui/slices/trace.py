"""Tracing of all provider calls, nested calls too, and of the call behind each item (slices specification 6)."""

from __future__ import annotations

import time
from asyncio import CancelledError
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from ctxtui.slices.json_data import Item

_ERROR_CHARACTERS = 300
AnyProvider = Callable[..., object]
"""The type of providers in a trace, independent of the other modules."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a provider, below its callers in `path`, with its number of `items` or its `error`."""

    path: tuple[str, ...]
    seconds: float
    items: int
    error: str | None = None

    @property
    def provider(self) -> str:
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of one item: the innermost provider, its callers, and the artifact if `verified`."""

    path: tuple[str, ...]
    id: str | None

    @property
    def provider(self) -> str:
        return self.path[-1] if self.path else ""

    @property
    def verified(self) -> bool:
        """Whether the board shows the agent an artifact of that id."""
        return self.id is not None


@dataclass(frozen=True, slots=True)
class Trace:
    """All calls of one slice in order, the origin of each item, and the ids that the board hides."""

    agent: str
    correlation_id: str | None
    calls: tuple[Call, ...]
    origins: tuple[Origin, ...] = ()
    dropped: tuple[str, ...] = ()


class Span:
    """One running call: the path of its callers, the calls inside it, and its returned items."""

    def __init__(self, provider: AnyProvider | None = None, path: tuple[str, ...] = ()) -> None:
        self.provider = provider
        self._path = path
        self._inner: list[Span] = []
        self._items: list[Item] = []
        self._error: str | None = None
        self._begun = time.perf_counter()
        self._seconds = 0.0

    def is_of(self, provider: object) -> bool:
        return self.provider is provider

    def open(self, provider: AnyProvider) -> Span:
        """Begin the span of a call inside this call."""
        inner = Span(provider, (*self._path, name_of(provider)))
        self._inner.append(inner)
        return inner

    def close(self, items: list[Item], error: BaseException | None = None) -> None:
        """Record the returned items, or the error."""
        self._seconds = time.perf_counter() - self._begun
        self._items = list(items)
        if error is not None:
            cancelled = isinstance(error, CancelledError)
            self._error = "cancelled" if cancelled else f"{type(error).__name__}: {error}"[:_ERROR_CHARACTERS]

    def calls(self) -> Iterator[Call]:
        """All calls inside this call, callers first."""
        for inner in self._inner:
            yield Call(inner._path, inner._seconds, len(inner._items), inner._error)
            yield from inner.calls()

    def origins(self) -> dict[object, tuple[str, ...]]:
        """The path of the first and innermost call that returned an item and did not fail, by `item_key`."""
        found: dict[object, tuple[str, ...]] = {}
        for inner in self._inner:
            if inner._error is not None:
                continue
            for key, path in inner.origins().items():
                found.setdefault(key, path)
            for item in inner._items:
                found.setdefault(item_key(item), inner._path)
        return found


def artifact_id(item: Mapping[str, Any]) -> str | None:
    """The artifact id that an item names, or None."""
    value = item.get("id")
    named = str(value) if isinstance(value, str | int | UUID) and not isinstance(value, bool) else ""
    return named or None


def item_key(item: Item) -> object:
    """The identity of an item: its artifact, else the item itself."""
    return artifact_id(item) or id(item)


def name_of(provider: AnyProvider) -> str:
    """The name of a provider in traces and errors: a function's name, else its class."""
    name = getattr(provider, "__name__", None)
    return name if isinstance(name, str) else type(provider).__name__
