"""Values go from one process to another as they are, and what is damaged is an error."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import frames

_simple = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.binary(), st.text(), st.just("\ud800")
)
_values = st.recursive(
    _simple, lambda inner: st.one_of(st.lists(inner), st.tuples(inner, inner), st.dictionaries(st.binary(), inner))
)


def _written(*values: Any) -> bytes:
    out = io.BytesIO()
    for value in values:
        frames.write(out, value)
    return out.getvalue()


@given(st.lists(_values, max_size=4))
def test_values_come_back_in_their_order(values: list[Any]) -> None:
    source = io.BytesIO(_written(*values))
    assert [frames.read(source) for _ in values] == values
    with pytest.raises((EOFError, ValueError)):
        frames.read(source)


@given(_values, st.data())
def test_a_cut_value_is_an_error(value: Any, data: st.DataObject) -> None:
    written = _written(value)
    cut = data.draw(st.integers(0, len(written) - 1))
    with pytest.raises((EOFError, ValueError)):
        frames.read(io.BytesIO(written[:cut]))


@pytest.mark.parametrize("line", [b"", b"\n", b"x\n", b"-1\nN", b"99999999999\nN", b"9" * 40, b'["a"]\n', b"0\n"])
def test_what_is_no_frame_is_an_error(line: bytes) -> None:
    with pytest.raises((EOFError, ValueError)):
        frames.read(io.BytesIO(line))


def test_only_plain_data_is_written() -> None:
    with pytest.raises(ValueError, match="unmarshallable"):
        frames.write(io.BytesIO(), object())
