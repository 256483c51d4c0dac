"""Providers made of other providers: redacted items, a sequence, a fallback, a limit (slices specification 4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.text.regex import ForeignPattern, compile_foreign
from ctxtui.core.tokens.arguments import a_function, an_instance
from ctxtui.slices.filters import check_limit
from ctxtui.slices.json_data import Item, plain_data
from ctxtui.slices.providers import call, traced
from ctxtui.slices.trace import artifact_id, name_of
from ctxtui.slices.types import ContextProvider, ContextRequest, ContextSlice, a_provider
from ctxtui.slices.visibility import words

MARK = "[redacted]"
# The keys that identify and order an item are not content.
_KEPT = ("id", "type", "correlation_id", "created_at")

Transform = Callable[[dict[str, Any]], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class RedactingProvider:
    """Another provider's items, redacted on a copy. The artifact's own id, type, time and run stay.

    `keys` are removed with their values at any depth, in lists too. Text or a number that matches a pattern is
    replaced by `[redacted]`. Then `transform` gets the payload (or the item, if it has none) and returns its
    replacement. String patterns are patterns of RE2, which run in linear time. A compiled `re.Pattern` is used as it
    is. Raises ContextError (invalid_request) for a pattern that cannot be used or matches the empty string,
    (internal) if `transform` does not return a mapping.
    """

    inner: ContextProvider
    keys: Collection[str] = ()
    patterns: Collection[str | re.Pattern[str] | ForeignPattern] = ()
    transform: Transform | None = None

    def __post_init__(self) -> None:
        a_provider(self.inner, "inner")
        a_function(self.transform, "transform", "a function of a payload")
        given = self.patterns
        patterns = (given,) if isinstance(given, str | re.Pattern | ForeignPattern) else given
        object.__setattr__(self, "keys", words(self.keys, "keys"))
        patterns = tuple(an_instance(patterns, Iterable, "patterns", "a list of regular expressions"))
        for pattern in patterns:
            wanted = "strings or compiled patterns of text"
            an_instance(getattr(pattern, "pattern", pattern), str, "patterns", wanted)
        object.__setattr__(self, "patterns", tuple(map(_compiled, patterns)))

    @traced
    async def __call__(self, request: ContextRequest) -> ContextSlice:
        found = await call(self.inner, request)
        return ContextSlice([self._redacted(item) for item in found.items], found.metadata)

    def _redacted(self, item: Item) -> Item:
        """A redacted copy of an item, with the item's own id, type, run and time."""
        kept: Item = {key: item[key] for key in _KEPT if key in item}
        rest: Item = self._pruned_and_masked(
            plain_data({key: value for key, value in item.items() if key not in _KEPT})
        )
        if self.transform is not None:
            if isinstance(rest.get("payload"), dict):
                rest["payload"] = self._transformed(self.transform, rest["payload"])
            else:
                rest = self._transformed(self.transform, rest)
        # The kept keys come first, with their values whatever `transform` did.
        return kept | rest | kept

    @staticmethod
    def _transformed(transform: Transform, payload: dict[str, Any]) -> dict[str, Any]:
        changed: object = transform(payload)
        if not isinstance(changed, Mapping):
            message = f"the transform {name_of(transform)} did not return a mapping"
            raise ContextError("internal", message, hint="return the payload to use")
        return dict(changed)

    def _pruned_and_masked(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._pruned_and_masked(each) for key, each in value.items() if key not in self.keys}
        if isinstance(value, list):
            return [self._pruned_and_masked(each) for each in value]
        if value is None or isinstance(value, bool):
            return value
        masked = text = str(value)
        for pattern in map(_compiled, self.patterns):
            masked = pattern.sub(MARK, masked)
        # A number that matches becomes text.
        return value if masked == text else masked


def _compiled(pattern: str | re.Pattern[str] | ForeignPattern) -> re.Pattern[str] | ForeignPattern:
    """The pattern, compiled if it is text. Raises ContextError for an invalid pattern and one that matches ""."""
    if isinstance(pattern, str):
        return compile_foreign(pattern)
    if isinstance(pattern, re.Pattern) and pattern.search(""):
        hint = "make the pattern match at least one character"
        raise invalid(f"{pattern.pattern!r} matches the empty string", hint=hint)
    return pattern


