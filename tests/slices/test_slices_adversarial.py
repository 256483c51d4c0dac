"""Providers that are badly written or mean harm: what is hidden stays hidden, and nothing else breaks."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from ctxtui.core.base.notices import Notice
from ctxtui.slices import (
    Agent,
    AllVisibleProvider,
    Board,
    CompositeProvider,
    Context,
    ContextProvider,
    ContextRequest,
    ContextSlice,
    DefaultCorrelationProvider,
    FallbackProvider,
    FilterConfig,
    InMemoryBoard,
    Labelled,
    Private,
    RedactingProvider,
    Runner,
    run_slice,
)
from tests.core.texts import refused
from tests.slices.slices_helpers import Recorder, artifact, filled, fixed, ids

BOSS = Agent("boss", labels=frozenset({"root"}), tenant="all")


@pytest.fixture
async def filled_board(board: Board) -> Board:
    return await filled(
        board,
        artifact("open", 0),
        artifact("hidden", 1, payload={"content": "hunter2"}, visibility=Private({"boss"})),
        artifact("labelled", 2, payload={"content": "hunter2"}, visibility=Labelled({"root"})),
    )


async def _as_boss(request: ContextRequest) -> ContextSlice:
    return await AllVisibleProvider()(replace(request, agent=BOSS))


async def _as_boss_in_context(request: ContextRequest) -> ContextSlice:
    assert isinstance(request.ctx, Context)
    found, _ = await replace(request.ctx, agent=BOSS).board.query_artifacts()
    return ContextSlice([each.item() for each in found])


async def _by_get(request: ContextRequest) -> ContextSlice:
    boards = (request.board, request.ctx.board)
    found = [await board.get(name) for name in ("open", "hidden", "labelled") for board in boards]
    return ContextSlice([each.item() for each in found if each])


async def _by_query(request: ContextRequest) -> ContextSlice:
    filters = (FilterConfig(types={"Note"}), FilterConfig(order="created_at"), FilterConfig(limit=1), None)
    slices = [(await request.board.query_artifacts(each, embed_meta=True))[0] for each in filters]
    return ContextSlice([each.item() for found in slices for each in found])


async def _nested(request: ContextRequest) -> ContextSlice:
    return await CompositeProvider(RedactingProvider(_as_boss), FallbackProvider(_by_get, _by_query))(request)


async def _through_an_engine(request: ContextRequest) -> ContextSlice:
    engine = Recorder(context_provider=AllVisibleProvider())
    assert isinstance(request.ctx, Context)
    return ContextSlice(await engine.fetch_conversation_context(replace(request.ctx, agent=BOSS)))


@pytest.mark.parametrize("ask", [_as_boss, _as_boss_in_context, _by_get, _by_query, _nested, _through_an_engine])
async def test_no_provider_reaches_what_is_hidden(filled_board: Board, ask: ContextProvider) -> None:
    found = await run_slice(ask, filled_board, agent=Agent("eve"))
    assert set(ids(found)) == {"open"}
    assert "hunter2" not in str(found)


async def test_no_attribute_leads_to_the_board_itself(filled_board: Board) -> None:
    seen: list[object] = []

    async def look(request: ContextRequest) -> ContextSlice:
        """Walk over everything that the attributes of our objects, bound methods and containers lead to."""
        todo: list[object] = [request]
        while todo:
            each = getattr(todo[-1], "__self__", todo[-1])
            todo.pop()
            if any(each is other for other in seen) or isinstance(each, type):
                continue
            if type(each).__module__.startswith("ctxtui.slices"):
                seen.append(each)
                todo += [getattr(each, name, None) for name in dir(each) if not name.startswith("__")]
            if isinstance(each, dict | list | tuple | set | frozenset):
                seen.append(each)
                todo += [*(each.values() if isinstance(each, dict) else each)]
        return ContextSlice([])

    await run_slice(look, filled_board, agent=Agent("eve"))
    assert len(seen) > 10
    assert not any(each is filled_board for each in seen)
    assert "hunter2" not in "".join(map(str, seen))


async def test_the_board_of_a_request_cannot_be_changed_or_written_to(filled_board: Board) -> None:
    async def tamper(request: ContextRequest) -> ContextSlice:
        with pytest.raises(AttributeError):
            request.board._get = AllVisibleProvider()  # type: ignore[attr-defined]
        with pytest.raises(AttributeError):
            request.ctx.board = InMemoryBoard()  # type: ignore[misc]
        await request.board.publish(artifact("open", payload={"content": "forged"}))
        return ContextSlice([])

    with refused("unauthorized", match="never published"):
        await run_slice(tamper, filled_board)
    assert (await filled_board.get("open")).payload == {"content": "text of open"}


async def test_items_that_name_hidden_artifacts_are_dropped_with_a_notice(filled_board: Board) -> None:
    told: list[Notice] = []
    stolen = fixed({"id": "hidden", "payload": "hunter2"}, {"id": "open"}, {"id": "labelled"}, {"id": "hidden"})
    found = await run_slice(stolen, filled_board, agent=Agent("eve"), on_notice=told.append)
    assert ids(found) == ["open"]
    assert found.metadata["trace"].dropped == ("hidden", "labelled")
    assert [notice.code for notice in told] == ["item-dropped", "item-dropped"]
    assert all(name in told[0].message for name in ("hidden", "eve"))
    # An id that the board does not know tells no more than a hidden one.
    found = await run_slice(fixed({"id": "absent"}, {"id": 7}), filled_board, on_notice=lambda _: None)
    assert (found.items, found.metadata["trace"].dropped) == ([], ("absent", "7"))


async def test_items_without_an_id_are_kept_and_not_verified(filled_board: Board) -> None:
    items: list[dict[str, Any]] = [{"text": "mine"}, {"id": None}, {"id": []}, {"id": "open"}]
    found = await run_slice(fixed(*items), filled_board)
    assert found.items == items
    assert [origin.verified for origin in found.metadata["trace"].origins] == [False, False, False, True]


async def test_what_was_hidden_while_the_provider_ran_is_dropped(board: Board) -> None:
    await board.publish(artifact("a"))

    async def slow(request: ContextRequest) -> ContextSlice:
        found = await AllVisibleProvider()(request)
        await board.publish(artifact("a", visibility=Private({"boss"})))
        return found

    assert ids(await run_slice(slow, board, on_notice=lambda _: None)) == []


@pytest.mark.parametrize(
    ("rubbish", "named"),
    [
        (None, "NoneType"),
        ([], "list"),
        (ContextSlice(None), "items"),  # type: ignore[arg-type]
        (ContextSlice("text"), "items"),  # type: ignore[arg-type]
        (ContextSlice([artifact("open")]), "Artifact"),  # type: ignore[list-item]
        (ContextSlice([{}], "meta"), "metadata"),  # type: ignore[arg-type]
        (ContextSlice([{"lock": asyncio.Lock()}, {"file": (each for each in ())}]), "copied"),
    ],
)
async def test_rubbish_is_an_error_that_names_the_provider(filled_board: Board, rubbish: Any, named: str) -> None:
    async def gives_rubbish(_: ContextRequest) -> Any:
        return rubbish

    with refused("internal", match=f"gives_rubbish.*{named}"):
        await run_slice(CompositeProvider(gives_rubbish) if named != "copied" else gives_rubbish, filled_board)


async def test_mutating_the_inputs_of_a_run_does_not_change_what_engines_work_on(board: Board) -> None:
    async def mutates(request: ContextRequest) -> ContextSlice:
        request.inputs.artifacts[0].payload.clear()
        return ContextSlice([])

    runner, first, second = Runner(board), Recorder(), Recorder()
    runner.agent("a").consumes("Task").with_context(mutates).with_engines(first, second)
    await runner.publish({"do": "this"}, type="Task")
    await runner.run_until_idle()
    assert [engine.inputs[0].artifacts[0].payload for engine in (first, second)] == [{"do": "this"}] * 2


async def test_one_that_raises_is_traced_and_raised(board: Board) -> None:
    async def raises(_: ContextRequest) -> ContextSlice:
        raise LookupError("no such archive")

    runner, engine = Runner(board), Recorder()
    runner.agent("a").consumes("Task").with_context(CompositeProvider(raises)).with_engines(engine)
    await runner.publish({}, type="Task")
    with pytest.raises(LookupError, match="no such archive"):
        await runner.run_until_idle()
    (trace,) = runner.trace
    assert [call.provider for call in trace.calls] == ["CompositeProvider", "raises"]
    assert {call.error for call in trace.calls} == {"LookupError: no such archive"}


async def test_one_that_hangs_can_be_cancelled_and_no_fallback_runs(filled_board: Board) -> None:
    begun, fell_back = asyncio.Event(), asyncio.Event()

    async def hangs(_: ContextRequest) -> ContextSlice:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    async def fallback(_: ContextRequest) -> ContextSlice:
        fell_back.set()
        return ContextSlice([])

    traces: list[Any] = []
    ctx = Context(Agent("a"), filled_board, on_trace=traces.append)
    task = asyncio.create_task(ctx.slice_from(FallbackProvider(hangs, fallback)))
    await begun.wait()
    assert (await asyncio.create_task(ctx.slice_from(DefaultCorrelationProvider()))).items == []
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not fell_back.is_set()
    assert [call.error for call in traces[-1].calls] == ["cancelled", "cancelled"]


async def test_whoever_waits_for_a_cancelled_slice_gets_it_made_anew(filled_board: Board) -> None:
    begun, calls = asyncio.Event(), 0

    async def hangs_once(request: ContextRequest) -> ContextSlice:
        nonlocal calls
        calls += 1
        if calls == 1:
            begun.set()
            await asyncio.Event().wait()
        return await AllVisibleProvider()(request)

    ctx = Context(Agent("a"), filled_board)
    first = asyncio.create_task(ctx.slice_from(hangs_once))
    await begun.wait()
    second = asyncio.create_task(ctx.slice_from(hangs_once))
    first.cancel()
    assert (ids(await second), calls) == (["open"], 2)


async def test_a_board_of_one_agent_shows_another_no_more(filled_board: Board) -> None:
    eve = Context(Agent("eve"), filled_board)
    assert ids(await run_slice(AllVisibleProvider(), eve.board, agent=BOSS)) == ["open"]
    assert set(ids(await run_slice(AllVisibleProvider(), filled_board, agent=BOSS))) == {"open", "hidden", "labelled"}
