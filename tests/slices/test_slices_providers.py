"""Seed 003, "Built-In Providers": each of them, over both boards."""

import re
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest

from ctxtui.core import ContextError
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
    EvalInputs,
    FallbackProvider,
    FilterConfig,
    FilteredContextProvider,
    InMemoryBoard,
    LimitedProvider,
    RedactingProvider,
    Runner,
    StateDelegatingProvider,
    run_slice,
)
from tests.cases import cases
from tests.core.texts import refused
from tests.slices.slices_helpers import artifact, filled, fixed, ids


async def _with_state(provider: Any, board: Board, state: dict[str, Any]) -> ContextSlice:
    return await Context(Agent("a"), board, correlation_id="c1", state=state).slice_from(provider)


async def test_correlation_gives_the_current_run(board: Board) -> None:
    await filled(board, artifact("a", 0), artifact("b", 1), artifact("other", 2, correlation_id="c2"))
    found = await run_slice(DefaultCorrelationProvider(), board, correlation_id="c1")
    same = {"type": "Note", "produced_by": "writer", "tags": [], "correlation_id": "c1"}
    for item, name, minute in zip(found.items, "ba", (1, 0), strict=True):
        own = {"payload": {"content": f"text of {name}"}, "created_at": f"2026-03-01T12:0{minute}:00+00:00"}
        assert item == {"id": name} | same | own


async def test_correlation_ids_may_be_uuids_and_without_one_there_is_no_current_run(board: Board) -> None:
    run: UUID = uuid4()
    await filled(board, artifact("a", correlation_id=run), artifact("none", correlation_id=None))
    for given in (run, str(run)):
        assert ids(await run_slice(DefaultCorrelationProvider(), board, correlation_id=given)) == ["a"]
    assert ids(await run_slice(DefaultCorrelationProvider(), board)) == []


@pytest.mark.parametrize(
    ("inner", "outer", "count"), [(None, 2, 2), (2, None, 2), (1, 2, 1), (3, 2, 2), (None, None, 4)]
)
async def test_of_two_limits_the_smaller_holds(
    board: Board, inner: int | None, outer: int | None, count: int
) -> None:
    await filled(board, *(artifact(f"a{number}", number) for number in range(4)))
    found = await run_slice(FilteredContextProvider(FilterConfig(limit=inner), outer), board)
    assert ids(found) == ["a3", "a2", "a1", "a0"][:count]
    assert found.metadata["total"] == 4


async def test_wanted_state_follows_the_artifacts_whatever_the_limit(board: Board) -> None:
    await filled(board, artifact("a", 0), artifact("b", 1))
    state = {"plan": {"steps": [1]}, "secret": 1}
    provider = FilteredContextProvider(FilterConfig(), 1, include_state_keys={"plan", "absent"})
    found = await _with_state(provider, board, state)
    assert found.items[1:] == [{"type": "state", "payload": {"plan": {"steps": [1]}}}]
    found.items[1]["payload"]["plan"]["steps"].append(2)
    assert state == {"plan": {"steps": [1]}, "secret": 1}


async def test_a_snapshot_in_the_state_is_handed_on(board: Board) -> None:
    items = [{"type": "Summary", "payload": {"text": "short"}}]
    assert (await _with_state(StateDelegatingProvider(), board, {"context_snapshot": items})).items == items
    snapshot = ContextSlice(items, {"by": "utility"})
    found = await _with_state(StateDelegatingProvider(), board, {"context_snapshot": snapshot})
    assert (found.items, found.metadata["by"]) == (items, "utility")
    assert (await _with_state(StateDelegatingProvider(), board, {})).items == []
    with refused("internal", match="context_snapshot"):
        await _with_state(StateDelegatingProvider(), board, {"context_snapshot": "text"})


async def test_a_composite_merges_in_order_and_the_first_item_of_an_artifact_wins(board: Board) -> None:
    await filled(board, artifact("a", 0), artifact("b", 1), artifact("c", 2, correlation_id="c2"))
    provider = CompositeProvider(
        fixed({"id": "a", "payload": "short"}, {"text": "no id"}, source="first", first=1),
        DefaultCorrelationProvider(),
        fixed({"id": "", "text": "no id"}, {"id": "", "text": "none either"}, source="last", last=2),
        AllVisibleProvider(),
    )
    found = await run_slice(provider, board, correlation_id="c1")
    assert ids(found) == ["a", None, "b", "", "", "c"]
    assert [each.verified for each in found.metadata["trace"].origins] == [True, False, True, False, False, True]
    assert found.items[0] == {"id": "a", "payload": "short"}
    assert found.metadata.items() >= {"source": "first", "first": 1, "last": 2}.items()


