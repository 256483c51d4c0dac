"""Patterns of projects: they find what `re` finds, in bounded time, or are refused by the name of what they have."""

import re

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from ctxtui.core import ContextError
from ctxtui.core.patterns import compile_foreign

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
