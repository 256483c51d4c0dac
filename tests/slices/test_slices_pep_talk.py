"""Seed 003, "Example Workflow": the pep talk script, with an engine that records what it got to read."""

from dataclasses import dataclass
from typing import Any

from ctxtui.slices import (
    ContextRequest,
    ContextSlice,
    DefaultCorrelationProvider,
    FilterConfig,
    InMemoryBoard,
    Private,
    Runner,
    TagFilter,
)
from tests.slices.slices_helpers import Recorder, SetClock


class RecentWinsProvider:
    """Provide recent wins plus the active run, redacting private notes."""

    def __init__(self, max_wins: int = 3) -> None:
        self.max_wins = max_wins

    async def __call__(self, request: ContextRequest) -> ContextSlice:
        items = [*(await DefaultCorrelationProvider()(request)).items]
        won = TagFilter(include={"deal_won"})
        wins_filter = FilterConfig(types={"PitchResult"}, tags=won, limit=self.max_wins, order="-created_at")
        wins, _total = await request.board.query_artifacts(wins_filter, embed_meta=True)
        for envelope in wins:
            payload = dict(envelope.payload)
            payload.pop("private_notes", None)
            items.append({"type": envelope.type, "payload": payload, "produced_by": envelope.produced_by})
        return ContextSlice(items=items)


@dataclass
class Pitch:
    product: str
    audience: str
    highlight: str


@dataclass
class PitchResult:
    tagline: str
    closer: str
    private_notes: str | None = None


async def test_the_pep_talk() -> None:
    runner = Runner(InMemoryBoard(), clock=SetClock())
    engine = Recorder((PitchResult("Lanterns that last", "Sign today", "margin 40 %"),))
    builder = runner.agent("pep_talk_lead").description("Adds a hype meter to every pitch.")
    builder.consumes(Pitch).publishes(PitchResult).with_context(RecentWinsProvider(5)).with_engines(engine)
    for number in range(7):
        await runner.publish(PitchResult(f"win {number}", "closer", f"note {number}"), tags={"deal_won"})
    await runner.publish(PitchResult("lost", "closer"), tags={"deal_lost"})
    await runner.publish(PitchResult("secret win", "closer"), tags={"deal_won"}, visibility=Private({"rival"}))

    pitch = await runner.publish(Pitch("lantern", "campers", "burns for a year"))
    assert await runner.run_until_idle() == 1

    (context,) = engine.contexts
    assert [item["type"] for item in context] == ["Pitch"] + ["PitchResult"] * 5
    assert context[0]["payload"] == {"product": "lantern", "audience": "campers", "highlight": "burns for a year"}
    assert [item["payload"] for item in context[1:]] == [
        {"tagline": f"win {number}", "closer": "closer"} for number in (6, 5, 4, 3, 2)
    ]
    assert {item["produced_by"] for item in context} == {"external"}

    (trace,) = runner.trace
    own, default = "RecentWinsProvider", "DefaultCorrelationProvider"
    assert [(call.path, call.items) for call in trace.calls] == [((own,), 6), ((own, default), 1)]
    origins = [(origin.provider, origin.verified) for origin in trace.origins]
    assert origins == [(default, True)] + [(own, False)] * 5

    (answer,) = await _of_this_run(runner, pitch.correlation_id)
    assert (answer["produced_by"], answer["payload"]["tagline"]) == ("pep_talk_lead", "Lanterns that last")


async def _of_this_run(runner: Runner, correlation_id: str | None) -> list[dict[str, Any]]:
    """What a second agent of the same run gets by default."""
    reader = Recorder()
    runner.agent("reader").consumes("Question").publishes(PitchResult).with_engines(reader)
    await runner.publish({"text": "?"}, type="Question", correlation_id=correlation_id)
    await runner.run_until_idle()
    return [item for item in reader.contexts[0] if item["type"] == "PitchResult"]
