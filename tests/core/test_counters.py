from decimal import ROUND_CEILING, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import ContextError, get_counter
from ctxtui.core.tokens.models import estimate_for, estimates, find_model
from ctxtui.core.tokens.parse import parse_tokens
from tests.core.texts import true_count

TEXT = "# Orders\n\nNever charge a card twice.\n"


@pytest.mark.parametrize(
    ("model", "basis"),
    [
        ("gpt-5", "o200k_base"),
        ("gpt-5-mini", "o200k_base"),
        ("gpt-4o", "o200k_base"),
        ("o3", "o200k_base"),
        ("gpt-oss-120b", "o200k_base"),
        ("gpt-4", "cl100k_base"),
    ],
)
def test_models_with_a_public_tokenizer_are_exact(model: str, basis: str) -> None:
    counter = get_counter(model)
    assert counter.exact
    assert counter.band == ""
    assert counter.count(TEXT) == counter.upper(counter.units(TEXT)) == true_count(TEXT, basis)
    assert estimate_for(model) is None


@pytest.mark.parametrize(
    "model", ["claude-opus-4-1", "claude-sonnet-4-5", "gemini-2.5-pro", "deepseek-chat", "mistral-large"]
)
def test_models_without_one_are_estimates_with_a_band(model: str) -> None:
    counter, row = get_counter(model), estimate_for(model)
    assert row is not None
    assert not counter.exact
    scaled = Decimal(true_count(TEXT)) * Decimal(str(row.ratio))
    assert counter.count(TEXT) == scaled.to_integral_value(ROUND_CEILING)
    judged = Decimal(true_count(TEXT)) * Decimal(str(row.high))
    assert counter.upper(counter.units(TEXT)) == judged.to_integral_value(ROUND_CEILING)
    assert counter.upper(counter.units(TEXT)) >= counter.count(TEXT)
    assert "%" in counter.band


def test_claude_generations_have_ratios_of_their_own() -> None:
    assert get_counter("claude-opus-4-1").ratio < get_counter("claude-opus-4-8").ratio
    assert get_counter("claude-sonnet-4-5-20250929").ratio == get_counter("claude-opus-4-1").ratio


def test_every_estimate_lies_within_its_band() -> None:
    for row in estimates():
        assert row.low <= row.ratio <= row.high, row.patterns
        assert row.source, row.patterns


def test_the_heuristic_is_characters_by_four_rounded_up() -> None:
    counter = get_counter("heuristic")
    assert [counter.count("x" * size) for size in (0, 1, 4, 5, 8, 9)] == [0, 1, 1, 2, 2, 3]
    assert not counter.exact


def test_an_unknown_name_gets_a_hint() -> None:
    with pytest.raises(ContextError, match="o200k_bas") as caught:
        get_counter("o200k_bas")
    assert caught.value.category == "invalid_request"
    assert "o200k_base" in (caught.value.hint or "")


def test_a_name_near_nothing_gets_the_known_tokenizers() -> None:
    with pytest.raises(ContextError) as caught:
        get_counter("zzzzqqqq")
    assert "o200k_base" in (caught.value.hint or "")
    assert "heuristic" in (caught.value.hint or "")


@pytest.mark.parametrize("model", ["gpt2", "text-davinci-003"])
def test_a_model_whose_encoding_is_not_shipped_is_refused(model: str) -> None:
    with pytest.raises(ContextError, match="not shipped"):
        get_counter(model)


@given(st.sampled_from(["o200k_base", "heuristic", "claude-opus-4-1", "claude-opus-4-8"]), st.integers(0, 3_000_000))
def test_within_is_the_most_that_a_limit_has_room_for(name: str, limit: int) -> None:
    counter = get_counter(name)
    room = counter.within(limit)
    assert counter.upper(room) <= limit
    assert counter.upper(room + 1) > limit


def test_a_model_has_a_window_and_a_price() -> None:
    model = find_model("gpt-5")
    assert model.window is not None
    assert model.window > 100_000
    dollars = model.dollars(1_000_000)
    assert dollars is not None
    assert dollars > 0
    assert model.dollars(0) == 0


def test_an_unknown_model_has_neither() -> None:
    model = find_model("zzzzqqqq")
    assert (model.window, model.dollars(1000)) == (None, None)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("12000", 12000), ("12k", 12000), (" 12K ", 12000), ("12,000", 12000), ("1.5m", 1_500_000), ("0", 0)],
)
def test_sizes_are_read_as_people_write_them(text: str, tokens: int) -> None:
    assert parse_tokens(text) == tokens


@pytest.mark.parametrize("text", ["", "k", "-5", "12x", "1.2.3", "ten", "0x10", "1e3", "12 k k"])
def test_other_sizes_are_refused_with_a_hint(text: str) -> None:
    with pytest.raises(ContextError) as caught:
        parse_tokens(text)
    assert caught.value.hint
