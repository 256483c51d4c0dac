"""Providers made of other providers: a sequence, a fallback, a limit."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ctxtui.core.tokens.arguments import an_instance
from ctxtui.slices.ask import call, traced
from ctxtui.slices.filters import checked_limit
from ctxtui.slices.json_data import Item
from ctxtui.slices.redaction import RedactingProvider
from ctxtui.slices.trace import artifact_id
from ctxtui.slices.types import ContextProvider, ContextRequest, ContextSlice, a_provider


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
        return ContextSlice(_distinct([item for each in slices for item in each.items]), metadata)


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
    found = [redaction for inner in _inside(provider) for redaction in redactions(inner)]
    return [*found, provider] if isinstance(provider, RedactingProvider) else found


def redacts(provider: ContextProvider, redaction: RedactingProvider) -> bool:
    """Whether a provider applies the same redaction to all its items."""
    if isinstance(provider, RedactingProvider) and replace(provider, inner=redaction.inner) == redaction:
        return True
    inside = _inside(provider)
    return bool(inside) and all(redacts(inner, redaction) for inner in inside)


def _inside(provider: ContextProvider) -> tuple[ContextProvider, ...]:
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
        checked_limit(self.limit)

    @traced
    async def __call__(self, request: ContextRequest) -> ContextSlice:
        found = await call(self.inner, request)
        return ContextSlice(found.items[: self.limit], found.metadata)


def _distinct(items: list[Item]) -> list[Item]:
    seen: set[str] = set()
    kept = []
    for item in items:
        named = artifact_id(item)
        if named is None or named not in seen:
            kept.append(item)
        if named is not None:
            seen.add(named)
    return kept
