"""The providers that are made of other providers: several in a row, one in place of another, the first of one."""

from __future__ import annotations

from dataclasses import dataclass

from ctxtui.slices.contract import ContextProvider, ContextRequest, ContextSlice, Item
from ctxtui.slices.filters import checked_limit
from ctxtui.slices.tracing import artifact_id, call, traced


@dataclass(frozen=True, slots=True, init=False)
class CompositeProvider:
    """Several providers one after the other as one slice (seed 003, `CompositeProvider`).

    The first item of an artifact and the first value of a metadata key win; items that stand for no
    artifact are all kept. Where one provider raises, the whole does.
    """

    providers: tuple[ContextProvider, ...]

    def __init__(self, *providers: ContextProvider) -> None:
        object.__setattr__(self, "providers", providers)

    @traced
    async def __call__(self, request: ContextRequest) -> ContextSlice:
        """The merged slices."""
        slices = [await call(provider, request) for provider in self.providers]
        metadata = {key: value for each in reversed(slices) for key, value in each.metadata.items()}
        return ContextSlice(_distinct([item for each in slices for item in each.items]), metadata)


@dataclass(frozen=True, slots=True)
class FallbackProvider:
    """A provider, and another that is asked where the first raises; being cancelled is no failure."""

    primary: ContextProvider
    fallback: ContextProvider

    @traced
    async def __call__(self, request: ContextRequest) -> ContextSlice:
        """The first slice that can be had; the failure stands in the trace."""
        try:
            return await call(self.primary, request)
        except Exception:  # noqa: BLE001 - whatever a provider raises is what the fallback is for
            return await call(self.fallback, request)


@dataclass(frozen=True, slots=True)
class LimitedProvider:
    """The first items of another provider; raises ContextError (invalid_request) for a negative limit."""

    inner: ContextProvider
    limit: int

    def __post_init__(self) -> None:
        checked_limit(self.limit)

    @traced
    async def __call__(self, request: ContextRequest) -> ContextSlice:
        """At most so many items, with all metadata."""
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
