"""What was learned of each file of a project: kept with its version, so that none is read twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from typing import Any, Final, TypeVar

from ctxtui.core.base.packed import pack, unpack
from ctxtui.core.disk.walk import Found

_NOTHING: Final[Mapping[str, Any]] = {}
Value = TypeVar("Value")
Version = tuple[str, int, int, int]
"""The real path of a file, when it was written and changed in nanoseconds, and its size in bytes."""


class ByFile:
    """Values that follow from the content of one file, by the file's path and a kind; not thread-safe.

    Only the given files are known. A value is kept for as long as its file has the same version and leads to the same
    place. `kept` is what an earlier opening knew: versions with packed values, unpacked for files that are asked for.
    """

    def __init__(self, files: Iterable[Found], kept: Mapping[str, tuple[Version, bytes]] | None = None) -> None:
        self._files = {file.path: file for file in files}
        self._kept = kept or {}
        self._rows: dict[str, dict[str, Any]] = {}
        self._new: dict[str, dict[str, Any]] = {}
        self._place: Callable[[str], str] | None = None

    def seen_from(self, place: Callable[[str], str]) -> ByFile:
        """The same values under other paths; `place` turns such a path into that of the file."""
        view = copy(self)
        view._place = place
        return view

    def get(self, path: str, kind: str, learn: Callable[[], Value]) -> Value:
        """A value of a kind, learned now if it is not known of this version of the file.

        What `learn` raises is raised, and not kept.
        """
        if self._place is not None:
            path = self._place(path)
        known = self._new.get(path, _NOTHING)
        if kind not in known:
            known = self._row(path)
        if kind in known:
            value: Value = known[kind]
            return value
        value = learn()
        if path in self._files:
            self._new.setdefault(path, {})[kind] = value
        return value

    def _row(self, path: str) -> Mapping[str, Any]:
        """What an earlier opening knew of a file."""
        if path not in self._kept:
            return _NOTHING
        if path not in self._rows:
            known, row = self._kept[path]
            file = self._files.get(path)
            self._rows[path] = (unpack(row) or {}) if file is not None and known == _version(file) else {}
        return self._rows[path]

    def to_keep(self, began: int) -> dict[str, tuple[Version, bytes]] | None:
        """What the next opening may know; None if that is what this one was given.

        Left out are files that may still change unnoticed after `began`, in nanoseconds since the epoch.
        """
        from ctxtui.core.text.secrets import has_secret  # noqa: PLC0415 - what is known as it is now is not searched

        rows: dict[str, tuple[Version, bytes]] = {}
        is_new = False
        for path, file in self._files.items():
            if path in self._new and file.stamp.is_settled(began):
                values = {**self._row(path), **self._new[path]}
                packed = pack(values)
                # A value that cannot be packed, or with a secret in it, is learned each time.
                if packed and not has_secret(repr(values)):
                    rows[path], is_new = (_version(file), packed), True
            elif path in self._kept and self._kept[path][0] == _version(file):
                rows[path] = self._kept[path]
        return rows if is_new or rows.keys() != self._kept.keys() else None


NOTHING_KNOWN: Final = ByFile(())
"""Knows no file: everything is learned when it is asked for."""


def _version(file: Found) -> Version:
    return (file.real, *file.stamp)
