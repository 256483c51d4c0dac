"""Dollars: of the first request and of later ones, by the packaged price data."""

from decimal import Decimal

import pytest

from ctxtui.audit.prices import money, start_money
from ctxtui.core.tokens.models import find_model
from tests.audit.reporting_helpers import opened


@pytest.mark.parametrize("model", ["gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"])
def test_first_and_cached(model: str) -> None:
    result = money(model, [("nothing", 0), ("start", 12_000)])
    nothing, start = result.expenses
    assert (nothing.first, nothing.cached) == (0, 0)
    # Claude charges a quarter more for what is written to the cache.
    factor = Decimal("1.25") if model.startswith("claude") else 1
    assert start.first == factor * (find_model(model).dollars(12_000) or 0)
    assert start.cached is not None
    assert start.first is not None
    assert 0 < start.cached < start.first
    assert result.remark == ""
    assert result.provider
    assert result.as_of.startswith("genai-prices ")


def test_long_requests_cost_what_their_step_costs() -> None:
    short, long = money("claude-sonnet-4-5", [("short", 100_000), ("long", 300_000)]).expenses
    assert short.first is not None
    assert long.first is not None
    assert long.first > 3 * short.first


def test_no_price_for_cached_input_is_said() -> None:
    result = money("gpt-4", [("start", 1_000)])
    assert result.expenses[0].cached is None
    assert result.expenses[0].first == Decimal("0.03")
    assert result.remark == "the price data have no price for cached input of gpt-4"


def test_a_model_without_a_price_is_said() -> None:
    result = money("no-such-model-1", [("start", 1_000)])
    assert (result.expenses[0].first, result.expenses[0].cached) == (None, None)
    assert result.remark == "the price data have no price of no-such-model-1"


def test_each_agents_start_and_the_whole(project) -> None:  # type: ignore[no-untyped-def]
    found = opened(project({"CLAUDE.md": "Be brief.\n" * 50, "GEMINI.md": "Be brief.\n"}))
    result = start_money("gpt-5", found.agents, 1_000)
    sizes = {each.name: each.tokens for each in result.expenses}
    assert sizes == {**{each.agent.id: each.start_tokens for each in found.agents}, "total": 1_000}
