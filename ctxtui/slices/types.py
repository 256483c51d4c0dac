"""The types of the slices specification (clauses 1-3), and a slice as Markdown (8.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Protocol
from uuid import UUID

from ctxtui.core.base.errors import invalid
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.payload.cuts import largest_fitting
from ctxtui.core.tokens.arguments import a_counter, a_text, an_instance, tokens, wrong
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.slices.artifact import Artifact, as_correlation
from ctxtui.slices.board import Board, bind
from ctxtui.slices.json_data import Item, json_text
from ctxtui.slices.trace import Span
from ctxtui.slices.visibility import words

_CUT = "[truncated]\n"
_BACKTICKS = re.compile(r"`{3,}")
_HEADING_KEYS = ("produced_by", "created_at", "id")


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of a block, the line that closes its fence, and whether it says nothing without the next line."""

    text: str
    closing: str = ""
    is_opening: bool = False


def _text_within(blocks: list[list[_Line]], texts: list[str], budget: int, counter: TokenCounter) -> str:
    """Whole blocks, then one cut block, then the number left out. Empty if not even that line fits."""
    room = counter.within(budget) - counter.units(_left_out(len(blocks)))
    if room < 0:
        return ""
    kept: list[str] = []
    for block, text in zip(blocks, texts, strict=True):
        fitting = _cut(block, text, room, counter)
        if not fitting:
            break
        kept.append(fitting)
        room -= counter.units(fitting)
    left = len(blocks) - len(kept)
    return "".join(kept) + _left_out(left) if left else "".join(kept).rstrip("\n") + "\n"


def _left_out(number: int) -> str:
    return f"[{plural(number, 'item')} left out]\n"


def _cut(block: list[_Line], whole: str, room: int, counter: TokenCounter) -> str:
    """The text `whole` if it fits into `room` units, else the most lines of the block with a mark, else ""."""
    if counter.units(whole) <= room:
        return whole
    shown = largest_fitting(lambda lines: counter.units(_prefix(block, lines)) <= room, len(block) - 1)
    while shown and block[shown - 1].is_opening:
        shown -= 1
    return _prefix(block, shown) if shown else ""


def _prefix(block: list[_Line], lines: int) -> str:
    return "".join(line.text for line in block[:lines]) + block[lines - 1].closing + _CUT + "\n"


def _block(item: Item) -> list[_Line]:
    """A heading with the type, and a bullet for each key of the payload (of the item, if it has none)."""
    payload = item.get("payload", {key: value for key, value in item.items() if key not in ("type", *_HEADING_KEYS)})
    details = [plain_line(str(item[key])) for key in _HEADING_KEYS if item.get(key)]
    heading = f"## {plain_line(str(item.get('type') or 'item'))}{' - ' if details else ''}{', '.join(details)}\n"
    fields = payload if isinstance(payload, dict) else {"payload": payload}
    return [_Line(heading), *(line for key, value in fields.items() for line in _field(str(key), value))]


def _field(key: str, value: Any) -> list[_Line]:
    """The lines of a key and its value. Multi-line text goes into a fence, so that it cannot look like an item."""
    text = value if isinstance(value, str) else json_text(value)
    lines = re.split(r"\r\n|\r|\n", text)
    if len(lines) == 1:
        return [_Line(f"- {plain_line(key)}: {text}\n")]
    if not lines[-1]:
        lines.pop()
    fence = max((len(run) for run in _BACKTICKS.findall(text)), default=2) + 1
    closing = "`" * fence + "\n"
    inside = [_Line(line + "\n", closing) for line in lines]
    opening = [_Line(f"- {plain_line(key)}:\n", is_opening=True), _Line(closing, closing, is_opening=True)]
    return [*opening, *inside, _Line(closing)]


@dataclass(frozen=True, slots=True)
class EvalInputs:
    """The input of an engine: the artifacts that started the run."""

    artifacts: Sequence[Artifact] = ()