@dataclass(frozen=True, slots=True, init=False)
class CompositeProvider:
    """Several providers, called in order and merged into one slice (slices specification 4.4).

    The first item of an artifact and the first value of a metadata key win. All items without an artifact are kept.
    If one provider raises, the composite raises.
    """

    providers: tuple[ContextProvider, ...]

    def __init__(self, *providers: ContextProvider) -> None:
        for provider in providers:
            a_provider(provider, "each argument")
        object.__setattr__(self, "providers", providers)

    @traced
    async def __call__(self, request: ContextRequest) -> ContextSlice:
        slices = [await call(provider, request) for provider in self.providers]
        metadata = {key: value for each in reversed(slices) for key, value in each.metadata.items()}
        return ContextSlice(list(_distinct(item for each in slices for item in each.items)), metadata)


@dataclass(frozen=True, slots=True)
class FallbackProvider:
    """A provider, and another that is called if the first raises. Cancellation does not count as failure.

    Every redaction of the primary also applies to the fallback's items, wherever in the primary the
    `RedactingProvider` is: alone, nested, in one branch of a composite. A redaction that the fallback already applies
    to all its items is not applied twice. Only `unredacted_fallback=True` returns the fallback's items as they are. A
    redaction inside your own provider is invisible: wrap it in a `RedactingProvider`.
    """

    primary: ContextProvider
    fallback: ContextProvider
    unredacted_fallback: bool = False

    def __post_init__(self) -> None:
        a_provider(self.primary, "primary")
        a_provider(self.fallback, "fallback")
        an_instance(self.unredacted_fallback, bool, "unredacted_fallback", "True or False")

    @property
    def answering(self) -> ContextProvider:
        """The fallback with the redactions of the primary."""
        if self.unredacted_fallback:
            return self.fallback
        answering = self.fallback
        for redaction in redactions(self.primary):
            if not redacts(answering, redaction):
                answering = replace(redaction, inner=answering)
        return answering

    @traced
    async def __call__(self, request: ContextRequest) -> ContextSlice:
        """The first slice that succeeds. The trace records the failure."""
        try:
            return await call(self.primary, request)
        except Exception:  # noqa: BLE001 - any error of a provider is a reason to fall back
            return await call(self.answering, request)


def redactions(provider: ContextProvider) -> list[RedactingProvider]:
    """The redactions in a tree of this package's providers, the innermost first."""
    found = [redaction for inner in _inner_providers(provider) for redaction in redactions(inner)]
    return [*found, provider] if isinstance(provider, RedactingProvider) else found


def redacts(provider: ContextProvider, redaction: RedactingProvider) -> bool:
    """Whether a provider applies the same redaction to all its items."""
    if isinstance(provider, RedactingProvider) and replace(provider, inner=redaction.inner) == redaction:
        return True
    inside = _inner_providers(provider)
    return bool(inside) and all(redacts(inner, redaction) for inner in inside)


def _inner_providers(provider: ContextProvider) -> tuple[ContextProvider, ...]:
    """The providers that a provider of this package calls, none for any other provider."""
    match provider:
        case CompositeProvider():
            return provider.providers
        case FallbackProvider():
            return provider.primary, provider.answering
        case LimitedProvider() | RedactingProvider():
            return (provider.inner,)
    return ()


@dataclass(frozen=True, slots=True)
class LimitedProvider:
    """The first items of another provider. Raises ContextError (invalid_request) for a negative limit."""

    inner: ContextProvider
    limit: int

    def __post_init__(self) -> None:
        a_provider(self.inner, "inner")
        check_limit(self.limit)

    @traced
    async def __call__(self, request: ContextRequest) -> ContextSlice:
        found = await call(self.inner, request)
        return ContextSlice(found.items[: self.limit], found.metadata)


def _distinct(items: Iterable[Item]) -> Iterator[Item]:
    """The first item of each artifact, and all items without an artifact."""
    seen: set[str] = set()
    for item in items:
        named = artifact_id(item)
        if named is None or named not in seen:
            yield item
        if named is not None:
            seen.add(named)