async def test_a_limit_for_any_provider(board: Board) -> None:
    await filled(board, artifact("a", 0), artifact("b", 1))
    assert ids(await run_slice(LimitedProvider(AllVisibleProvider(), 1), board)) == ["b"]
    makers: Any = ((LimitedProvider, AllVisibleProvider()), (FilteredContextProvider, FilterConfig()))
    for make, inner in makers:
        with pytest.raises(ContextError, match="-1"):
            make(inner, -1)


async def _fails(_: ContextRequest) -> ContextSlice:
    raise RuntimeError("the archive is offline")


async def test_a_fallback_runs_where_the_primary_raises_and_says_so(board: Board) -> None:
    await board.publish(artifact("a"))
    told: list[Any] = []
    found = await run_slice(FallbackProvider(_fails, AllVisibleProvider()), board, on_notice=told.append)
    assert ids(found) == ["a"]
    assert [notice.code for notice in told] == ["provider-failed"]
    assert str(told[0]) == "FallbackProvider > _fails: RuntimeError: the archive is offline"
    # It does not run where the primary is empty.
    assert ids(await run_slice(FallbackProvider(fixed(), AllVisibleProvider()), board)) == []


_KEYS = {"email": "ann@example.com", "content": "call 555-1234"}


def _masked(payload: dict[str, Any]) -> dict[str, Any]:
    return {**payload, "content": f"<{payload['content']}>"}


_BY_KEY = RedactingProvider(_fails, keys=["email"])
_BY_PATTERN = RedactingProvider(_fails, patterns=[r"\d{3}-\d{4}"])
_BY_BOTH = RedactingProvider(_fails, keys=["email"], transform=_masked)


@pytest.mark.parametrize(
    ("primary", "payload"),
    [
        (_BY_KEY, {"content": "call 555-1234"}),
        (RedactingProvider(_BY_KEY, patterns=[r"\d{3}-\d{4}"]), {"content": "call [redacted]"}),
        (CompositeProvider(AllVisibleProvider(), _BY_PATTERN, _BY_KEY), {"content": "call [redacted]"}),
        (LimitedProvider(CompositeProvider(LimitedProvider(_BY_KEY, 2)), 3), {"content": "call 555-1234"}),
        (FallbackProvider(_BY_PATTERN, _fails), {"email": "ann@example.com", "content": "call [redacted]"}),
        (FallbackProvider(_fails, _BY_PATTERN), {"email": "ann@example.com", "content": "call [redacted]"}),
        (FallbackProvider(_BY_KEY, _BY_PATTERN, unredacted_fallback=True), {"content": "call [redacted]"}),
        (RedactingProvider(FallbackProvider(_fails, _fails), keys=["content"]), {"email": "ann@example.com"}),
        (_BY_BOTH, {"content": "<call 555-1234>"}),
        (_fails, _KEYS),
    ],
)
async def test_what_the_primary_redacts_is_redacted_in_the_fallback(
    board: Board, primary: ContextProvider, payload: dict[str, Any]
) -> None:
    agent = Runner(board).agent("reader").with_context(primary, fallback=AllVisibleProvider()).agent
    assert await _shown(agent.context_provider, board) == payload


async def _shown(provider: Any, board: Board) -> Any:
    """What is shown of an artifact with an address and a number."""
    await board.publish(artifact("a", payload=_KEYS))
    (item,) = (await run_slice(provider, board, on_notice=lambda _: None)).items
    return item["payload"]


async def test_an_unredacted_fallback_answers_only_where_it_is_asked_for(board: Board) -> None:
    builder = Runner(board).agent("reader")
    agent = builder.with_context(_BY_KEY, fallback=AllVisibleProvider(), unredacted_fallback=True).agent
    assert await _shown(agent.context_provider, board) == _KEYS


@pytest.mark.parametrize("wrap", [lambda inner: inner, lambda inner: LimitedProvider(inner, 5), CompositeProvider])
async def test_a_fallback_that_redacts_the_same_does_it_once(board: Board, wrap: Callable[..., Any]) -> None:
    fallback = wrap(RedactingProvider(AllVisibleProvider(), keys=["email"], transform=_masked))
    assert await _shown(FallbackProvider(_BY_BOTH, fallback), board) == {"content": "<call 555-1234>"}


