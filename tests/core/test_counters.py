import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import ContextError
from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.wording import parse_tokens
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.reader import Reader
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.tokens.by_name import get_counter, model_counter
from ctxtui.core.tokens.families import families, family_of
from ctxtui.core.tokens.ledger import Ledger
from ctxtui.core.tokens.models import find_model, unknown_model
from ctxtui.core.tokens.spans import Counts, count_text
from ctxtui.core.tokens.whole import Whole, count_whole, has_ctok
from tests.cases import cases
from tests.core.texts import ENCODINGS, any_markdown, refused, true_count

TEXT = "# Orders\n\nNever charge a card twice.\n"


@cases(
    ("model", "basis"),
    [(model, "cl100k_base") for model in ("gpt-4", "gpt-4-turbo", "gpt-3.5-turbo")]
    + [(model, "o200k_base") for model in ("gpt-6", "gpt-6-luna", "gpt-6.1-sol", "gpt-5", "gpt-5-mini", "gpt-4o")]
    + [(model, "o200k_base") for model in ("gpt-4.1-mini", "chatgpt-4o-latest", "openrouter/openai/gpt-5.5")]
    + [(model, "o200k_base") for model in ("o3", "gpt-oss-120b")],
)
def test_models_with_a_public_tokenizer_are_exact(model: str, basis: str) -> None:
    counter = get_counter(model)
    assert (counter.exact, counter.label, counter.band) == (True, "exact", "")
    assert counter.count(TEXT) == counter.upper(counter.units(TEXT)) == true_count(TEXT, basis)


@cases("model", "claude-opus-4-1 claude-opus-5 gemini-2.5-pro deepseek-chat mistral-large kimi-k3 glm-5.2".split())
def test_models_without_one_are_estimates_with_a_band(model: str) -> None:
    counter = get_counter(model)
    assert (counter.exact, counter.label) == (False, "estimated")
    assert counter.upper(counter.units(TEXT)) >= counter.count(TEXT)
    assert re.match("-.*%", counter.band)


