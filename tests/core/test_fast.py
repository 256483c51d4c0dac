from array import array
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.tokens import fast
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.counter import Count
from ctxtui.core.tokens.counts import count_text
from ctxtui.core.tokens.encodings import SAFE_CUT, count_tokens, encoding
from ctxtui.core.tokens.engines import Unusable, is_tested
from tests.core.texts import ENCODINGS, any_markdown, nasty, true_count


@pytest.fixture(params=["tiktoken", "gigatoken"])
def engine(request: pytest.FixtureRequest) -> Count:
    """What counts tokens: each engine that is installed."""
    if request.param == "tiktoken":
        return count_tokens
    if not is_tested():
        pytest.skip('gigatoken is not installed: pip install "ctxtui[fast]"')
    return lambda text, name: fast.fast_counter(name)(text, name)


@pytest.mark.parametrize("name", ENCODINGS)
def test_the_probes_are_split_as_recorded(name: str) -> None:
    """The recorded ids are tiktoken's: without building it, the fast engine can be compared with them."""
    ids = (array("I", encoding(name).encode(probe, disallowed_special=())) for probe in fast.PROBES)
    assert fast.digest_of_ids(each.tobytes() for each in ids) == fast.IDS[name]


@pytest.mark.parametrize("name", ENCODINGS)
@given(text=st.one_of(any_markdown, nasty, st.text(max_size=80)))
def test_engines_count_any_text_alike(engine: Count, name: str, text: str) -> None:
    assert engine(text, name) == true_count(text, name)


@pytest.mark.parametrize("name", ENCODINGS)
@given(text=any_markdown, data=st.data())
def test_cumulative_counts_are_those_of_tiktoken(engine: Count, name: str, text: str, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([1, 300])) * text
    assert count_text(get_counter(name), text, engine) == count_text(get_counter(name), text)


@pytest.mark.parametrize("name", ENCODINGS)
@given(data=st.data())
def test_counts_of_every_engine_add_up_at_safe_cuts(engine: Count, name: str, data: st.DataObject) -> None:
    text = data.draw(nasty) + "\n" + data.draw(nasty)
    cuts = [0, *(match.start() for match in SAFE_CUT.finditer(text)), len(text)]
    assert sum(engine(text[start:end], name) for start, end in pairwise(cuts)) == engine(text, name)


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize(
    "text",
    [
        "<|endoftext|>",
        "a<|fim_prefix|><|endofprompt|>",
        " " * 300_050 + "b",
        "a" * 100_000,
        "漢字" * 20_000,
        "a\r\n" * 50_000,
        "lone \ud83d and \ude00\ud83d surrogates",
        "\U000323b0\U0001e6c0a\u088f new letters",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_engines_agree_on_what_breaks_tokenizers(engine: Count, name: str, text: str) -> None:
    assert engine(text, name) == true_count(text, name)


@pytest.mark.heavy
@pytest.mark.parametrize("name", ENCODINGS)
def test_every_character_is_split_alike(name: str) -> None:
    """Unicode grows, and each engine has tables of its own."""
    if not is_tested():
        pytest.skip("gigatoken is not installed")
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    frames = ("a{}b\n", "A{}B 1{}2\n", ".{} {}\n{}", "a {}\r\n{}'s\n")
    for start in range(0, len(characters), 16):
        some = characters[start : start + 16]
        text = "".join(frame.replace("{}", each) for each in some for frame in frames)
        assert fast.fast_counter(name)(text, name) == true_count(text, name), [hex(ord(each)) for each in some]


def test_an_engine_that_splits_differently_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    if not is_tested():
        pytest.skip("gigatoken is not installed")
    # As a pattern of another encoding would.
    monkeypatch.setitem(fast.PRETOKENIZERS, "o200k_base", "cl100k")
    fast.fast_counter.cache_clear()
    with pytest.raises(Unusable, match="does not split texts as tiktoken does"):
        fast.fast_counter("o200k_base")
    monkeypatch.setitem(fast.PRETOKENIZERS, "o200k_base", "unheard-of")
    with pytest.raises(Unusable, match="failed"):
        fast.fast_counter("o200k_base")
    monkeypatch.undo()
    assert fast.fast_counter("o200k_base")("hello world", "o200k_base") == 2
