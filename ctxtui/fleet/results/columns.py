"""Columns of result tables, derived from the fields of their row types."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

_SQL: Final = {int: "INTEGER", float: "REAL"}


def defined(row: type[tuple[Any, ...]]) -> str:
    """The column definitions of a new table, numbers or text, without the id."""
    return ", ".join(f'"{name}" {_SQL.get(_fields(row)[name], "TEXT")} NOT NULL' for name in names_of(row))


def selecting(row: type[tuple[Any, ...]], table: str, rest: str, first: str = "", without: str = "") -> str:
    """A query for `first`, then the columns of a table except the id and `without`. `rest` follows the table."""
    own = (f'{table}."{name}" AS "{name}"' for name in names_of(row) if name != without)
    return f"SELECT {first}{', '.join(own)} FROM {table} {rest}"  # noqa: S608 - names of fields


def inserting(into: str, values: int) -> str:
    """The statement `INTO VALUES (?, …)`: `into` begins an INSERT, `values` is the number of placeholders."""
    return f"{into} VALUES ({', '.join('?' * values)})"


def names_of(row: type[tuple[Any, ...]]) -> list[str]:
    return [name for name in _fields(row) if name != "id"]


def are_kept(row: tuple[object, ...]) -> bool:
    """Whether the values of a row have the types of its fields, because SQLite does not enforce them."""
    return all(map(_is, row, _fields(type(row)).values()))


def _is(value: object, kind: Any) -> bool:
    return value in get_args(kind) if get_origin(kind) is Literal else isinstance(value, kind)


@cache
def _fields(row: type) -> dict[str, Any]:
    return get_type_hints(row)
