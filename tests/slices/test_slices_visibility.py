"""Visibility: who sees what, as agents see it through either board."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.slices import (
    After,
    Agent,
    AllVisibleProvider,
    Board,
    Labelled,
    Private,
    Public,
    Tenant,
    Visibility,
    run_slice,
)
from ctxtui.slices.visibility import read_visibility, visibility_data
from tests.cases import cases
from tests.slices.slices_helpers import SetClock, artifact, filled, ids

NOW = timedelta(0)


@cases(
    ("visibility", "agent", "expected"),
    [
        (Public(), Agent(""), True),
        (Private({"ann", "bob"}), Agent("ann"), True),
        (Private({"ann", "bob"}), Agent("eve"), False),
        (Private("ann"), Agent("a"), False),
        (Private(()), Agent(""), False),
        (Labelled({"hr", "eu"}), Agent("x", labels=frozenset({"hr", "eu", "us"})), True),
        (Labelled({"hr", "eu"}), Agent("x", labels=frozenset({"hr"})), False),
        (Tenant("acme"), Agent("x", tenant="acme"), True),
        (Tenant("acme"), Agent("x", tenant="other"), False),
        (Tenant("acme"), Agent("x"), False),
        (After(timedelta(0)), Agent("x"), True),
        (After(timedelta(seconds=1)), Agent("x"), False),
        (After(timedelta(0), Private({"ann"})), Agent("ann"), True),
        (After(timedelta(0), Private({"ann"})), Agent("x"), False),
    ],
)
def test_who_may_see(visibility: Visibility, agent: Agent, expected: bool) -> None:
    assert visibility.allows(agent, NOW) is expected


@pytest.mark.parametrize(
    "visibility", [Private({"ann"}), Labelled({"hr"}), Tenant("acme"), After(timedelta(0), Tenant("acme"))]
)
async def test_through_a_board(board: Board, visibility: Visibility) -> None:
    await filled(board, artifact("open", 0), artifact("hidden", 1, visibility=visibility))
    ann = Agent("ann", labels=frozenset({"hr"}), tenant="acme")
    assert ids(await run_slice(AllVisibleProvider(), board, agent=ann)) == ["hidden", "open"]
    assert ids(await run_slice(AllVisibleProvider(), board, agent=Agent("eve", tenant="evil"))) == ["open"]
    assert ids(await run_slice(AllVisibleProvider(), board)) == ["open"]


async def test_after_goes_by_a_clock_that_can_be_set(board: Board) -> None:
    clock = SetClock()
    waiting = After(timedelta(hours=1), Private({"ann"}))
    await board.publish(artifact("later", 0, visibility=waiting))

    async def seen(name: str) -> list[str]:
        return ids(await run_slice(AllVisibleProvider(), board, agent=Agent(name), clock=clock))

    assert await seen("ann") == []
    clock.advance(3600)
    assert await seen("ann") == ["later"]
    assert await seen("eve") == []


_names = st.text(max_size=8)
_of_names = st.builds(Private, st.sets(_names)) | st.builds(Labelled, st.sets(_names)) | st.builds(Tenant, _names)
_visibilities = st.recursive(
    st.just(Public()) | _of_names,
    lambda inner: st.builds(After, st.timedeltas(timedelta(0), timedelta(days=9999)), st.none() | inner),
    max_leaves=3,
)


@given(_visibilities)
def test_the_written_form_means_the_same(visibility: Visibility) -> None:
    assert read_visibility(visibility_data(visibility)) == visibility


@cases(
    "data",
    [
        *(None, "publik", "private", {}, ["public"], {"labelled": None}, {"tenant": 7}),
        *({"private": "ann"}, {"private": [1]}, {"private": ["ann"], "then": "public"}),
        *({"after": "soon"}, {"after": "nan"}, {"after": "inf"}, {"after": True}),
        *({"after": 1, "then": "x"}, {"after": 1, "than": "public"}),
    ],
)
def test_what_says_nothing_clear_is_refused(data: object) -> None:
    with pytest.raises(ValueError, match=r"^not a "):
        read_visibility(data)


def test_visibilities_nested_without_end_are_refused() -> None:
    data: object = "public"
    for _ in range(2000):
        data = {"after": 0, "then": data}
    with pytest.raises(ValueError, match=r"^not a visibility"):
        read_visibility(data)
