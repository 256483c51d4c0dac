"""The providers that read the board or the run's state (slices specification 4)."""

from __future__ import annotations

from collections.abc import Collection
from copy import deepcopy
from dataclasses import dataclass
from typing import Final

from ctxtui.core.base.errors import ContextError
from ctxtui.core.tokens.arguments import an_instance
from ctxtui.slices.ask import traced
from ctxtui.slices.filters import FilterConfig, checked_limit
from ctxtui.slices.types import ContextRequest, ContextSlice
from ctxtui.slices.visibility import words

SNAPSHOT: Final = "context_snapshot"


@dataclass(frozen=True, slots=True)
class DefaultCorrelationProvider:
    """All visible artifacts of the current run, newest first, none for a request without a correlation id."""

    @traced
    async def __call__(self, request: ContextRequest) -> ContextSlice:
        if request.correlation_id is None:
            return ContextSlice([])
        return await _query(request, FilterConfig(correlation_id=request.correlation_id))


@dataclass(frozen=True, slots=True)
class AllVisibleProvider:
    """Everything on the board that the agent may see, newest first."""

    @traced
    async def __call__(self, request: ContextRequest) -> ContextSlice:
        return await _query(request, FilterConfig())


@dataclass(frozen=True, slots=True)
class FilteredContextProvider:
    """The visible artifacts that match a filter, in its order. The smaller of two limits applies.

    Existing state keys follow, one item each, regardless of the limit. `metadata["total"]` is the number of matching
    artifacts without the limit. Raises ContextError (invalid_request) for a negative limit.
    """

    filters: FilterConfig
    limit: int | None = None
    include_state_keys: Collection[str] = ()

    def __post_init__(self) -> None:
        checked_limit(self.limit)
        an_instance(self.filters, FilterConfig, "filters", "a FilterConfig")
        object.__setattr__(self, "include_state_keys", words(self.include_state_keys, "include_state_keys"))

    @traced
    async def __call__(self, request: ContextRequest) -> ContextSlice:
        found = await _query(request, self.filters.at_most(self.limit))
        state = request.ctx.state if self.include_state_keys else {}
        keys = [key for key in sorted(self.include_state_keys) if key in state]
        items = [{"type": "state", "payload": {key: deepcopy(state[key])}} for key in keys]
        return ContextSlice([*found.items, *items], found.metadata)


@dataclass(frozen=True, slots=True)
class StateDelegatingProvider:
    """The slice or list of items that a component stored in `ctx.state["context_snapshot"]`, if any."""

    @traced
    async def __call__(self, request: ContextRequest) -> ContextSlice:
        """A copy of the snapshot. Raises ContextError (internal) for another value."""
        snapshot = deepcopy(request.ctx.state.get(SNAPSHOT, []))
        if isinstance(snapshot, ContextSlice):
            return snapshot
        if not isinstance(snapshot, list | tuple):
            message = f"state[{SNAPSHOT!r}] is a {type(snapshot).__name__}, neither a slice nor a list of items"
            raise ContextError("internal", message)
        return ContextSlice(list(snapshot))


async def _query(request: ContextRequest, filters: FilterConfig) -> ContextSlice:
    artifacts, total = await request.board.query_artifacts(filters)
    return ContextSlice([artifact.item() for artifact in artifacts], {"total": total})
