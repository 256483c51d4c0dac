"""Boards: what a query gives, in which order, how many of how many, and that nothing given away is shared."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.slices import (
    Agent,
    AllVisibleProvider,
    Artifact,
    Board,
    FilterConfig,
    FilteredContextProvider,
    InMemoryBoard,
    Private,
    TagFilter,
    run_slice,
)
from ctxtui.slices.board import bind
from tests.cases import cases
from tests.core.texts import refused
from tests.slices.slices_helpers import START, artifact, filled


async def _found(board: Board, filters: FilterConfig | None = None) -> tuple[list[str], int]:
    artifacts, total = await board.query_artifacts(filters)
    return [each.id for each in artifacts], total


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (FilterConfig(types={"Plan"}), ["p"]),
        (FilterConfig(types="Plan"), ["p"]),
        (FilterConfig(types=["Plan", Artifact]), ["p"]),
        (FilterConfig(producers={"boss"}), ["p"]),
        (FilterConfig(correlation_id="c2"), ["t"]),
        (FilterConfig(tags={"api", "ui"}), ["t", "p"]),
        (FilterConfig(tags="api"), ["p"]),
        (FilterConfig(tags=TagFilter(include={"api", "ui"}, require={"ui", "draft"})), ["t"]),
        (FilterConfig(tags=TagFilter(require={"ui"}, exclude={"draft"})), []),
        (FilterConfig(tags=TagFilter(exclude={"ui"})), ["p", "n"]),
        (FilterConfig(since=START + timedelta(minutes=1)), ["t", "p"]),
        (FilterConfig(until=START + timedelta(minutes=1)), ["p", "n"]),
        (FilterConfig(types={"Plan", "Note"}, tags={"ui"}, producers={"writer"}), ["t"]),
        (FilterConfig(types={"Plan"}, tags={"ui"}), []),
    ],
)
async def test_filters(board: Board, filters: FilterConfig, expected: list[str]) -> None:
    await filled(
        board,
        artifact("n", 0),
        artifact("p", 1, type="Plan", tags=("api",), produced_by="boss"),
        artifact("t", 2, tags=("ui", "draft"), correlation_id="c2"),
    )
    assert await _found(board, filters) == (expected, len(expected))


async def test_the_limit_cuts_after_ordering_and_the_total_does_not(board: Board) -> None:
    await filled(board, *(artifact(f"a{number}", number) for number in range(5)))
    assert await _found(board, FilterConfig(limit=2)) == (["a4", "a3"], 5)
    assert await _found(board, FilterConfig(limit=2, order="created_at")) == (["a0", "a1"], 5)
    assert await _found(board, FilterConfig(limit=0)) == ([], 5)


async def test_a_viewer_sees_and_counts_what_is_for_it_alone(board: Board) -> None:
    meta = {"owner": "x"}
    await filled(board, artifact("a", meta=meta), artifact("b", 1), artifact("c", 2, visibility=Private("boss")))
    eve = bind(board, Agent("eve"))
    assert bind(eve, Agent("eve")) is eve
    for view in (eve, bind(eve, Agent("boss"))):
        assert [await view.get(name) for name in ("c", "absent")] == [None, None]
        assert await _found(view, FilterConfig(limit=1)) == (["b"], 2)
    assert (await eve.get("a")).id == "a"
    for asked in (board, eve):
        (found, _), (whole, _) = await asked.query_artifacts(), await asked.query_artifacts(embed_meta=True)
        assert (found[-1].meta, whole[-1].meta) == ({}, meta)


@cases("wrong", [{"order": "size"}, {"limit": -1}, {"since": datetime(2026, 1, 1)}, {"until": datetime(2026, 1, 1)}])
def test_wrong_filters_are_refused_with_a_reason(wrong: dict[str, object]) -> None:
    with refused() as caught:
        FilterConfig(**wrong)  # type: ignore[arg-type]
    assert caught.value.hint


async def test_what_is_given_away_is_never_the_boards_own(board: Board) -> None:
    given = artifact("a", payload={"content": "kept", "parts": [{"n": 1}]}, meta={"owner": "x"})
    await board.publish(given)
    given.payload["content"] = "changed by the publisher"
    (queried,), _ = await board.query_artifacts(embed_meta=True)
    for each in (await board.get("a"), queried):
        each.payload["parts"][0]["n"] = 2
        each.payload.clear()
    assert (await board.get("a")).payload == {"content": "kept", "parts": [{"n": 1}]}
    # Publishing an id again replaces.
    await board.publish(artifact("a", 1, payload={"content": "two"}))
    (only,), total = await board.query_artifacts()
    assert (only.payload, total) == ({"content": "two"}, 1)


_words = st.sampled_from(["a", "b", "c"])
_some_words = st.sets(_words, max_size=2)
_artifact = st.builds(
    artifact,
    st.integers(0, 30).map("i{}".format),
    st.integers(0, 4),
    type=_words,
    tags=st.sets(_words).map(tuple),
    visibility=st.builds(Private, st.sets(st.sampled_from(["me", "you"]))),
)
_artifacts = st.lists(_artifact, unique_by=lambda each: each.id, max_size=12)


@given(_artifacts, _some_words, _some_words, st.none() | st.integers(0, 5), st.booleans())
async def test_a_bound_query_is_visibility_then_filter_then_order_then_limit(
    artifacts: list[Artifact], types: set[str], tags: set[str], limit: int | None, newest: bool
) -> None:
    filters = FilterConfig(types=types, tags=tags, limit=limit, order="-created_at" if newest else "created_at")
    board = await filled(InMemoryBoard(), *artifacts)
    found = await run_slice(FilteredContextProvider(filters), board, agent=Agent("me"))
    sign = -1 if newest else 1
    expected = [
        each.id
        for each in sorted(artifacts, key=lambda each: (sign * each.created_at.timestamp(), each.id))
        if each.visibility in (Private({"me"}), Private({"me", "you"}))
        if not types or each.type in types
        if not tags or set(each.tags) & tags
    ]
    assert ([item["id"] for item in found.items], found.metadata["total"]) == (expected[:limit], len(expected))


async def test_a_board_of_somebody_else_is_bound_as_well() -> None:
    class Plain:
        """No more than the protocol asks for."""

        def __init__(self) -> None:
            inner = InMemoryBoard()
            self.publish, self.get, self.query_artifacts = inner.publish, inner.get, inner.query_artifacts

    board = await filled(Plain(), artifact("a"), artifact("h", 1, visibility=Private({"boss"})))
    found = await run_slice(AllVisibleProvider(), board)
    assert ([item["id"] for item in found.items], found.metadata["total"]) == (["a"], 1)
