"""The fast engine counts as tiktoken does, one text or many, and where it would not, tiktoken counts."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.text.safe_cut import SAFE_CUT
from ctxtui.core.tokens import encodings, fast
from ctxtui.core.tokens.by_name import get_counter
from ctxtui.core.tokens.encodings import count_texts, count_tokens, encoding, expect_bytes, fast_engine_problem
from ctxtui.core.tokens.spans import count_each, count_text
from tests.core.texts import ENCODINGS, any_markdown, nasty, true_count

# What the engines split in different ways, or nearly so.
_ODD = "' s \u017f \u212a K \u0130 \u088f \u1acf \U0001e6c0 \U000323b0 \ud800 <|endoftext|> / \u0301 漢 😀 1 LL"
odd = st.lists(st.sampled_from([*_ODD.split(), " ", "\n", "\u00a0", "\t\t", "\x85"]), max_size=20).map("".join)
texts = st.one_of(any_markdown, nasty, odd, st.text(max_size=80))


@pytest.fixture(params=["tiktoken", "toktok"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each engine counts all that is counted."""
    monkeypatch.setattr(encodings, "expected", set(ENCODINGS) if request.param == "toktok" else set())
    assert [fast_engine_problem(name) for name in ENCODINGS] == ["", ""]
    return str(request.param)


@pytest.mark.parametrize("name", ENCODINGS)
def test_the_probes_are_counted_as_recorded(name: str) -> None:
    """The recorded counts are tiktoken's: without building it, the fast engine can be compared with them."""
    assert fast.digest_of([true_count(probe, name) for probe in fast.probes()]) == fast.COUNTS[name]


@pytest.mark.parametrize("name", ENCODINGS)
@given(some=st.lists(texts, max_size=12))
def test_engines_count_any_texts_alike_one_by_one_and_at_once(engine: str, name: str, some: list[str]) -> None:
    expected = [true_count(text, name) for text in some]
    assert count_texts(some, name) == expected
    assert [count_tokens(text, name) for text in some] == expected


@pytest.mark.parametrize("model", [*ENCODINGS, "claude-opus-5", "heuristic"])
@given(some=st.lists(any_markdown, max_size=4), data=st.data())
def test_many_texts_have_the_counts_of_each(engine: str, model: str, some: list[str], data: st.DataObject) -> None:
    some = [data.draw(st.sampled_from([1, 300])) * text for text in some]
    counter = get_counter(model)
    assert counter.units_of(some) == [counter.units(text) for text in some]
    assert count_each(counter, some) == [count_text(counter, text) for text in some]
    assert [each.units for each in count_each(counter, some)] == counter.units_of(some)


@pytest.mark.parametrize("name", ENCODINGS)
@given(data=st.data())
def test_counts_of_every_engine_add_up_at_safe_cuts(engine: str, name: str, data: st.DataObject) -> None:
    text = data.draw(nasty) + "\n" + data.draw(nasty)
    cuts = [0, *(match.start() for match in SAFE_CUT.finditer(text)), len(text)]
    assert sum(count_texts([text[start:end] for start, end in pairwise(cuts)], name)) == count_tokens(text, name)


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize(
    "text",
    [
        *("<|endoftext|>", "a<|fim_prefix|><|endofprompt|>", " " * 300_050 + "b", "a" * 100_000, "漢字" * 20_000),
        "a\r\n" * 50_000,
        "lone \ud83d and \ude00\ud83d surrogates",
        "\U000323b0\U0001e6c0a\u088f new letters",
        "it'\u017f there'\u017f",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_engines_agree_on_what_breaks_tokenizers(engine: str, name: str, text: str) -> None:
    assert count_texts([text, "a", text], name) == [true_count(text, name), 1, true_count(text, name)]


@pytest.mark.parametrize("name", ENCODINGS)
def test_engines_agree_on_white_space_that_tiktoken_gives_up_on(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = " \t" * 600_000 + "x"
    found = []
    for chosen in ({name}, set[str]()):
        monkeypatch.setattr(encodings, "expected", chosen)
        found.append(count_tokens(text, name))
    assert found[0] == found[1]


@pytest.mark.heavy
@pytest.mark.parametrize("name", ENCODINGS)
def test_every_character_is_split_alike(engine: str, name: str) -> None:
    """Unicode grows, and each engine has tables of its own."""
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    frames = ("a{}b\n", "A{}B 1{}2\n", ".{} {}\n{}", "a {}\r\n{}'s\n")
    framed = ["".join(frame.replace("{}", each) for frame in frames) for each in characters]
    codec = encoding(name)
    expected = [len(codec.encode(text, disallowed_special=())) for text in framed]
    counted = zip(characters, expected, count_texts(framed, name), strict=True)
    assert [hex(ord(each)) for each, theirs, ours in counted if theirs != ours] == []


@pytest.mark.parametrize("name", ENCODINGS)
def test_an_engine_that_splits_differently_is_not_used(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "expected", {name})
    monkeypatch.setitem(fast.COUNTS, name, "other counts")
    fast.fast_engine.cache_clear()
    try:
        assert "does not split texts as tiktoken does" in fast_engine_problem(name)
        assert count_texts(["hello world", ""], name) == [2, 0]
        monkeypatch.setattr("toktok.batch_count", None)
        fast.fast_engine.cache_clear()
        assert "failed: 'NoneType'" in fast_engine_problem(name)
        assert count_texts(["hello world", ""], name) == [2, 0]
    finally:
        fast.fast_engine.cache_clear()


def test_little_text_loads_no_fast_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encodings, "expected", set())
    monkeypatch.setattr(fast, "fast_engine", None)
    expect_bytes("o200k_base", encodings.FAST_FROM - 1)
    expect_bytes("characters", encodings.FAST_FROM)
    assert count_texts(["one", "two"], "o200k_base") == [1, 1]
    assert count_tokens("one " * 3_000_000, "o200k_base") == 3_000_001
