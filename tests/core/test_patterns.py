"""Patterns of projects: RE2 finds what they mean, in bounded time, or they are refused with a remedy."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import ContextError
from ctxtui.core.text.regex import MAX_PATTERN, compile_foreign
from tests.cases import cases
from tests.core.texts import refused

_PIECES = ["a", "b", "[ab]", ".", r"\.", "[^b]", "é", "(?:ab|a)", "(?i:B)", "a+", "b{1,2}", "a*?b", "(?s:.)", "中"]


@given(st.lists(st.sampled_from(_PIECES), min_size=1, max_size=4).map("".join), st.text("aBb.é中\n", max_size=30))
def test_a_pattern_finds_what_re_finds(pattern: str, text: str) -> None:
    assert compile_foreign(pattern).sub("[é]", text) == re.sub(pattern, "[é]", text)


@cases(
    ("pattern", "text", "shown"),
    [
        # Classes are those of ASCII, half a character stays as it is, places are no matches.
        (r"\b\w+\b", "né ٣4", "xé ٣x"),
        (r"\p{L}+", "né ٣4", "x ٣4"),
        ("b|é", "a\ud800bé", "a\ud800xx"),
        (r"\w*\b", "ab é, cd", "x é, x"),
        # What matches everywhere is not stopped.
        (r"\pL", "é" * 100_000, "x" * 100_000),
    ],
)
def test_matches_are_replaced(pattern: str, text: str, shown: str) -> None:
    assert compile_foreign(pattern).sub("x", text) == shown


@cases(
    ("pattern", "said"),
    [
        *(("(?=a)b", "look-ahead"), ("(?!a)b", "look-ahead"), ("(?<=a)b", "look-behind"), ("(?<!a)b", "look-behind")),
        *((r"(a)\1", "reference to a group"), ("(?P<n>a)(?P=n)", "reference to a group")),
        *(("(a)?(?(1)b|c)", "condition"), ("(?>a)b", "atomic group"), ("a++b", "possessive"), (r"a\Z", r"`\z`")),
        *(("(?x)a b", "flag x"), (r"\Ca", "write `.`")),
        ("[a-", "not a regular expression"),
        ("a" * (MAX_PATTERN + 1), "longer than 2,000"),
        *(("a{1001}", "at most 1,000"), ("(?:a{100}){100}", "at most 1,000")),
        ("(?:[ab]{900}x){1}" * 6, "too large"),
        *((r"\b", "empty string"), ("a?", "empty string")),
    ],
)
def test_what_is_refused_is_named_with_a_remedy(pattern: str, said: str) -> None:
    with refused() as caught:
        compile_foreign(pattern)
    assert said in f"{caught.value.message} {caught.value.hint}"
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
    # Patterns that are written alike are equal.
    assert compile_foreign("a+") == compile_foreign("a+") != compile_foreign("a")
