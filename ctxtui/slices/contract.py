"""The contract between agents and what gives them context (slices specification 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID

from ctxtui.core.given import a_counter, tokens, wrong
from ctxtui.slices.artifact import as_correlation
from ctxtui.slices.board import Board, bind

if TYPE_CHECKING:
    from ctxtui.core.tokens.counter import TokenCounter
    from ctxtui.slices.agent import Agent
    from ctxtui.slices.context import Context, EvalInputs
    from ctxtui.slices.trace import Span

Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """What a provider is asked with (slices specification 1.1).

    `board` is always bound to the agent, whatever board was given. `config` is free for the caller, `span`
    is where nested calls are recorded.
    """

    agent: Agent
    ctx: Context
    inputs: EvalInputs
    board: Board
    correlation_id: str | UUID | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    span: Span | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "board", bind(self.board, self.agent))
        object.__setattr__(self, "correlation_id", as_correlation(self.correlation_id))


@dataclass(frozen=True, slots=True)
class ContextSlice:
    """Structured payload for engines (slices specification 1.2).

    An item that stands for an artifact has its `id`; the others carry none. The slice of a finished run has
    its `Trace` as `metadata["trace"]`.
    """

    items: list[Item]
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def to_markdown(self, budget: int | str | None = None, counter: TokenCounter | str | None = None) -> str:
        """The items as text for a model, at most `budget` tokens (also `"8k"`) of `counter` (default o200k_base).

        Items are kept in order, the first that does not fit is cut, and the last line says how many are left
        out. Without a budget it is everything; a budget too small for even that line gives an empty text.
        Raises ContextError (invalid_request) for a negative budget.
        """
        from ctxtui.slices.render import render  # noqa: PLC0415 - most slices are never rendered

        limit = None if budget is None else tokens(budget, "budget")
        return render(self.items, limit, None if counter is None else a_counter(counter))


def a_provider(value: Any, name: str) -> Any:
    """The value if it can be asked for a slice; raises TypeError, for a class that was not called as well."""
    if not callable(value) or isinstance(value, type):
        raise wrong(name, "a context provider, an async function of a ContextRequest", value)
    return value


class ContextProvider(Protocol):
    """Decides what an agent's engines get to read; any async callable with this signature is one."""

    async def __call__(self, request: ContextRequest, /) -> ContextSlice:
        """The slice for a request; it may call other providers with the same request."""
        ...
