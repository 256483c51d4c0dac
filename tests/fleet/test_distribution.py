"""How starts are distributed: each counted once, in the bin that it belongs to, with ranks that exist."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.fleet.distribution import EDGES, bin_spans, distributions, percentile, position

TOKENS = st.integers(0, 3_000_000) | st.sampled_from(EDGES[:-1]) | st.integers(0, 60)
FLEETS = st.dictionaries(st.sampled_from(["codex", "cursor", "x"]), st.lists(TOKENS, min_size=1, max_size=40))


def test_each_bin_is_at_most_as_wide_as_all_before_it() -> None:
    assert EDGES[:8] == (0, 10, 15, 20, 30, 50, 70, 100)
    assert all(below <= 2 * least for least, below in pairwise(EDGES[1:]))


@given(FLEETS)
def test_every_start_is_in_its_bin_and_all_agents_share_the_bins(fleet: dict[str, list[int]]) -> None:
    named = {agent: [(tokens, f"r{at}") for at, tokens in enumerate(each)] for agent, each in fleet.items()}
    found = distributions(named)
    assert {each.agent for each in found} == set(fleet)
    assert len({tuple((one.least, one.below) for one in each.bins) for each in found}) <= 1
    for each in found:
        starts = fleet[each.agent]
        assert [one.repositories for one in each.bins] == [
            sum(one.least <= tokens < one.below for tokens in starts) for one in each.bins
        ]
        assert sum(one.repositories for one in each.bins) == each.repositories == len(starts)
        assert (each.largest, each.total) == (max(starts), sum(starts))
        assert (each.largest, each.largest_in) in named[each.agent]
        assert each.median <= each.p90 <= each.largest


@given(st.lists(TOKENS, min_size=1), st.integers(1, 100))
def test_a_rank_is_the_least_value_that_enough_do_not_pass(values: list[int], percent: int) -> None:
    found = percentile(sorted(values), percent)
    enough = [value for value in values if 100 * sum(each <= value for each in values) >= percent * len(values)]
    assert found == min(enough)


@given(st.lists(TOKENS, min_size=1), st.lists(TOKENS, min_size=2, max_size=2))
def test_more_tokens_are_further_to_the_right(values: list[int], two: list[int]) -> None:
    bins = distributions({"codex": [(each, "r") for each in values]})[0].bins
    less, more = sorted(two)
    assert 0 <= position(less, bins) <= position(more, bins) <= 1
    for place, each in enumerate(bins):
        assert position(each.least, bins) == pytest.approx(place / len(bins))


@given(st.lists(TOKENS, min_size=1), TOKENS, st.integers(1_000, 2_000))
def test_who_passes_a_limit_is_counted(values: list[int], limit: int, judged: int) -> None:
    found = distributions({"codex": [(each, "r") for each in values]}, {"codex": limit, "cursor": 1}, judged)[0]
    assert (found.limit, found.over) == (limit, sum(-(-each * judged // 1000) > limit for each in values))


@given(st.lists(TOKENS))
def test_spans_have_no_gaps_and_hold_all_values(values: list[int]) -> None:
    spans = bin_spans(values)
    assert bool(spans) == bool(values)
    assert all(one[1] == other[0] for one, other in pairwise(spans))
    assert all(any(least <= value < below for least, below in spans) for value in values)


def test_what_is_larger_than_all_edges_is_in_the_last_bin() -> None:
    bins = distributions({"codex": [(10**12, "a"), (5, "b")]})[0].bins
    assert [each.repositories for each in (bins[0], bins[-1])] == [1, 1]
    assert sum(each.repositories for each in bins) == 2
    assert [each.repositories for each in distributions({"codex": [(10**12, "a")]})[0].bins] == [1]


def test_agents_that_are_set_up_most_often_come_first() -> None:
    found = distributions({"a": [(9, "x")], "b": [(1, "x"), (2, "y")], "c": [(50, "x")], "d": []})
    assert [each.agent for each in found] == ["b", "c", "a"]
