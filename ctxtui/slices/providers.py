"""The providers that read the board or the run's state (slices specification 4), and checked, recorded calls."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Final, TypeVar

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.tokens.arguments import an_instance
from ctxtui.slices.artifact import as_correlation
from ctxtui.slices.filters import FilterConfig, check_limit
from ctxtui.slices.json_data import Item, copied
from ctxtui.slices.trace import Origin, Span, Trace, artifact_id, item_key, name_of
from ctxtui.slices.types import ContextProvider, ContextRequest, ContextSlice
from ctxtui.slices.visibility import words

AnyProvider = TypeVar("AnyProvider", bound=ContextProvider)
OnTrace = Callable[[Trace], None]
SNAPSHOT: Final = "context_snapshot"


async def checked_slice(
    provider: ContextProvider, request: ContextRequest, on_notice: OnNotice, on_trace: OnTrace
) -> ContextSlice:
    """The provider's slice as a copy, without items that the board hides from the agent.

    An item with an artifact is kept if the board shows it, otherwise dropped with a notice. Items without an artifact
    are kept, unverified in the trace, which becomes `metadata["trace"]`. Exceptions of the provider pass through, and
    `on_trace` gets the trace of a failed call as well.
    """
    span = Span()
    trace = Trace(request.agent.name, as_correlation(request.correlation_id), ())
    try:
        found = await call(provider, replace(request, span=span))
        paths = span.origins()
        visible, _ = await request.board.query_artifacts()
        named = dict.fromkeys(filter(None, map(artifact_id, found.items)))
        hidden = named.keys() - {artifact.id for artifact in visible}
        shown = [item for item in found.items if artifact_id(item) not in hidden]
        origins = tuple(Origin(paths.get(item_key(item), ()), artifact_id(item)) for item in shown)
        trace = replace(trace, origins=origins, dropped=tuple(each for each in named if each in hidden))
        items = _copied_items(shown, provider)
    finally:
        trace = replace(trace, calls=tuple(span.calls()))
        on_trace(trace)
    for notice in _notices(trace):
        on_notice(notice)
    return ContextSlice(items, {**found.metadata, "trace": trace})


def _copied_items(items: list[Item], provider: ContextProvider) -> list[Item]:
    try:
        return [copied(item) for item in items]
    except (TypeError, ValueError, RecursionError) as error:
        message = f"{name_of(provider)} returned an item that cannot be copied: {error}"
        raise ContextError("internal", message, hint="items are plain data") from error


def _notices(trace: Trace) -> list[Notice]:
    """A notice for each failed call, and for each item that the board hides."""
    failed = [each for each in trace.calls if each.error is not None]
    notices = [Notice("provider-failed", f"{' > '.join(each.path)}: {each.error}") for each in failed]
    for hidden in trace.dropped:
        message = f"an item names {hidden}, which the board does not show to {trace.agent or 'this reader'}"
        notices.append(Notice("item-dropped", message))
    return notices


async def call(provider: ContextProvider, request: ContextRequest) -> ContextSlice:
    """Call a provider and record it. Raises its exceptions, and ContextError (internal) if it gives no slice."""
    span = (request.span or Span()).open(provider)
    try:
        found = _checked(await provider(replace(request, span=span)), name_of(provider))
    except BaseException as error:
        span.close([], error)
        raise
    span.close(found.items)
    return found


def _checked(found: object, name: str) -> ContextSlice:
    """The slice, unchanged. Raises ContextError (internal) if it is none or has parts of the wrong type."""
    if not isinstance(found, ContextSlice):
        raise ContextError("internal", f"{name} returned {type(found).__name__} instead of a ContextSlice")
    if not isinstance(found.items, list | tuple):
        raise ContextError("internal", f"{name} returned items that are not a list")
    for item in found.items:
        if not isinstance(item, dict):
            raise ContextError("internal", f"{name} returned an item that is not a dict: {type(item).__name__}")
    if not isinstance(found.metadata, Mapping):
        raise ContextError("internal", f"{name} returned metadata that is not a mapping")
    return found


def traced(
    work: Callable[[AnyProvider, ContextRequest], Coroutine[Any, Any, ContextSlice]],
) -> Callable[[AnyProvider, ContextRequest], Coroutine[Any, Any, ContextSlice]]:
    """Decorate the `__call__` of a provider, so that direct calls by other providers are recorded too."""

    @wraps(work)
    async def recorded(self: AnyProvider, request: ContextRequest) -> ContextSlice:
        if request.span is not None and request.span.is_of(self):
            return await work(self, request)
        return await call(self, request)

    return recorded


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
        check_limit(self.limit)
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
