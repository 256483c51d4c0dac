"""Values of the program as rows of JSON, and back without loss, as the types of their fields say."""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date
from itertools import chain
from operator import attrgetter
from typing import Any, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Value = TypeVar("Value")


class Way(NamedTuple):
    """How values of one type are written and read; None if they are JSON already."""

    write: Callable[[Any], Any] | None
    read: Callable[[Any], Any] | None


_AS_IT_IS = Way(None, None)
_PLAIN = (str, int, float, bool, type(None))
# As many values of a tuple are written as one text.
_LONG = 500


class Rows:
    """Writes and reads frozen values: texts, numbers, bytes, days, tuples, named tuples and dataclasses of these.

    And mappings from texts to values that are JSON already.

    Of a type in `shared`, a value is written as its place among those known to who reads it. With `texts`, so is each
    text, and those that are not among them are appended: however often a text is read, it is in memory once. With
    `parts`, the values of a long tuple are appended there, some hundred as one JSON text, and each such text is taken
    from there and parsed alone.
    """

    def __init__(
        self,
        shared: Mapping[type, Sequence[object]],
        texts: list[str] | None = None,
        parts: list[bytes] | None = None,
    ) -> None:
        self._parts = parts
        self._ways: dict[Any, Way] = {kind: _shared(known) for kind, known in shared.items()}
        self._ways |= dict.fromkeys(_PLAIN, _AS_IT_IS)
        if texts is not None:
            self._ways[str] = _placed(texts)
        self._ways |= {bytes: Way(bytes.hex, bytes.fromhex), date: Way(date.isoformat, date.fromisoformat)}

    def write(self, kind: type[Value], value: Value) -> Any:
        """A value as JSON data; raises ValueError if something shared is not known."""
        write = self._way(kind).write
        return write(value) if write else value

    def read(self, kind: type[Value], data: Any) -> Value:
        """The value that was written; raises ValueError, TypeError or IndexError for other data."""
        read = self._way(kind).read
        return cast("Value", read(data) if read else data)

    def _way(self, kind: Any) -> Way:
        if kind not in self._ways:
            self._ways[kind] = self._made(kind)
        return self._ways[kind]

    def _made(self, kind: Any) -> Way:
        origin, inner = get_origin(kind), get_args(kind)
        if origin is Literal:
            return _AS_IT_IS
        if origin in (Union, types.UnionType):
            (only,) = (self._way(each) for each in inner if each is not type(None))
            return Way(_optional(only.write), _optional(only.read))
        if origin is Mapping and inner[0] is str and (inner[1] is str or self._way(inner[1]) == _AS_IT_IS):
            return Way(dict, dict)
        if origin is tuple and inner[1:] == (...,):
            each = self._way(inner[0])
            way = Way(_each(each.write, list), _each(each.read, tuple))
            return way if self._parts is None else _in_parts(way, self._parts)
        if origin is tuple:
            ways = [self._way(each) for each in inner]
            return Way(_all(ways, 0, tuple), _all(ways, 1, tuple))
        return self._of_class(kind)

    def _of_class(self, kind: Any) -> Way:
        hints = get_type_hints(kind)
        names = [each.name for each in fields(kind)] if is_dataclass(kind) else list(kind._fields)
        ways = [self._way(hints[name]) for name in names]
        values = attrgetter(*names) if len(names) > 1 else lambda value: (getattr(value, names[0]),)
        write, read = _all(ways, 0, list), _all(ways, 1, tuple)
        return Way(lambda value: write(values(value)), lambda row: kind(*read(row)))


def _shared(known: Sequence[object]) -> Way:
    places = {id(each): place for place, each in enumerate(known)}

    def write(value: object) -> int:
        if id(value) not in places:
            raise ValueError(f"not known to all: {type(value).__name__}")
        return places[id(value)]

    return Way(write, known.__getitem__)


def _placed(texts: list[str]) -> Way:
    places = {each: place for place, each in enumerate(texts)}

    def write(text: str) -> int:
        place = places.setdefault(text, len(texts))
        if place == len(texts):
            texts.append(text)
        return place

    return Way(write, texts.__getitem__)


def _in_parts(way: Way, parts: list[bytes]) -> Way:
    def write(values: Any) -> Any:
        assert way.write
        if len(values) <= _LONG:
            return way.write(values)
        made = [way.write(values[start : start + _LONG]) for start in range(0, len(values), _LONG)]
        first = len(parts)
        parts.extend(json.dumps(each, separators=(",", ":"), allow_nan=False).encode() for each in made)
        return {"parts": [first, len(parts)]}

    def read(rows: Any) -> Any:
        assert way.read
        if not isinstance(rows, dict):
            return way.read(rows)
        return tuple(chain.from_iterable(map(taken, range(*rows["parts"]))))

    def taken(place: int) -> Any:
        assert way.read
        part, parts[place] = parts[place], b""
        return way.read(json.loads(part))

    return Way(write, read)


def _optional(way: Callable[[Any], Any] | None) -> Callable[[Any], Any] | None:
    return None if way is None else lambda value: None if value is None else way(value)


def _each(way: Callable[[Any], Any] | None, made: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return made if way is None else lambda values: made(map(way, values))


def _all(ways: Sequence[Way], side: int, made: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """What takes as many values as there are ways, each its own."""
    needed = [(place, change) for place, way in enumerate(ways) if (change := way[side]) is not None]
    count = len(ways)

    def go(values: Any) -> Any:
        found = list(values)
        if len(found) != count:
            raise ValueError("not a row of this type")
        for place, change in needed:
            found[place] = change(found[place])
        return found if made is list else made(found)

    return go
