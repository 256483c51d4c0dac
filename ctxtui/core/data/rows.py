"""Values of metadata as rows of JSON, and back without loss."""

from __future__ import annotations

from typing import Any, Final

_SCALARS: Final = frozenset({str, int, float, bool, type(None)})


def plain_row(value: Any) -> Any:
    """A value as JSON holds it; raises TypeError for one that it cannot hold.

    Mappings whose keys are not texts, which are rare, are written as their pairs.
    """
    return [value] if _is_json(value) else {"pairs": _coded(value)}


def value_of(row: Any) -> Any:
    """The value of a row."""
    return row[0] if isinstance(row, list) else _decoded(row["pairs"])


def _is_json(value: Any) -> bool:
    kind = type(value)
    if kind in _SCALARS:
        return True
    # A loop takes half the time of a generator, and all metadata of a project are asked for.
    if kind is dict:
        for key, each in value.items():
            if type(key) is not str or not (type(each) in _SCALARS or _is_json(each)):
                return False
        return True
    return kind is list and (_SCALARS.issuperset(map(type, value)) or all(map(_is_json, value)))


def _coded(value: Any) -> Any:
    if type(value) in _SCALARS:
        return value
    if isinstance(value, dict):
        return {"": [(_coded(key), _coded(each)) for key, each in value.items()]}
    if isinstance(value, list):
        return [_coded(each) for each in value]
    raise TypeError(f"JSON cannot hold a {type(value).__name__}")


def _decoded(row: Any) -> Any:
    if isinstance(row, dict):
        return {_decoded(key): _decoded(each) for key, each in row[""]}
    if isinstance(row, list):
        return [_decoded(each) for each in row]
    return row
