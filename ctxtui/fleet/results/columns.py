"""The columns of a table of results: the fields of the values that its rows hold."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

_SQL: Final = {int: "INTEGER", float: "REAL"}


def defined(row: type[tuple[Any, ...]]) -> str:
    """The columns of a new table without the id, numbers or text."""
    return ", ".join(f'"{name}" {_SQL.get(_fields(row)[name], "TEXT")} NOT NULL' for name in names_of(row))


def selecting(row: type[tuple[Any, ...]], table: str, rest: str, first: str = "", without: str = "") -> str:
    """A query for the `first` columns, then the columns of a table `without` one of them and the id."""
    own = (f'{table}."{name}" AS "{name}"' for name in names_of(row) if name != without)
    return f"SELECT {first}{', '.join(own)} FROM {table} {rest}"  # noqa: S608 - names of fields


def inserting(into: str, values: int) -> str:
    """The beginning of a statement, with a place for each of its values."""
    return f"{into} VALUES ({', '.join('?' * values)})"


def names_of(row: type[tuple[Any, ...]]) -> list[str]:
    """The columns without the id."""
    return [name for name in _fields(row) if name != "id"]


def are_kept(row: tuple[object, ...]) -> bool:
    """Whether values have the types of their columns, which SQLite does not enforce."""
    return all(map(_is, row, _fields(type(row)).values()))


def _is(value: object, kind: Any) -> bool:
    return value in get_args(kind) if get_origin(kind) is Literal else isinstance(value, kind)


@cache
def _fields(row: type) -> dict[str, Any]:
    return get_type_hints(row)
