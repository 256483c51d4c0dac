"""Values become rows of JSON and the same values again; what is shared is written as its place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.data.typed_rows import Rows
from tests.cases import cases


@dataclass(frozen=True)
class Known:
    """Who writes and who reads know it."""

    name: str


class Pair(NamedTuple):
    """A named tuple."""

    start: int
    text: str | None


@dataclass(frozen=True)
class Whole:
    """All that can be written."""

    kind: Literal["one", "two"]
    known: Known
    pairs: tuple[Pair, ...]
    nested: Pair | None
    data: bytes
    both: tuple[int, float]
    names: tuple[str, ...] = ()
    day: date | None = None
    words: Mapping[str, str] = field(default_factory=dict)


KNOWN = (Known("a"), Known("b"))
PAIRS = st.builds(Pair, st.integers(), st.none() | st.text())
WHOLES = st.builds(
    Whole,
    st.sampled_from(["one", "two"]),
    st.sampled_from(KNOWN),
    st.lists(PAIRS).map(tuple),
    st.none() | PAIRS,
    st.binary(),
    st.tuples(st.integers(), st.floats(allow_nan=False, allow_infinity=False)),
    st.lists(st.text(st.characters())).map(tuple),
    st.none() | st.dates(),
    st.dictionaries(st.text(), st.text()),
)


@given(WHOLES)
def test_what_is_written_is_read_as_it_was(whole: Whole) -> None:
    shared: dict[type, Sequence[object]] = {Known: KNOWN}
    read = Rows(shared).read(Whole, json.loads(json.dumps(Rows(shared).write(Whole, whole))))
    assert repr(read) == repr(whole)
    assert read.known is whole.known


@given(WHOLES, WHOLES)
def test_texts_are_written_once_and_read_as_they_were(one: Whole, other: Whole) -> None:
    shared: dict[type, Sequence[object]] = {Known: KNOWN}
    texts: list[str] = []
    rows = Rows(shared, texts)
    data = json.dumps([rows.write(tuple[Whole, ...], (one, other, one)), texts])
    written, known = json.loads(data)
    assert len(set(known)) == len(known)
    assert repr(Rows(shared, known).read(tuple[Whole, ...], written)) == repr((one, other, one))


@given(st.lists(PAIRS, min_size=1, max_size=4), st.integers(1, 700))
def test_long_tuples_are_written_in_parts_and_read_as_they_were(some: list[Pair], times: int) -> None:
    pairs = tuple(some * times)
    nested = (pairs, pairs[:1], pairs)
    parts: list[bytes] = []
    rows = json.loads(json.dumps(Rows({}, None, parts).write(tuple[tuple[Pair, ...], ...], nested)))
    assert bool(parts) == (len(pairs) > 500)
    assert Rows({}, None, parts).read(tuple[tuple[Pair, ...], ...], rows) == nested


def test_equal_texts_are_one_text_in_memory() -> None:
    texts: list[str] = []
    written = Rows({}, texts).write(tuple[Pair, ...], tuple(Pair(1, f"a {'text'}") for _ in range(2)))
    first, second = Rows({}, json.loads(json.dumps(texts))).read(tuple[Pair, ...], written)
    assert first.text is second.text


def test_what_readers_do_not_know_is_not_written() -> None:
    with pytest.raises(ValueError, match="Known"):
        Rows({Known: KNOWN}).write(Known, Known("a"))


@cases("data", [["one", 0], ["one", 7, [], None, "", [1, 2.0], []], 3, ["one", 0, [[1]], None, "", [1, 2], []]])
def test_other_data_is_refused(data: object) -> None:
    with pytest.raises((ValueError, TypeError, IndexError)):
        Rows({Known: KNOWN}).read(Whole, data)
