"""Runs of an agent: the inputs, results and context of its engines."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from ctxtui.core.base.notices import OnNotice, log_notice
from ctxtui.slices.artifact import Clock, as_correlation, utc_now
from ctxtui.slices.board import Board, bind
from ctxtui.slices.json_data import Item, copied
from ctxtui.slices.providers import DefaultCorrelationProvider, OnTrace, checked_slice
from ctxtui.slices.types import (
    Agent,
    ContextProvider,
    ContextRequest,
    ContextSlice,
    EvalInputs,
    EvalResult,
    a_provider,
)

DEFAULT_PROVIDER: Final = DefaultCorrelationProvider()


async def run_slice(
    provider: ContextProvider,
    board: Board,
    *,
    agent: Agent | None = None,
    correlation_id: str | UUID | None = None,
    inputs: EvalInputs | None = None,
    clock: Clock = utc_now,
    on_notice: OnNotice | None = None,
) -> ContextSlice:
    """The slice that a provider returns for an agent, checked and traced. `metadata["trace"]` is its `Trace`.

    Without an agent, the slice is for an anonymous reader, who sees only public artifacts. Exceptions of the provider
    pass through. Raises ContextError (internal) if it does not return a slice.
    """
    context = Context(
        agent or Agent(""),
        board,
        inputs or EvalInputs(),
        correlation_id,
        clock=clock,
        on_notice=on_notice or log_notice,
    )
    return await context.slice_from(provider)


@dataclass(slots=True)
class _Shared:
    """The slice of one provider in a run, None until computed. Holding `provider` keeps its `id()` unique."""

    provider: ContextProvider
    slice: ContextSlice | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """One run of an agent, shared by its engines and providers (slices specification 1.1).

    `board` is always bound to the agent. Engines and providers may use `state` freely, also as a cache. `config` is
    passed to providers. `agent_context_provider` belongs to the type that started the run, or by default to the
    agent.
    """

    agent: Agent
    board: Board
    inputs: EvalInputs = field(default_factory=EvalInputs)
    correlation_id: str | UUID | None = None
    state: dict[str, Any] = field(default_factory=dict)
    agent_context_provider: ContextProvider | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    clock: Clock = field(default=utc_now, repr=False)
    on_notice: OnNotice = field(default=log_notice, repr=False)
    # Without a runner, the slice alone has the trace.
    on_trace: OnTrace = field(default=lambda _trace: None, repr=False)
    _slices: dict[int, _Shared] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "board", bind(self.board, self.agent, self.clock))
        object.__setattr__(self, "correlation_id", as_correlation(self.correlation_id))
        if self.agent_context_provider is None:
            object.__setattr__(self, "agent_context_provider", self.agent.context_provider)

    async def slice_from(self, provider: ContextProvider) -> ContextSlice:
        """A copy of the provider's slice, computed once per run.

        The provider's exceptions pass through, and the next call tries again.
        """
        a_provider(provider, "provider")
        shared = self._slices.setdefault(id(provider), _Shared(provider))
        async with shared.lock:
            if shared.slice is None:
                request = ContextRequest(self.agent, self, self.inputs, self.board, self.correlation_id, self.config)
                shared.slice = await checked_slice(provider, request, self.on_notice, self.on_trace)
        return ContextSlice(copied(shared.slice.items), dict(shared.slice.metadata))


class EngineComponent:
    """The component that does an agent's work. Subclasses implement `evaluate` (slices specification 3)."""

    context_provider: ContextProvider | None = None

    def __init__(self, context_provider: ContextProvider | None = None) -> None:
        if context_provider is not None:
            a_provider(context_provider, "context_provider")
        self.context_provider = context_provider

    async def fetch_context_slice(self, ctx: Context) -> ContextSlice:
        """The engine's copy of its context, from its own provider, else the agent's, else the run's artifacts."""
        for provider in (self.context_provider, ctx.agent_context_provider):
            if provider is not None:
                return await ctx.slice_from(provider)
        return await ctx.slice_from(DEFAULT_PROVIDER)

    async def fetch_conversation_context(self, ctx: Context) -> list[Item]:
        """The items of the engine's context slice."""
        return (await self.fetch_context_slice(ctx)).items

    async def evaluate(self, ctx: Context, inputs: EvalInputs) -> EvalResult:  # noqa: ARG002 - for subclasses
        """Do the work of one run."""
        return EvalResult()
