"""What was learned of each file of a project: kept with its version, so that none is read twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from copy import copy
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeVar

from ctxtui.core.files.walk import Found

_NOTHING: Final[Mapping[str, Any]] = {}
Value = TypeVar("Value")
Version = tuple[str, int, int, int]
"""The real path of a file, when it was written and changed in nanoseconds, and its size in bytes."""


class _Learned(NamedTuple):
    """A value, and what packs it."""

    value: Any
    pack: Callable[[Any], Any] | None


class ByFile:
    """Values that follow from the content of one file, by the file's path and a kind; not thread-safe.

    Only the given files are known. A value is kept for as long as its file has the same version and leads to the same
    place. `kept` is what an earlier opening knew: versions with JSON, which is parsed for files that are asked for.
    """

    def __init__(self, files: Iterable[Found], kept: Mapping[str, tuple[Version, bytes]] | None = None) -> None:
        self._files = {file.path: file for file in files}
        self._kept = kept or {}
        self._rows: dict[str, dict[str, Any]] = {}
        self._new: dict[str, dict[str, _Learned]] = {}
        self._place: Callable[[str], str] | None = None

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
        pack: Callable[[Value], Any] | None = None,
        unpack: Callable[[Any], Value] | None = None,
    ) -> Value:
        """A value of a kind, learned now if it is not known of this version of the file.

        `pack` turns it into what JSON gives back the same, and raises TypeError for a value that cannot be kept.
        What `learn` raises is raised, and not kept.
        """
        if self._place is not None:
            path = self._place(path)
        learned = self._new.get(path)
        if learned is not None and kind in learned:
            value: Value = learned[kind].value
            return value
        row = self._row(path)
        if kind in row:
            return unpack(row[kind]) if unpack else row[kind]
        value = learn()
        if path in self._files:
            self._new.setdefault(path, {})[kind] = _Learned(value, pack)
        return value

    def _row(self, path: str) -> Mapping[str, Any]:
        """What an earlier opening knew of a file."""
        if path not in self._kept:
            return _NOTHING
        if path not in self._rows:
            known, row = self._kept[path]
            file = self._files.get(path)
            self._rows[path] = json.loads(row) if file is not None and known == _version(file) else {}
        return self._rows[path]

    def to_keep(self, began: int) -> dict[str, tuple[Version, bytes]] | None:
        """What the next opening may know; None if that is what this one was given.

        Left out are files that may still change unnoticed after `began`, in nanoseconds since the epoch.
        """
        from ctxtui.core.secrets import has_secret  # noqa: PLC0415 - what is known as it is now is not searched

        rows: dict[str, tuple[Version, bytes]] = {}
        is_new = False
        for path, file in self._files.items():
            learned = self._packed(path) if path in self._new and file.stamp.is_settled(began) else None
            if learned:
                row = _json({**self._row(path), **learned})
                # A value that JSON cannot hold, or with a secret in it, is learned each time.
                if row is not None and not has_secret(row.decode("utf-8", "replace")):
                    rows[path], is_new = (_version(file), row), True
            elif path in self._kept and self._kept[path][0] == _version(file):
                rows[path] = self._kept[path]
        return rows if is_new or rows.keys() != self._kept.keys() else None

    def _packed(self, path: str) -> dict[str, Any]:
        """What was learned of a file now, as far as it can be kept."""
        learned = self._new[path]
        row = {kind: value for kind, (value, pack) in learned.items() if pack is None}
        for kind, (value, pack) in learned.items():
            if pack is not None:
                with suppress(TypeError):
                    row[kind] = pack(value)
        return row


NOTHING_KNOWN: Final = ByFile(())
"""Knows no file: everything is learned when it is asked for."""


def _version(file: Found) -> Version:
    return (file.real, *file.stamp)


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _json(row: Mapping[str, Any]) -> bytes | None:
    if len(row) == 1:
        ((kind, value),) = row.items()
        if type(value) is bool:
            return _answer(kind, value)
    try:
        return _ENCODER.encode(row).encode()
    except (TypeError, ValueError, RecursionError):
        return None


# Of most files of a large project nothing but one answer is known, and nearly always the same one.
@lru_cache(maxsize=64)
def _answer(kind: str, value: bool) -> bytes:
    return _ENCODER.encode({kind: value}).encode()
