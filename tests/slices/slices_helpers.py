"""What the slices' tests share: artifacts of known times, a clock that is set by hand, readers of results."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from ctxtui.slices import Artifact, Board, Context, ContextSlice, EngineComponent, EvalInputs, EvalResult

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


class SetClock:
    """A clock that goes on by a second whenever somebody looks at it, and by hand."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def artifact(id: str, minute: float = 0, **given: Any) -> Artifact:
    """An artifact made some minutes after START, of type Note in run c1 unless said otherwise."""
    payload = {"content": f"text of {id}"}
    values = {"type": "Note", "payload": payload, "produced_by": "writer", "correlation_id": "c1"}
    return Artifact(id=id, created_at=START + timedelta(minutes=minute), **values | given)


async def filled(board: Board, *artifacts: Artifact) -> Board:
    for each in artifacts:
        await board.publish(each)
    return board


def ids(found: ContextSlice) -> list[Any]:
    return [item.get("id") for item in found.items]


def fixed(*items: dict[str, Any], **metadata: Any) -> Callable[[Any], Any]:
    """A provider that always gives the same."""

    async def given(_: Any) -> ContextSlice:
        return ContextSlice(list(items), metadata)

    return given


class Recorder(EngineComponent):
    """An engine that keeps the context and the inputs it got, and returns what it was told to."""

    def __init__(
        self, returns: tuple[object, ...] = (), state: Mapping[str, Any] | None = None, **given: Any
    ) -> None:
        super().__init__(**given)
        self.contexts: list[list[dict[str, Any]]] = []
        self.inputs: list[EvalInputs] = []
        self._result = EvalResult(returns, state or {})

    async def evaluate(self, ctx: Context, inputs: EvalInputs) -> EvalResult:
        self.inputs.append(inputs)
        self.contexts.append(await self.fetch_conversation_context(ctx))
        return self._result

    @property
    def ids(self) -> list[list[Any]]:
        return [[item.get("id") for item in context] for context in self.contexts]