@dataclass(frozen=True, slots=True)
class EvalResult:
    """An engine's result: artifacts, or payloads of the types its agent publishes, and state for later engines."""

    artifacts: Sequence[object] = ()
    state: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ContextSlice:
    """Structured payload for engines (slices specification 1.2).

    An item made from an artifact has its `id`, other items have none. The slice of a finished run has its `Trace` as
    `metadata["trace"]`.
    """

    items: list[Item]
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def to_markdown(self, budget: int | str | None = None, counter: TokenCounter | str | None = None) -> str:
        """The items as text for a model, at most `budget` tokens (also `"8k"`) of `counter` (default o200k_base).

        Items keep their order, the first that does not fit is cut, and the last line reports the number left out.
        Without a budget, all items are included. A budget too small even for that line gives an empty text. Raises
        ContextError (invalid_request) for a negative budget.
        """
        limit = None if budget is None else tokens(budget, "budget")
        given: TokenCounter | None = None if counter is None else a_counter(counter)
        if limit is not None and limit < 0:
            raise invalid(f"a budget of {plural(limit, 'token')}", hint="0 or more")
        # Blocks meet at safe cuts.
        blocks = [_block(item) for item in self.items]
        texts = ["".join(line.text for line in block) + "\n" for block in blocks]
        if texts:
            texts[-1] = texts[-1][:-1]
        if limit is None:
            return "".join(texts)
        counted = given or get_counter()
        if all(counted.upper(units) <= limit for units in accumulate(map(counted.units, texts))):
            return "".join(texts)
        return _text_within(blocks, texts, limit, counted)


class ContextProvider(Protocol):
    """Selects the context that an agent's engines can read. Any async callable with this signature is a provider."""

    async def __call__(self, request: ContextRequest, /) -> ContextSlice:
        """The slice for a request. It may call other providers with the same request."""


def a_provider(value: Any, name: str) -> Any:
    """Return a provider. Raises TypeError for anything else, also for a class that was not instantiated."""
    if not callable(value) or isinstance(value, type):
        raise wrong(name, "a context provider, an async function of a ContextRequest", value)
    return value


class Run(Protocol):
    """One run of an agent, as providers and engines see it. `Context` implements it."""

    @property
    def agent(self) -> Agent: ...

    @property
    def board(self) -> Board:
        """The board as the agent sees it."""

    @property
    def state(self) -> dict[str, Any]:
        """Data that engines and providers share during the run."""

    async def slice_from(self, provider: ContextProvider) -> ContextSlice:
        """The provider's slice, computed once per run."""


class Engine(Protocol):
    """Does an agent's work. `EngineComponent` is the base class."""

    async def evaluate(self, ctx: Any, inputs: EvalInputs) -> EvalResult:
        """Do the work of one run."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """A type of artifact that an agent consumes, and the provider for runs that it starts, if any."""

    type: str
    context_provider: ContextProvider | None = None


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent as a value: its identity, which decides on visibility, and the parts of its runs."""

    name: str
    description: str = ""
    labels: frozenset[str] = frozenset()
    tenant: str | None = None
    subscriptions: tuple[Subscription, ...] = ()
    publishes: tuple[str, ...] = ()
    context_provider: ContextProvider | None = None
    engines: tuple[Engine, ...] = ()

    def __post_init__(self) -> None:
        a_text(self.name, "name")
        a_text(self.description, "description")
        an_instance(self.tenant, (str, type(None)), "tenant", "a string or None")
        object.__setattr__(self, "labels", words(self.labels, "labels"))
        if self.context_provider is not None:
            a_provider(self.context_provider, "context_provider")

    def subscription(self, type_: str) -> Subscription | None:
        """The subscription to a type of artifact, or None."""
        return next((each for each in self.subscriptions if each.type == type_), None)


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """The argument of a provider (slices specification 1.1).

    `board` is always bound to the agent, regardless of the given board. `config` is for the caller. `span` records
    nested calls.
    """

    agent: Agent
    ctx: Run
    inputs: EvalInputs
    board: Board
    correlation_id: str | UUID | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    span: Span | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "board", bind(self.board, self.agent))
        object.__setattr__(self, "correlation_id", as_correlation(self.correlation_id))
