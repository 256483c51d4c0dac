"""Payloads as plain data: what becomes what, and copies that share nothing."""

import json
from dataclasses import dataclass
from datetime import date
from enum import Enum, StrEnum
from pathlib import PurePosixPath
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.slices.json_data import copied, plain_data
from tests.cases import cases
from tests.core.texts import refused
from tests.slices.slices_helpers import START, artifact

_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


class Color(Enum):
    RED = "red"


class Size(StrEnum):
    LARGE = "large"


@dataclass
class Part:
    size: Size
    price: float


class Whole(float):
    """A number of somebody's own making."""


@cases(
    ("value", "expected"),
    [
        (Color.RED, "red"),
        (Size.LARGE, "large"),
        ([Part(Size.LARGE, Whole(1.5))], [{"size": "large", "price": 1.5}]),
        ({"n": Whole(2)}, {"n": 2.0}),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (PurePosixPath("a/b"), "a/b"),
        ((START, date(2026, 1, 2)), ["2026-03-01T12:00:00+00:00", "2026-01-02"]),
        ({"b", "a"}, ["a", "b"]),
        ({2: 1, None: 2, True: 3, Size.LARGE: 4, 1.5: 5}, {"2": 1, "null": 2, "true": 3, "large": 4, "1.5": 5}),
    ],
)
def test_what_becomes_what(value: Any, expected: Any) -> None:
    assert plain_data(value) == expected
    assert json.loads(json.dumps(plain_data(value))) == expected


@given(_json)
def test_plain_data_stay_what_they_are(value: Any) -> None:
    assert repr(plain_data(value)) == repr(copied(value)) == repr(value)


@given(st.dictionaries(st.text(), _json))
def test_copies_share_nothing_that_can_be_changed(value: dict[str, Any]) -> None:
    for twin in (plain_data(value), copied(value)):
        assert not _mutables(value) & _mutables(twin)


def _mutables(value: Any) -> set[int]:
    if isinstance(value, dict | list):
        inside = value.values() if isinstance(value, dict) else value
        return {id(value)}.union(*map(_mutables, inside))
    return set()


@pytest.mark.parametrize("given_id", ["", 7, None])
def test_an_id_is_a_text_or_a_uuid(given_id: Any) -> None:
    with refused():
        artifact(given_id)
