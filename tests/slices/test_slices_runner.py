"""Seed 003, "Registration", "Engine Consumption", "Implementation Notes": which context reaches which engine."""

from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType
from typing import Any
from uuid import uuid4

import pytest

from ctxtui.core import ContextError
from ctxtui.slices import (
    After,
    Agent,
    AgentBuilder,
    AllVisibleProvider,
    Artifact,
    Board,
    Context,
    ContextRequest,
    ContextSlice,
    EngineComponent,
    EvalInputs,
    EvalResult,
    FilterConfig,
    InMemoryBoard,
    Labelled,
    Private,
    Runner,
    StateDelegatingProvider,
    Tenant,
)
from tests.core.texts import refused
from tests.slices.slices_helpers import START, Recorder, SetClock, artifact, filled, fixed


@dataclass
class Task:
    text: str


@dataclass
class Answer:
    text: str


class Modelled:
    """What has `model_dump()` is a payload, whatever made it."""

    def model_dump(self) -> dict[str, Any]:
        return {"when": START, "ids": {1, 2}}


async def _run(board: Board, *engines: EngineComponent, provider: Any = None) -> Runner:
    """A task for an agent with these engines, done."""
    runner = Runner(board)
    builder = runner.agent("a").consumes(Task).publishes(Answer)
    (builder.with_context(provider) if provider else builder).with_engines(*engines)
    await runner.publish(Task("one"))
    await runner.run_until_idle()
    return runner


async def test_a_builder_describes_an_agent() -> None:
    provider, engine = fixed(), Recorder()
    builder = AgentBuilder("lead").description("Leads.").labels("hr", "eu").labels("us").tenant("acme")
    agent = builder.consumes(Task, "Memo").publishes(Answer).with_context(provider).with_engines(engine).agent
    assert (agent.name, agent.description, agent.labels) == ("lead", "Leads.", {"hr", "eu", "us"})
    assert (agent.tenant, agent.publishes, agent.context_provider) == ("acme", ("Answer",), provider)
    assert [each.type for each in agent.subscriptions] == ["Task", "Memo"]
    assert agent.engines == (engine,)


async def test_without_a_provider_an_engine_gets_its_run(board: Board) -> None:
    runner, engine = Runner(board, clock=SetClock()), Recorder()
    runner.agent("a").consumes(Task).with_engines(engine)
    await filled(board, artifact("other"))
    first = await runner.publish(Task("one"))
    second = await runner.publish(Task("two"), correlation_id=first.correlation_id)
    third = await runner.publish(Task("three"))
    assert await runner.run_until_idle() == 3
    assert engine.ids == [[second.id, first.id], [second.id, first.id], [third.id]]
    assert engine.contexts[2][0]["payload"] == {"text": "three"}


async def test_the_engines_provider_comes_before_the_types_before_the_agents_before_the_default(board: Board) -> None:
    runner = Runner(board)
    own, shared = Recorder(context_provider=fixed({"by": "engine"})), Recorder()
    builder = runner.agent("a").consumes("Memo").consumes(Task, context_provider=fixed({"by": "type"}))
    builder.with_context(fixed({"by": "agent"})).with_engines(own, shared)
    await runner.publish(Task("one"))
    await runner.publish({"text": "two"}, type="Memo")
    await runner.run_until_idle()
    assert own.contexts == [[{"by": "engine"}]] * 2
    assert shared.contexts == [[{"by": "type"}], [{"by": "agent"}]]
    # A type that is consumed again takes the later provider.
    runner, engine, provider = Runner(board), Recorder(), fixed({"by": "type"})
    runner.agent("a").consumes(Task, "Memo").consumes(Task, context_provider=provider).with_engines(engine)
    await runner.publish(Task("one"))
    assert await runner.run_until_idle() == 1
    assert engine.contexts == [[{"by": "type"}]]


async def test_with_context_filter(board: Board) -> None:
    runner, engine = Runner(board, clock=SetClock()), Recorder()
    utility = Recorder(state={"plan": "short", "other": 1}, context_provider=fixed())
    builder = runner.agent("a").consumes(Task).with_engines(utility, engine)
    builder.with_context_filter(filters=FilterConfig(types={"Note"}), limit=1, include_state_keys={"plan"})
    await filled(board, artifact("n1", 0), artifact("n2", 1), artifact("d", 2, type="Draft"))
    await runner.publish(Task("one"))
    await runner.run_until_idle()
    assert engine.contexts[0][0]["id"] == "n2"
    assert engine.contexts[0][1:] == [{"type": "state", "payload": {"plan": "short"}}]
    # Alone, it gives everything visible.
    agent = AgentBuilder("a").with_context_filter().agent
    board = await filled(InMemoryBoard(), artifact("a", 0), artifact("b", 1), artifact("h", visibility=Private("x")))
    found = await Context(agent, board).slice_from(agent.context_provider)  # type: ignore[arg-type]
    assert [item["id"] for item in found.items] == ["b", "a"]


