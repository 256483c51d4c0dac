"""Loads as rows of JSON, and back without loss."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from sys import intern
from typing import TYPE_CHECKING, Any, overload

from ctxtui.agents.load import Load

if TYPE_CHECKING:
    from ctxtui.agents.globs import Scope


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
        load.scopes,
        load.imported_by,
        load.use,
        load.package,
    )


class KnownLoads(Sequence[Load]):
    """The loads of rows, made when a caller asks for one: a list of files does not."""

    def __init__(self, rows: bytes) -> None:
        self._rows = rows
        self._made: tuple[Load, ...] | None = None
        self._making = threading.Lock()

    @property
    def _loads(self) -> tuple[Load, ...]:
        if self._made is None:
            with self._making:
                if self._made is None:
                    self._made = tuple(map(load_of, json.loads(self._rows)))
                    self._rows = b""
        return self._made

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
    agent, name, path, moment, table_row, kind, reason, scopes, imported_by, use, package = row
    # Each text is in memory once: there are few but paths, and these are those of the files.
    return Load(
        intern(agent),
        intern(name),
        intern(path),
        intern(moment),
        table_row,
        intern(kind),
        intern(reason),
        tuple(map(_scope_of, scopes)),
        imported_by,
        intern(use),
        intern(package),
    )


def _scope_of(row: Sequence[Any]) -> Scope:
    # A list of files asks for no load.
    from ctxtui.agents.globs import Scope  # noqa: PLC0415
    from ctxtui.agents.types import GlobDialect  # noqa: PLC0415

    folder, globs, dialect, before = row
    return Scope(folder, tuple(globs), GlobDialect(*dialect), before)
