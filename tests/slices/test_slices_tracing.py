"""Seed 003, "Tracing" and open question 3: every call of every provider, and which one gave which item."""

import re
from typing import Any

from ctxtui.slices import (
    AllVisibleProvider,
    Board,
    Call,
    CompositeProvider,
    ContextRequest,
    ContextSlice,
    DefaultCorrelationProvider,
    FallbackProvider,
    FilterConfig,
    FilteredContextProvider,
    LimitedProvider,
    Origin,
    RedactingProvider,
    Runner,
    StateDelegatingProvider,
    Trace,
    run_slice,
)
from tests.slices.slices_helpers import Recorder, artifact, filled, fixed


async def _trace(provider: Any, board: Board, **given: Any) -> Trace:
    found = await run_slice(provider, board, on_notice=lambda _: None, **given)
    trace = found.metadata["trace"]
    assert isinstance(trace, Trace)
    assert len(trace.origins) == len(found.items)
    return trace


def _calls(trace: Trace) -> list[tuple[str, int]]:
    return [(" > ".join(call.path), call.items) for call in trace.calls]


async def test_nested_calls_are_all_there_with_their_numbers(board: Board) -> None:
    await filled(board, artifact("a", 0), artifact("b", 1), artifact("old", 2, correlation_id="c0", type="Win"))
    provider = RedactingProvider(
        CompositeProvider(
            DefaultCorrelationProvider(),
            LimitedProvider(FilteredContextProvider(FilterConfig(types={"Win"})), 5),
            StateDelegatingProvider(),
        )
    )
    trace = await _trace(provider, board, correlation_id="c1")
    inside = "RedactingProvider > CompositeProvider"
    assert _calls(trace) == [
        *(("RedactingProvider", 3), (inside, 3)),
        *((f"{inside} > DefaultCorrelationProvider", 2), (f"{inside} > LimitedProvider", 1)),
        *((f"{inside} > LimitedProvider > FilteredContextProvider", 1), (f"{inside} > StateDelegatingProvider", 0)),
    ]
    assert [call.error for call in trace.calls] == [None] * 6
    assert trace.calls[0].seconds >= trace.calls[1].seconds >= trace.calls[2].seconds > 0
    assert (trace.agent, trace.correlation_id) == ("", "c1")
    origins = [(origin.provider.removesuffix("Provider"), origin.id) for origin in trace.origins]
    assert origins == [("DefaultCorrelation", "b"), ("DefaultCorrelation", "a"), ("FilteredContext", "old")]


async def test_providers_that_are_called_directly_are_traced_as_well(board: Board) -> None:
    await board.publish(artifact("a"))

    async def mixes(request: ContextRequest) -> ContextSlice:
        own = {"type": "Hint", "payload": {"text": "own"}}
        found = await CompositeProvider(AllVisibleProvider())(request)
        return ContextSlice([own, *found.items])

    trace = await _trace(mixes, board)
    inner = ("mixes", "CompositeProvider", "AllVisibleProvider")
    assert _calls(trace) == [("mixes", 2), (" > ".join(inner[:2]), 1), (" > ".join(inner), 1)]
    assert trace.origins == (Origin(("mixes",), None), Origin(inner, "a"))


async def test_of_two_that_give_an_artifact_the_first_is_its_origin(board: Board) -> None:
    await board.publish(artifact("a"))
    provider = AllVisibleProvider()
    trace = await _trace(CompositeProvider(fixed({"id": "a"}), provider), board)
    assert [origin.provider for origin in trace.origins] == ["given"]
    # The same provider twice is two calls.
    trace = await _trace(CompositeProvider(provider, CompositeProvider(provider)), board)
    assert [call.provider for call in trace.calls].count("AllVisibleProvider") == 2


async def test_one_that_failed_gave_nothing(board: Board) -> None:
    await board.publish(artifact("a"))

    async def gives_up(request: ContextRequest) -> ContextSlice:
        await AllVisibleProvider()(request)
        raise TimeoutError("x" * 1000)

    trace = await _trace(FallbackProvider(gives_up, FilteredContextProvider(FilterConfig())), board)
    assert [origin.provider for origin in trace.origins] == ["FilteredContextProvider"]
    assert re.fullmatch("TimeoutError: xxx.{,283}", trace.calls[1].error or "")
    # A provider cannot write its own trace.
    trace = await _trace(fixed({"text": "x"}, trace="forged"), board)
    assert trace.calls == (Call(("given",), trace.calls[0].seconds, 1),)


async def test_a_runner_keeps_the_trace_of_every_slice(board: Board) -> None:
    runner = Runner(board)
    engines = Recorder(), Recorder(context_provider=fixed({"text": "x"})), Recorder()
    runner.agent("a").consumes("Task").with_context(AllVisibleProvider()).with_engines(*engines)
    runner.agent("b").consumes("Task").with_engines(Recorder())
    task = await runner.publish({}, type="Task")
    await runner.run_until_idle()
    calls = [("a", "AllVisibleProvider"), ("a", "given"), ("b", "DefaultCorrelationProvider")]
    assert [(trace.agent, _calls(trace)) for trace in runner.trace] == [(agent, [(name, 1)]) for agent, name in calls]
    assert {trace.correlation_id for trace in runner.trace} == {task.correlation_id}
    assert [origin.id for origin in runner.trace[0].origins] == [task.id]
