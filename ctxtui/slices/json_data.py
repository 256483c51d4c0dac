"""Plain data: the content of payloads, converted from any published object."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from enum import Enum
from functools import partial
from pathlib import PurePath
from typing import Any
from uuid import UUID

from ctxtui.core.base.errors import invalid
from ctxtui.core.tokens.arguments import an_instance

Payload = dict[str, Any]
Item = dict[str, Any]
Otherwise = Callable[[object], str]

_DEEPEST = 64
_SCALARS = frozenset({type(None), str, bool, int, float})


def plain_data(value: object, depth: int = 0, otherwise: Otherwise | None = None) -> Any:
    """Copy a value that JSON can represent: mappings, lists, strings, numbers, true, false and null.

    Dataclasses and objects with `model_dump` become mappings, times their ISO text, sets sorted lists. Anything else,
    and data nested too deep, becomes what `otherwise` returns. Without it, raises ContextError (invalid_request).
    """
    if type(value) in _SCALARS:
        return value
    if depth > _DEEPEST:
        if otherwise:
            return otherwise(value)
        raise invalid(f"data is nested more than {_DEEPEST} deep", hint="is it circular?")
    inner = partial(plain_data, depth=depth + 1, otherwise=otherwise)
    match value:
        case dict() | Mapping():
            return {_key(key, otherwise): inner(each) for key, each in value.items()}
        case list() | tuple():
            return [inner(each) for each in value]
        case Enum():
            return inner(value.value)
        case str():
            return str(value)
        case int():
            return int(value)
        case float():
            return float(value)
        case set() | frozenset():
            return sorted(map(inner, value), key=repr)
        case datetime() | date() | time():
            return value.isoformat()
        case UUID() | PurePath():
            return str(value)
    fields_of = _object_fields(value)
    if fields_of is not None:
        return inner(fields_of)
    if otherwise:
        return otherwise(value)
    name = type(value).__name__
    raise invalid(f"not plain data: {name}", hint="publish dataclasses or mappings")


def json_text(value: object) -> str:
    """Any value as JSON. What is no plain data becomes its `str`."""
    return json.dumps(plain_data(value, otherwise=str), ensure_ascii=False)


def copied(value: Any) -> Any:
    """A copy without shared mutable data. Objects that are not plain are copied with `deepcopy`."""
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is dict:
        return {key: copied(each) for key, each in value.items()}
    if kind is list:
        return [copied(each) for each in value]
    return deepcopy(value)


def payload_of(value: object) -> Payload:
    """The payload of a mapping, a dataclass or anything with `model_dump()`.

    Raises ContextError (invalid_request) if it is no plain data.
    """
    payload = None if isinstance(value, type) else plain_data(value)
    if not isinstance(payload, dict):
        hint = "publish a mapping, a dataclass or an object with model_dump()"
        raise invalid(f"not a payload: {type(value).__name__}", hint=hint)
    return payload


def type_name(kind: str | type) -> str:
    """The name of an artifact's type, given as a class or a string. Raises TypeError for anything else."""
    an_instance(kind, (str, type), "a type of artifacts", "a name or a class")
    return kind if isinstance(kind, str) else kind.__name__


def _key(key: object, otherwise: Otherwise | None) -> str:
    """A key as text, as JSON writes it. Without `otherwise`, raises ContextError for a list or a mapping."""
    if type(key) is str:
        return key
    plain = plain_data(key, otherwise=otherwise)
    if isinstance(plain, list | dict) and not otherwise:
        raise invalid(f"not a key of a mapping: {key!r}", hint="keys are strings")
    return plain if isinstance(plain, str) else json.dumps(plain)


def _object_fields(value: object) -> Mapping[str, object] | None:
    """The fields of a dataclass or of `model_dump()`, None for other objects."""
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        dumped = dump()
        return dumped if isinstance(dumped, Mapping) else None
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return None
