"""What was learned of each file of a project: kept with its version, so that none is read twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from copy import copy
from typing import Any, Final, TypeVar

from ctxtui.core.files.content import Stamp
from ctxtui.core.files.walk import Found

Value = TypeVar("Value")
Version = tuple[str, int, int, int]
"""The real path of a file, when it was written and changed in nanoseconds, and its size in bytes."""


class ByFile:
    """Values that follow from the content of one file, by the file's path and a kind; not thread-safe.

    Only the given files are known. A value is kept for as long as its file has the same version and leads to the same
    place. `kept` is what an earlier opening knew: versions with JSON, which is parsed for files that are asked for.
    """

    def __init__(self, files: Iterable[Found], kept: Mapping[str, tuple[Version, bytes]] | None = None) -> None:
        self._versions: dict[str, Version] = {file.path: (file.real, *file.stamp) for file in files}
        self._kept = kept or {}
        self._rows: dict[str, dict[str, Any]] = {}
        self._new: set[str] = set()
        self._place: Callable[[str], str] = str

    def seen_from(self, place: Callable[[str], str]) -> ByFile:
        """The same values under other paths; `place` turns such a path into that of the file."""
        view = copy(self)
        view._place = place
        return view

    def get(
        self,
        path: str,
        kind: str,
        learn: Callable[[], Value],
        pack: Callable[[Value], Any] = lambda value: value,
        unpack: Callable[[Any], Value] = lambda row: row,
    ) -> Value:
        """A value of a kind, learned now if it is not known of this version of the file.

        `pack` turns it into what JSON gives back the same, and raises TypeError for a value that cannot be kept.
        What `learn` raises is raised, and not kept.
        """
        path = self._place(path)
        row = self._row(path)
        if row is not None and kind in row:
            return unpack(row[kind])
        value = learn()
        if row is not None:
            with suppress(TypeError):
                row[kind] = pack(value)
                self._new.add(path)
        return value

    def _row(self, path: str) -> dict[str, Any] | None:
        version = self._versions.get(path)
        if version is None:
            return None
        if path not in self._rows:
            known, row = self._kept.get(path, (None, b"{}"))
            self._rows[path] = json.loads(row) if known == version else {}
        return self._rows[path]

    def to_keep(self, began: int) -> dict[str, tuple[Version, bytes]] | None:
        """What the next opening may know; None if that is what this one was given.

        Left out are files that may still change unnoticed after `began`, in nanoseconds since the epoch.
        """
        rows = dict(self._settled(began))
        return rows if self._new.intersection(rows) or rows.keys() != self._kept.keys() else None

    def _settled(self, began: int) -> Iterator[tuple[str, tuple[Version, bytes]]]:
        for path, version in self._versions.items():
            known, row = self._kept.get(path, (None, b""))
            if path in self._new and Stamp(*version[1:]).is_settled(began):
                # A value that JSON cannot hold is learned each time.
                with suppress(TypeError, ValueError, RecursionError):
                    yield path, (version, _json(self._rows[path]))
            elif known == version:
                yield path, (version, row)


NOTHING_KNOWN: Final = ByFile(())
"""Knows no file: everything is learned when it is asked for."""


def _json(row: Mapping[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
