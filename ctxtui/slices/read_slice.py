"""A slice for one reader of a board, without a runner."""

from __future__ import annotations

from uuid import UUID

from ctxtui.core.notices import OnNotice, log_notice
from ctxtui.slices.artifact import Clock, utc_now
from ctxtui.slices.board import Board
from ctxtui.slices.context import Context
from ctxtui.slices.types import Agent, ContextProvider, ContextSlice, EvalInputs


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