def test_an_estimate_weighs_tokens_and_characters() -> None:
    # A token of o200k_base and each character, by kind, have weights in thousandths of a token.
    text, counter = "Aa 1.\u00e9", get_counter("claude-opus-5")
    weights = family_of("claude-opus-5").weights
    each = weights.capital + weights.letter + weights.space + weights.digit + weights.sign + weights.wide
    thousandths = weights.token * true_count(text) + each
    assert (counter.units(text), counter.count(text)) == (thousandths, -(-thousandths // 1000))
    # Text in Chinese has a band of its own.
    assert counter.band_of("Orders are shipped once a day. " * 9) == counter.band
    assert counter.band_of("\u8ba2\u5355\u6bcf\u5929\u53d1\u8d27 " * 9) != counter.band


@given(st.text(), st.text())
def test_estimates_add_up_where_tokens_do(left: str, right: str) -> None:
    counter = get_counter("claude-opus-5")
    first, second = f"{left}\n", f"# {right}"
    assert counter.units(first) + counter.units(second) == counter.units(first + second)


@cases(
    ("name", "family"),
    [
        *(("claude-opus-4-1", "Claude up to 4.6"), ("claude-sonnet-4-5-20250929", "Claude up to 4.6")),
        ("anthropic/claude-haiku-4.5", "Claude up to 4.6"),
        *(("claude-opus-4-7", "Claude 4.7 and later"), ("claude-fable-5.1", "Claude 4.7 and later")),
        ("us.anthropic.claude-opus-4-8-v1:0", "Claude 4.7 and later"),
        *(("meta.llama3-1-70b-instruct-v1:0", "Llama 3 and 4"), ("Qwen/Qwen3-32B", "Qwen")),
        *(("gemma-3", "Gemini and Gemma"), ("grok-4", "another model")),
    ],
)
def test_a_model_belongs_to_a_family_wherever_it_is_served(name: str, family: str) -> None:
    assert family_of(name).name == family


def test_every_family_has_a_tokenizer_or_weights_in_a_band_with_a_source_and_a_date() -> None:
    for each in families():
        assert bool(each.tokenizer) != bool(each.weights), each.name
        assert each.band[0] <= 1000 <= each.band[1], each.name
        assert each.source, each.name
        assert date.fromisoformat(each.checked), each.name


@cases("model", ["grok-4", "no-such-model-1", "gpt2", "x" * 5000])
def test_a_model_that_no_one_knows_is_an_estimate_in_a_wide_band(model: str) -> None:
    counter, text = model_counter(model), TEXT * 50
    assert (counter.name, counter.label) == (model, "estimated")
    known = [model_counter(each).count(text) for each in ("gpt-6", "claude-opus-5", "claude-opus-4-1", "gemini-3")]
    units = counter.units(text)
    assert units * counter.low // 1_000_000 <= min(known) <= max(known) <= counter.upper(units)


def test_what_is_told_about_an_unknown_model() -> None:
    assert unknown_model("gpt-6") is unknown_model("claude-opus-5") is None
    told = unknown_model("grok-4") or ""
    assert "not public" in told
    assert "did you mean" not in told
    assert "claude-opus-5" in (unknown_model("klaude-opus-5") or "")
    with pytest.raises(ContextError, match="blank"):
        model_counter(" ")


def test_the_tokens_of_a_whole_text_say_how_they_are_known() -> None:
    assert count_whole(TEXT, get_counter("gpt-6")) == Whole(true_count(TEXT), "exact", true_count(TEXT))
    gemini = get_counter("gemini-3")
    assert count_whole(TEXT, gemini) == Whole(gemini.count(TEXT), "estimated", true_count(TEXT), gemini.band)
    # The heuristic is characters by four, rounded up.
    heuristic = get_counter("heuristic")
    assert count_whole("x" * 9, heuristic).basis_tokens == 9
    assert [heuristic.count("x" * size) for size in (0, 1, 4, 5, 8, 9)] == [0, 1, 1, 2, 2, 3]
    assert not heuristic.exact


@pytest.mark.skipif(not has_ctok(), reason="needs ctok, and so Python 3.12")
def test_claude_is_counted_with_a_reconstructed_vocabulary() -> None:
    whole = count_whole(TEXT * 40, get_counter("claude-opus-5"))
    assert whole.label == "reconstructed"
    estimate = get_counter("claude-opus-5").count(TEXT * 40)
    assert 0.8 * estimate < whole.tokens < 1.2 * estimate
    assert count_whole("", get_counter("claude-opus-5")).tokens == 0


@cases(("name", "hints"), [("o200k_bas", ["o200k_base"]), ("zzzzqqqq", ["o200k_base", "heuristic"])])
def test_an_unknown_name_gets_the_nearest_or_all_known_ones(name: str, hints: list[str]) -> None:
    with refused(match=name) as caught:
        get_counter(name)
    assert all(hint in (caught.value.hint or "") for hint in hints)


@given(st.sampled_from(["o200k_base", "heuristic", "claude-opus-4-1", "claude-opus-4-8"]), st.integers(0, 3_000_000))
def test_within_is_the_most_that_a_limit_has_room_for(name: str, limit: int) -> None:
    counter = get_counter(name)
    room = counter.within(limit)
    assert counter.upper(room) <= limit < counter.upper(room + 1)


def test_a_model_has_a_window_and_a_price_where_they_are_known() -> None:
    model, unknown = find_model("gpt-5"), find_model("zzzzqqqq")
    assert (model.window or 0) > 100_000
    assert (model.dollars(1_000_000) or 0) > 0 == model.dollars(0)
    assert (unknown.window, unknown.dollars(1000)) == (None, None)
    assert find_model("gpt-6").window == 1_050_000
    assert find_model("us.anthropic.claude-opus-4-8-v1:0").window == 1_000_000


@cases(
    ("text", "tokens"),
    [
        *(("12000", 12000), ("12k", 12000), (" 12K ", 12000), ("1.5m", 1_500_000), ("0", 0)),
        *(("12,000", 12000), ("1,200,000", 1_200_000), ("1_200_000", 1_200_000)),
    ],
)
def test_sizes_are_read_as_people_write_them(text: str, tokens: int) -> None:
    assert parse_tokens(text) == tokens


@cases("text", ["", "k", "-5", "12x", "1.2.3", "ten", "0x10", "1e3", "12 k k", "1,5k", "1,,5", "12,", "1234,567"])
def test_other_sizes_are_refused_with_a_hint(text: str) -> None:
    with pytest.raises(ContextError) as caught:
        parse_tokens(text)
    assert caught.value.hint


@pytest.mark.parametrize("name", ENCODINGS)
@given(text=any_markdown, data=st.data())
def test_counts_before_any_offset_run_from_zero_to_the_whole(name: str, text: str, data: st.DataObject) -> None:
    counter = get_counter(name)
    counts = count_text(counter, text)
    assert counts.units == true_count(text, name)
    assert counts.before(counter, text, 0) == 0
    assert counts.before(counter, text, len(text)) == counts.units
    offset = data.draw(st.integers(0, len(text)))
    assert counts.before(counter, text, offset) == true_count(text[:offset], name) or offset == len(text)


@pytest.mark.parametrize("name", [*ENCODINGS, "heuristic", "claude-opus-4-1"])
@given(text=any_markdown)
def test_parts_add_up_to_the_file_exactly_and_packed_counts_come_back(name: str, text: str) -> None:
    counter, reader = get_counter(name), Reader(Root("."), Ledger(None, "here"))
    counts = count_text(counter, text)
    assert Counts.unpack(counts.units, counts.pack()) == counts
    document = Document("a.md", text, Stamp(1, 1, len(text)), digest_of(text.encode()))
    tokens = reader.part_tokens(document, counter)
    assert len(tokens) == len(document.parts)
    assert sum(tokens) == counter.count(text)
