"""Values of the program as JSON data, with keys in lower camel case."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Final

from ctxtui.core.base.plain import plain_json
from ctxtui.core.text.secrets import redact_values

Shapes = Mapping[Any, str]
"""How classes look as JSON, by class or its name: their keys in order, separated by spaces.

A key is the name of an attribute in snake case. `key=a.b` takes the attribute `b` of `a` under another name, null
if there is no `a`. With a `?` at the end, what is empty is null.
"""

_NO_SHAPES: Final[Shapes] = {}
_NOTHING: Final[Mapping[str, Any]] = {}
_UNDERSCORE = re.compile(r"_([a-z])")


def project(value: object, shapes: Shapes = _NO_SHAPES) -> Any:
    """A value as JSON data. `shapes` gives the keys of some classes. Other classes show every field.

    Empty fields marked `ours`, which the specifications lack, are left out. Mappings keep their keys. Times with an
    offset become UTC with `Z`.
    """
    kind = type(value)
    shape = shapes.get(kind, shapes.get(kind.__name__))
    if shape is not None:
        return {key: project(_value_at(value, way, nullable), shapes) for key, way, nullable in _keys(shape)}
    if is_dataclass(value) and not isinstance(value, type):
        kept = [each for each in fields(value) if not each.metadata.get("ours") or getattr(value, each.name)]
        return {camel(each.name): project(getattr(value, each.name), shapes) for each in kept}
    if isinstance(value, Mapping):
        return {str(key): project(entry, shapes) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [project(entry, shapes) for entry in value]
    return _scalar(value)


def json_document(result: object, notices: Iterable[object], exported: Mapping[str, Any] = _NOTHING) -> bytes:
    """A result and its notices as one JSON document without secrets or terminal control characters.

    The value is unchanged, except that characters of file names outside UTF-8 become `?`. `exported` replaces keys of
    the result as it is: it passed the export guard, which the user may have told to keep secrets.
    """
    shown = redact_values(result)
    document = {
        "result": {**shown, **exported} if exported else shown,
        "notices": redact_values(project(list(notices))),
    }
    return f"{_dumped(document)}\n".encode("utf-8", "replace")


def json_rows(rows: Iterable[object], notices: Iterable[object]) -> Iterator[bytes]:
    """The `json_document` of a list in pieces, row by row: a hundred thousand rows at once take half a gigabyte."""
    empty = json_document([], notices)
    start = empty.index(b"]")
    yield empty[:start]
    between = "\n"
    for row in rows:
        text = _dumped(redact_values(row)).replace("\n", "\n    ")
        yield f"{between}    {text}".encode("utf-8", "replace")
        between = ",\n"
    yield (b"\n  " if between != "\n" else b"") + empty[start:]


def _dumped(document: object) -> str:
    return plain_json(json.dumps(document, ensure_ascii=False, indent=2, default=str))


def _scalar(value: object) -> Any:
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, datetime) and value.utcoffset() is not None:
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, date) else str(value)


@functools.cache
def _keys(shape: str) -> tuple[tuple[str, tuple[str, ...], bool], ...]:
    """The JSON keys of a shape, each with the path to its value, and whether an empty value becomes null."""
    rows = []
    for word in shape.split():
        name, _, way = word.rstrip("?").partition("=")
        rows.append((camel(name), tuple((way or name).split(".")), word.endswith("?")))
    return tuple(rows)


def _value_at(value: object, way: tuple[str, ...], nullable: bool) -> object:
    for name in way:
        value = None if value is None else getattr(value, name)
    return value or None if nullable else value


def camel(name: str) -> str:
    """The JSON key of an attribute."""
    return _UNDERSCORE.sub(lambda match: match[1].upper(), name)
