"""Patterns of projects: they find what `re` finds, in bounded time, or are refused by the name of what they have."""

import re
import sys
import time

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from ctxtui.core import ContextError
from ctxtui.core.patterns.regex import MAX_PATTERN, compile_foreign
from tests.cases import cases

# Words of several scripts, digits that are not ASCII, letters with odd cases, spaces, marks, line ends, a surrogate.
_LETTERS = "aAbBkKsSiIzZ_-0 9\n\r.,ßẞſıİKΣςσéÉ٣५中\u0301\u00a0\u2028\x1c\ud800\U0001d7d8\U00010400\U00010428"
_SETS = [
    *[rf"\{letter}" for letter in "dDwWsS"],
    *[
        "[a-k]",
        "[^a-k]",
        r"[\d_]",
        r"[^\W\d]",
        r"[^\s-]",
        "[İ-ſ]",
        r"[\D]",
        "[^\n]",
        "[ßs]",
        ".",
        r"\.",
        r"\n",
        "[]a]",
    ],
    *["a", "b", "k", "s", "i", "é", "٣", "ς", "中", " ", "-", "0"],
]
_PLACES = [r"\b", r"\B", r"\A", r"\Z", "^", "$"]
_REPEATS = ["?", "*", "+", "{2}", "{1,3}", "{2,}", "??", "*?", "+?", "{1,2}?"]
# Not `a`: `re.search(r"((?a:\W))", "É")` finds nothing, though `re.match` does.
_FLAGS = ["i", "s", "m", "is", "im"]


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.lists(inner, min_size=2, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.tuples(inner, st.sampled_from(_REPEATS)).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
        inner.map(lambda part: f"({part})"),
        st.tuples(st.sampled_from(_FLAGS), inner).map(lambda pair: f"(?{pair[0]}:{pair[1]})"),
        st.tuples(st.sampled_from("ism"), inner).map(lambda pair: f"(?i:(?-{pair[0]}:{pair[1]}))"),
    )


_PATTERNS = st.recursive(st.sampled_from(_SETS) | st.sampled_from(_PLACES), _grown, max_leaves=8)
_TEXTS = st.text(st.sampled_from(_LETTERS), max_size=30)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(["", "(?i)", "(?s)", "(?m)", "(?a)", "(?x)"]), _PATTERNS, _TEXTS)
@example("", r"\b\d{4}\b", "é1234 1234 ٣٤٥٦\n")
@example("(?i)", "straße|i", "STRAẞE İ ı")
@example("", "a$", "a\na\n")
@example("", r"(?:a|ab)(?:c|bcd)", "abcd")
def test_a_pattern_finds_what_re_finds(flags: str, pattern: str, text: str) -> None:
    try:
        ready = compile_foreign(flags + pattern)
    except ContextError:
        assume(False)
        return
    assert list(ready.spans(text)) == [match.span() for match in re.finditer(flags + pattern, text)]
    assert ready.sub("[gone]", text) == re.sub(flags + pattern, "[gone]", text)


@cases("letter", "dwsDWS")
def test_classes_hold_the_same_characters_as_in_re(letter: str) -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    pattern = rf"\{letter}+"
    assert list(compile_foreign(pattern).spans(every)) == [match.span() for match in re.finditer(pattern, every)]


@cases("pattern", ["(?i)[a-z]+", "(?i)[^a-z]+", "(?i)[İ-ſϐ-϶]+", "(?i)ß|ﬅ|ΐ|k|i|µ|ι"])
def test_case_is_ignored_as_in_re(pattern: str) -> None:
    every = "".join(map(chr, range(0x1F000)))
    assert list(compile_foreign(pattern).spans(every)) == [match.span() for match in re.finditer(pattern, every)]


@cases(
    ("pattern", "said"),
    [
        ("(?=a)b", "(?=…)"),
        ("(?<=a)b", "(?<=…)"),
        ("(?!a)b", "(?!…)"),
        ("(?<!a)b", "(?<!…)"),
        ("(?!)b", "(?!…)"),
        (r"(a)\1", "refers back"),
        ("(?P<n>a)(?P=n)", "refers back"),
        ("(a)?(?(1)b|c)", "(?(1)…)"),
        ("(?>a)b", "(?>…)"),
        ("a++b", "possessive"),
        ("[a-", "not a regular expression"),
        ("(?P<n>a)(?P<n>b)", "not a regular expression"),
        ("a{99999999999}", "not a regular expression"),
        ("(" * 900 + "a" + ")" * 900, "not a regular expression"),
        ("a" * (MAX_PATTERN + 1), "longer than 2,000"),
        ("a{1001}", "repeats too much"),
        ("(?:a{100}){100}", "repeats too much"),
        (r"(?:[ab]{900}x){1}" * 3, "too large"),
        (r"(?:a*b?)+c", "may be empty"),
        (r"\b", "empty string"),
        ("a?", "empty string"),
        ("(?m:^a$)|b$", "(?m)"),
        (r"\ba|(?a:\bb)", "(?a)"),
        ("".join(map(chr, range(0x4E00, 0x4F00))), "distinguishes too many"),
        (r"\ba|" + "|".join(map(chr, range(0x4E00, 0x4E60))), "distinguishes too many"),
    ],
)
def test_what_is_refused_is_named(pattern: str, said: str) -> None:
    with pytest.raises(ContextError) as caught:
        compile_foreign(pattern)
    assert caught.value.category == "invalid_request"
    assert said in caught.value.message
    assert caught.value.hint or "not a regular expression" in said


@cases(
    ("pattern", "text"),
    [
        ("(a+)+$", "a" * 44 + "b"),
        ("(a|a)+b", "a" * 100_000),
        ("(?:[ab]{1,3}){300}c", "ab" * 20_000),
        ("[ab]*a[ab]{900}c", "abbabaaab" * 4_000),
    ],
)
def test_no_pattern_runs_for_ever(pattern: str, text: str) -> None:
    start = time.process_time()
    assert compile_foreign(pattern).sub("", text) == text
    assert time.process_time() - start < 1.5


def test_searches_that_each_read_to_the_end_are_stopped() -> None:
    start = time.process_time()
    with pytest.raises(ContextError, match=r"takes too long on a text of 80,000 characters"):
        compile_foreign("a.*b|a").sub("", "a" * 80_000)
    assert time.process_time() - start < 5


def test_a_pattern_that_matches_everywhere_is_not_stopped() -> None:
    assert compile_foreign(r"\w").sub("", "é" * 100_000) == ""


def test_patterns_written_alike_are_equal() -> None:
    assert compile_foreign("a+") == compile_foreign("a+") != compile_foreign("a")