async def test_all_engines_of_a_run_share_one_slice_as_copies_of_their_own(board: Board) -> None:
    asked = 0

    async def counts(request: ContextRequest) -> ContextSlice:
        nonlocal asked
        asked += 1
        return await AllVisibleProvider()(request)

    class Spoils(Recorder):
        async def evaluate(self, ctx: Context, inputs: EvalInputs) -> EvalResult:
            mine = await self.fetch_conversation_context(ctx)
            mine[0]["payload"].clear()
            mine.clear()
            return EvalResult()

    last = Recorder()
    runner = await _run(board, Spoils(), Recorder(), last, provider=counts)
    assert last.contexts[0][0]["payload"] == {"text": "one"}
    assert asked == 1
    await runner.publish(Task("two"))
    await runner.run_until_idle()
    assert asked == 2


async def test_the_shared_slice_is_frozen_while_the_run_goes_on(board: Board) -> None:
    first, second = Recorder(returns=(Answer("new"),)), Recorder()
    await _run(board, first, second)
    assert first.contexts == second.contexts


async def test_a_utility_prepares_context_in_the_state_and_a_provider_may_cache_there(board: Board) -> None:
    async def caches(request: ContextRequest) -> ContextSlice:
        request.ctx.state["reads"] = request.ctx.state.get("reads", 0) + 1
        return ContextSlice([{"reads": request.ctx.state["reads"]}])

    snapshot = [{"type": "Summary", "payload": {"of": "all"}}]
    utility, engine = Recorder(state={"context_snapshot": snapshot}, context_provider=fixed()), Recorder()
    await _run(board, utility, engine, provider=StateDelegatingProvider())
    assert engine.contexts == [snapshot]

    engine = Recorder(context_provider=caches)
    await _run(board, Recorder(context_provider=caches), engine)
    assert engine.contexts == [[{"reads": 1}]]


async def test_answers_go_on_to_other_agents_of_the_same_run(board: Board) -> None:
    runner, reader = Runner(board, clock=SetClock()), Recorder()
    runner.agent("writer").consumes(Task).publishes(Answer).with_engines(Recorder(returns=(Answer("yes"),)))
    runner.agent("reader").consumes(Answer).with_engines(reader)
    task = await runner.publish(Task("one"))
    assert await runner.run_until_idle() == 2
    (answer,) = reader.inputs[0].artifacts
    assert (answer.payload, answer.produced_by) == ({"text": "yes"}, "writer")
    assert answer.correlation_id == task.correlation_id
    assert reader.ids == [[answer.id, task.id]]


async def test_an_agent_does_not_start_itself_and_agents_that_feed_each_other_are_stopped(board: Board) -> None:
    runner = Runner(board)
    for name in ("a", "b"):
        runner.agent(name).consumes(Task).publishes(Task).with_engines(Recorder(returns=(Task("again"),)))
        await runner.publish(Task("one"))
        if name == "a":
            assert await runner.run_until_idle() == 1
    with pytest.raises(ContextError, match="not idle after 20 runs") as caught:
        await runner.run_until_idle(max_runs=20)
    assert caught.value.hint


@pytest.mark.parametrize("visibility", [Private("ann"), Labelled("hr"), Tenant("acme")])
async def test_only_agents_that_may_see_an_artifact_are_started(board: Board, visibility: Any) -> None:
    runner, ann, eve = Runner(board), Recorder(), Recorder()
    runner.agent("ann").labels("hr").tenant("acme").consumes(Task).with_engines(ann)
    runner.agent("eve").tenant("other").consumes(Task).with_engines(eve)
    await runner.publish(Task("one"), visibility=visibility)
    assert (await runner.run_until_idle(), len(ann.contexts), len(eve.contexts)) == (1, 1, 0)


async def test_an_artifact_for_later_starts_its_run_later(board: Board) -> None:
    clock, engine = SetClock(), Recorder()
    runner = Runner(board, clock=clock)
    runner.agent("a").consumes(Task).with_engines(engine)
    await runner.publish(Task("one"), visibility=After(timedelta(hours=1)))
    assert await runner.run_until_idle() == 0
    clock.advance(3600)
    assert await runner.run_until_idle() == 1
    assert await runner.run_until_idle() == 0
    assert len(engine.contexts[0]) == 1


async def test_context_never_crosses_tenants(board: Board) -> None:
    runner, engines = Runner(board), {name: Recorder() for name in ("acme", "rival")}
    for name, engine in engines.items():
        runner.agent(name).tenant(name).consumes(Task).with_context(AllVisibleProvider()).with_engines(engine)
    for name in engines:
        await runner.publish(Task(f"of {name}"), visibility=Tenant(name))
    await runner.run_until_idle()
    for name, engine in engines.items():
        assert [[item["payload"]["text"] for item in context] for context in engine.contexts] == [[f"of {name}"]]


