"""JSON data of values: keys in lower camel case, shapes as rows of data."""

import json
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import StrEnum
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import ctxtui
from ctxtui.core.text.projection import json_document, json_rows, project


class Kind(StrEnum):
    ONE = "One"


@dataclass(frozen=True)
class Inner:
    some_name: str = "x"
    remark: str = field(default="", metadata={"ours": True})


@dataclass(frozen=True)
class Outer:
    kind: Kind
    inner: Inner | None
    when: datetime
    many_items: tuple[object, ...] = ()


EAST = timezone(timedelta(hours=1))
OUTER = Outer(Kind.ONE, Inner(), datetime(2026, 1, 2, 3, tzinfo=EAST), (Decimal("0.5"), {1: 2}))


def test_a_class_shows_its_fields() -> None:
    shown = {"kind": "One", "inner": {"someName": "x"}, "manyItems": [0.5, {"1": 2}]}
    assert project(OUTER) == shown | {"when": "2026-01-02T02:00:00Z"}
    assert project(Inner(remark="r")) == {"someName": "x", "remark": "r"}
    times = [date(2026, 1, 2), datetime(2026, 1, 2), None, True]
    assert project(times) == ["2026-01-02", "2026-01-02T00:00:00", None, True]


def test_a_shape_says_keys_and_order() -> None:
    shapes = {Outer: "many_items id=kind inner_name=inner.some_name", Inner: "some_name? remark"}
    assert list(project(OUTER, shapes).items()) == [("manyItems", [0.5, {"1": 2}]), ("id", "One"), ("innerName", "x")]
    without = Outer(Kind.ONE, None, datetime(2026, 1, 1, tzinfo=UTC))
    assert project(without, shapes)["innerName"] is None
    assert project([Inner("")], shapes) == [{"someName": None, "remark": ""}]


def _around(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    outer = st.builds(Outer, st.just(Kind.ONE), st.none(), st.datetimes(), st.tuples(inner))
    return st.lists(inner) | st.dictionaries(st.text(), inner) | outer


_plain = st.none() | st.booleans() | st.integers() | st.text() | st.dates() | st.datetimes()


@given(st.recursive(_plain | st.decimals(allow_nan=False), _around, max_leaves=8))
def test_whatever_it_is_json_can_write_it(value: Any) -> None:
    data = project(value)
    assert json.loads(json.dumps(data)) == data


@given(st.lists(st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text()))), st.lists(st.text()))
def test_rows_are_written_as_the_document_of_their_list(rows: list[Any], notices: list[str]) -> None:
    assert b"".join(json_rows(iter(rows), notices)) == json_document(rows, notices)


def test_each_shape_is_of_a_class() -> None:
    names = (each.name for each in walk_packages(ctxtui.__path__, "ctxtui."))
    modules = [import_module(name) for name in names if "__main__" not in name]
    classes = {name for module in modules for name, value in vars(module).items() if isinstance(value, type)}
    shapes = {key for module in modules for key in getattr(module, "_SHAPES", ()) if isinstance(key, str)}
    assert len(shapes) > 20
    assert shapes <= classes