async def test_a_composite_that_redacts_in_one_branch_is_redacted_in_the_other_too(board: Board) -> None:
    fallback = CompositeProvider(AllVisibleProvider(), RedactingProvider(AllVisibleProvider(), keys=["email"]))
    assert await _shown(FallbackProvider(_BY_KEY, fallback), board) == {"content": "call 555-1234"}


PERSON: dict[str, Any] = {"name": "Ann", "private_notes": "rude", "card": 4111222233334444, "paid": True}
PERSON |= {"orders": [{"sum": 3, "private_notes": ["late"]}, [{"private_notes": 1}]]}
PERSON |= {"key": "token sk-abc123, and sk-zz9"}


async def test_redaction_by_key_also_in_lists_and_by_pattern_in_texts_and_numbers(board: Board) -> None:
    await board.publish(artifact("a", payload=PERSON))
    patterns: list[str | re.Pattern[str]] = ["sk-[a-z0-9]+", re.compile(r"^\d{16}$")]
    by_key = RedactingProvider(AllVisibleProvider(), keys={"private_notes", "paid"})
    by_pattern = RedactingProvider(AllVisibleProvider(), patterns=patterns)
    first, second = [(await run_slice(each, board)).items[0]["payload"] for each in (by_key, by_pattern)]
    kept = {name: PERSON[name] for name in ("name", "key", "card")}
    assert first == kept | {"orders": [{"sum": 3}, [{}]]}
    assert second == PERSON | {"key": "token [redacted], and [redacted]", "card": "[redacted]"}


async def test_redaction_works_on_a_copy_and_keeps_what_names_the_item(board: Board) -> None:
    await board.publish(artifact("a", payload=PERSON, type="sk-type"))
    redacting = RedactingProvider(AllVisibleProvider(), keys={"id", "type", "payload"}, patterns=["sk-"])
    (item, *_) = (await run_slice(CompositeProvider(redacting, AllVisibleProvider()), board)).items
    assert item["type"] == "sk-type"
    assert (await board.get("a")).payload == PERSON


async def test_items_without_payload_are_redacted_too() -> None:
    given: dict[str, Any] = {"keys": "notes", "patterns": "sk-[0-9]", "transform": lambda item: item | {"done": True}}
    provider = RedactingProvider(fixed({"text": "sk-1", "notes": "x", "more": {"notes": "y"}}), **given)
    assert (await run_slice(provider, InMemoryBoard())).items == [{"text": "[redacted]", "more": {}, "done": True}]


async def test_a_transform_renames_no_item(board: Board) -> None:
    await board.publish(artifact("a"))
    inner = fixed({"id": "a", "type": "note", "text": "sk-1"})
    provider = RedactingProvider(inner, transform=lambda item: {"id": "b", "type": "other", "text": "x"})
    assert (await run_slice(provider, board)).items == [{"id": "a", "type": "note", "text": "x"}]


async def test_redaction_reaches_into_objects_and_a_transform_has_to_return_a_mapping() -> None:
    inner = fixed({"payload": {"inputs": EvalInputs((artifact("a", payload={"key": "sk-1"}),))}})
    found = await run_slice(RedactingProvider(inner, patterns=["sk-1"]), InMemoryBoard())
    assert found.items[0]["payload"]["inputs"]["artifacts"][0]["payload"] == {"key": "[redacted]"}
    provider = RedactingProvider(fixed({"payload": {"a": 1}}), transform=lambda payload: None)  # type: ignore[arg-type, return-value]
    with pytest.raises(ContextError, match="did not return a mapping"):
        await run_slice(provider, InMemoryBoard())


@cases("pattern", ["(", "[a-", "a*", "", "(?P<x>"])
def test_patterns_that_cannot_be_used_are_refused(pattern: str) -> None:
    with refused():
        RedactingProvider(AllVisibleProvider(), patterns=[pattern])


async def test_a_provider_can_be_asked_directly(board: Board) -> None:
    await board.publish(artifact("a"))
    ctx = Context(Agent("x"), board)
    request = ContextRequest(ctx.agent, ctx, ctx.inputs, board, "c1", {"depth": 1})
    assert ids(await DefaultCorrelationProvider()(request)) == ["a"]
    assert request.config == {"depth": 1}