async def test_what_makes_a_payload(board: Board) -> None:
    runner = Runner(board)
    made = [
        await runner.publish(Task("one")),
        await runner.publish({"a": (1, {"b": START})}, type="Odd"),
        await runner.publish(Modelled()),
        await runner.publish({"text": "two"}, type=Task, tags="x", correlation_id=uuid4()),
        await runner.publish(artifact("given", correlation_id=None)),
    ]
    when = START.isoformat()
    assert [each.type for each in made] == "Task Odd Modelled Task Note".split()
    plain = [{"text": "one"}, {"a": [1, {"b": when}]}, {"when": when, "ids": [1, 2]}]
    assert [each.payload for each in made] == [*plain, {"text": "two"}, {"content": "text of given"}]
    assert len({each.correlation_id for each in made if each.correlation_id}) == 5
    assert made[3].tags == ("x",)
    assert [(await board.get(each.id)).payload for each in made] == [each.payload for each in made]


async def test_pydantic_models_are_payloads_without_being_needed(board: Board) -> None:
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("Pitch", product=(str, ...), tags=(set[str], set()))
    published = await Runner(board).publish(model(product="lantern"))
    assert (published.type, published.payload) == ("Pitch", {"product": "lantern", "tags": []})


def _circle() -> dict[str, Any]:
    circle: dict[str, Any] = {}
    circle["self"] = circle
    return circle


@pytest.mark.parametrize(
    "payload", [{"text": "no type"}, MappingProxyType({"text": "no type"}), "text", 7, None, Task, object()]
)
async def test_what_is_no_payload_is_refused(payload: object) -> None:
    with refused() as caught:
        await Runner(InMemoryBoard()).publish(payload)
    assert caught.value.hint


@pytest.mark.parametrize("payload", [_circle(), {"open": open}, {"generator": (x for x in ())}, {("a", "b"): 1}])
async def test_what_is_no_plain_data_is_refused(payload: object) -> None:
    with refused():
        await Runner(InMemoryBoard()).publish(payload, type="Odd")


async def _returns(result: object, *publishes: str) -> Board:
    class Engine(EngineComponent):
        async def evaluate(self, ctx: Context, inputs: EvalInputs) -> Any:
            return result

    board = await filled(InMemoryBoard(), artifact("hidden", visibility=Private("boss")))
    runner = Runner(board)
    runner.agent("a").consumes(Task).publishes(*publishes).with_engines(Engine())
    await runner.publish(Task("one"))
    await runner.run_until_idle()
    return board


async def test_an_engine_signs_with_its_agents_name_whatever_it_says() -> None:
    forged = Artifact("new", "Answer", {}, "boss", correlation_id="forged", visibility=Private("boss"))
    kept = await (await _returns(EvalResult([forged]), "Answer")).get("new")
    assert (kept.produced_by, kept.visibility) == ("a", Private("boss"))
    assert kept.correlation_id != "forged"
    # A mapping has the only type that its agent publishes.
    (answer, *_), _ = await (await _returns(EvalResult([{"text": "yes"}]), "Answer")).query_artifacts()
    assert (answer.type, answer.payload, answer.produced_by) == ("Answer", {"text": "yes"}, "a")


@pytest.mark.parametrize(
    ("result", "publishes", "category"),
    [
        (None, ("Answer",), "internal"),
        (EvalResult([{"text": "which type?"}]), ("Answer", "Memo"), "invalid_request"),
        (EvalResult([Answer("undeclared")]), (), "invalid_request"),
        (EvalResult([artifact("hidden", type="Answer")]), ("Answer",), "unauthorized"),
        (EvalResult([artifact("new")]), ("Answer",), "invalid_request"),
    ],
)
async def test_what_an_engine_may_not_return(result: object, publishes: tuple[str, ...], category: str) -> None:
    with refused(category):
        await _returns(result, *publishes)


async def test_what_is_due_stays_due_when_an_engine_fails(board: Board) -> None:
    class Fails(EngineComponent):
        async def evaluate(self, ctx: Context, inputs: EvalInputs) -> EvalResult:
            raise OSError("no model")

    runner, engine = Runner(board), Recorder()
    runner.agent("a").consumes(Task).with_engines(Fails())
    runner.agent("b").consumes(Task).with_engines(engine)
    await runner.publish(Task("one"))
    with pytest.raises(OSError, match="no model"):
        await runner.run_until_idle()
    assert await runner.run_until_idle() == 1
    assert len(engine.contexts) == 1


def test_a_name_is_given_once() -> None:
    runner = Runner(InMemoryBoard())
    runner.agent("a")
    for name in ("a", ""):
        with pytest.raises(ContextError):
            runner.agent(name)


async def test_a_context_without_a_runner(board: Board) -> None:
    """As the design has it: a store, artifacts, a provider, and what the engine gets."""
    await filled(board, artifact("a"), artifact("b", 1, visibility=Private("boss")))
    ctx = Context(Agent("x", context_provider=AllVisibleProvider()), board, correlation_id="none")
    assert [item["id"] for item in await EngineComponent().fetch_conversation_context(ctx)] == ["a"]
    assert (await EngineComponent(fixed({"by": "engine"})).fetch_conversation_context(ctx)) == [{"by": "engine"}]
    assert await EngineComponent().evaluate(ctx, ctx.inputs) == EvalResult()
