"""Plain data: the content of payloads, converted from any published object."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

from ctxtui.core.base.errors import ContextError
from ctxtui.core.tokens.arguments import an_instance

Payload = dict[str, Any]
Item = dict[str, Any]

_DEEPEST = 64
_SCALARS = frozenset({type(None), str, bool, int, float})
_SHOWN_AS_TEXT = (UUID, PurePath)


def plain_data(value: object, depth: int = 0) -> Any:
    """Copy a value that JSON can represent: mappings, lists, strings, numbers, true, false and null.

    Dataclasses and objects with `model_dump` become mappings, times their ISO text, sets sorted lists. Raises
    ContextError (invalid_request) for anything else, and for data nested too deep.
    """
    if type(value) in _SCALARS:
        return value
    if depth > _DEEPEST:
        raise ContextError("invalid_request", f"data is nested more than {_DEEPEST} deep", hint="is it circular?")
    match value:
        case dict() | Mapping():
            return {_key(key): plain_data(each, depth + 1) for key, each in value.items()}
        case list() | tuple():
            return [plain_data(each, depth + 1) for each in value]
        case Enum():
            return plain_data(value.value, depth + 1)
        case str():
            return str(value)
        case int():
            return int(value)
        case float():
            return float(value)
        case set() | frozenset():
            return sorted((plain_data(each, depth + 1) for each in value), key=repr)
        case datetime() | date() | time():
            return value.isoformat()
    if isinstance(value, _SHOWN_AS_TEXT):
        return str(value)
    fields_of = _fields(value)
    if fields_of is None:
        name = type(value).__name__
        raise ContextError("invalid_request", f"not plain data: {name}", hint="publish dataclasses or mappings")
    return plain_data(fields_of, depth + 1)


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
        raise ContextError("invalid_request", f"not a payload: {type(value).__name__}", hint=hint)
    return payload


def type_name(kind: str | type) -> str:
    """The name of an artifact's type, given as a class or a string. Raises TypeError for anything else."""
    an_instance(kind, (str, type), "a type of artifacts", "a name or a class")
    return kind if isinstance(kind, str) else kind.__name__


def _key(key: object) -> str:
    """A key as text, as JSON writes it."""
    if type(key) is str:
        return key
    plain = plain_data(key)
    if isinstance(plain, list | dict):
        raise ContextError("invalid_request", f"not a key of a mapping: {key!r}", hint="keys are strings")
    return plain if isinstance(plain, str) else json.dumps(plain)


def _fields(value: object) -> Mapping[str, object] | None:
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        dumped = dump()
        return dumped if isinstance(dumped, Mapping) else None
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return None
