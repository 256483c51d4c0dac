"""Details and loads as rows of JSON, and back without loss."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, overload

from ctxtui.agents.load import Load
from ctxtui.core.metadata.reference import NO_DETAILS, Declared, Details


def load_row(load: Load) -> tuple[Any, ...]:
    """A load as a row."""
    return (
        load.agent,
        load.agent_name,
        load.path,
        load.moment,
        load.row,
        load.kind,
        load.reason,
        load.globs,
        load.imported_by,
        load.use,
        load.package,
    )


class KnownLoads(Sequence[Load]):
    """The loads of rows, made when a caller asks for one: a list of files does not."""

    def __init__(self, rows: bytes) -> None:
        self._rows = rows

    @cached_property
    def _loads(self) -> tuple[Load, ...]:
        return tuple(map(load_of, json.loads(self._rows)))

    @overload
    def __getitem__(self, index: int) -> Load: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Load]: ...

    def __getitem__(self, index: int | slice) -> Load | Sequence[Load]:
        return self._loads[index]

    def __len__(self) -> int:
        return len(self._loads)


def load_of(row: Sequence[Any]) -> Load:
    """The load of a row; raises ValueError or TypeError if it is not one."""
    agent, name, path, moment, table_row, kind, reason, globs, imported_by, use, package = row
    return Load(agent, name, path, moment, table_row, kind, reason, tuple(globs), imported_by, use, package)


def details_row(details: Details) -> tuple[Any, ...] | None:
    """A document's details as a row; raises TypeError for a value that JSON cannot hold."""
    if details is NO_DETAILS:
        return None
    return (
        _plain(details.values),
        details.type,
        details.domain,
        details.declared_tokens,
        [(each.name, each.estimated_tokens, each.keywords) for each in details.sections],
        details.tags,
        details.cross_domain_triggers,
        details.detection_triggers,
    )


def details_of(row: Sequence[Any] | None) -> Details:
    """The details of a row; raises ValueError or TypeError if it is not one."""
    if row is None:
        return NO_DETAILS
    values, type_, domain, tokens, sections, tags, cross, detection = row
    declared = tuple(Declared(name, estimated, tuple(keywords)) for name, estimated, keywords in sections)
    return Details(_value(values), type_, domain, tokens, declared, tuple(tags), tuple(cross), tuple(detection))


def _plain(value: Any) -> Any:
    """A value as JSON holds it: mappings as their pairs, since their keys need not be texts."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {"": [(_plain(key), _plain(each)) for key, each in value.items()]}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    raise TypeError(f"not a plain value: {type(value).__name__}")


def _value(plain: Any) -> Any:
    if isinstance(plain, dict):
        return {_value(key): _value(each) for key, each in plain[""]}
    if isinstance(plain, list):
        return [_value(each) for each in plain]
    return plain
