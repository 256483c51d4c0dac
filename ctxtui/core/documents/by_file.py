"""Values computed from each file of a project, cached with its version, so that no file is read twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from typing import Any, Final, TypeVar

from ctxtui.core.base.packed import pack, unpack
from ctxtui.core.disk.walk import Found

_NOTHING: Final[Mapping[str, Any]] = {}
Value = TypeVar("Value")
Version = tuple[str, int, int, int]
"""The real path, mtime and ctime in nanoseconds, and the size in bytes of a file."""


class ByFile:
    """Values that follow from the content of one file, by the file's path and a kind. Not thread-safe.

    A value is valid as long as its file has the same version and the same real path. Values of other paths are
    computed each time. `cached` are the versions and packed values of an earlier opening, unpacked on demand.
    """

    def __init__(self, files: Iterable[Found], cached: Mapping[str, tuple[Version, bytes]] | None = None) -> None:
        self._files = {file.path: file for file in files}
        self._cached = cached or {}
        self._rows: dict[str, dict[str, Any]] = {}
        self._new: dict[str, dict[str, Any]] = {}
        self._place: Callable[[str], str] | None = None
        self.has_secret = False
        """Whether a new value contains a credential, after `to_cache`. Cached values contain none."""

    def seen_from(self, place: Callable[[str], str]) -> ByFile:
        """A view of these values for callers with other paths. `place` maps a path of theirs to the file's path."""
        view = copy(self)
        view._place = place
        return view

    def get(self, path: str, kind: str, compute: Callable[[], Value]) -> Value:
        """The value of a kind for a file: cached, or the result of `compute`, whose exceptions pass through."""
        if self._place is not None:
            path = self._place(path)
        known = self._new.get(path, _NOTHING)
        if kind not in known:
            known = self._cached_row(path)
        if kind in known:
            value: Value = known[kind]
            return value
        value = compute()
        if path in self._files:
            self._new.setdefault(path, {})[kind] = value
        return value

    def _cached_row(self, path: str) -> Mapping[str, Any]:
        """The cached values of a file by kind, empty if the file has another version. Unpacked on first use."""
        if path not in self._cached:
            return _NOTHING
        if path not in self._rows:
            known, row = self._cached[path]
            file = self._files.get(path)
            self._rows[path] = (unpack(row) or {}) if file is not None and known == _version(file) else {}
        return self._rows[path]

    def to_cache(self, began: int) -> dict[str, tuple[Version, bytes]] | None:
        """The versions and packed values by path for the next opening, or None if nothing changed. Sets `has_secret`.

        Values with a credential are omitted, and files that changed shortly before `began` (nanoseconds since the
        epoch): their next change might leave the same version.
        """
        from ctxtui.core.text.secrets import has_secret  # noqa: PLC0415 - only new values are searched

        known = {
            path: self._cached[path]
            for path, file in self._files.items()
            if path not in self._new and path in self._cached and self._cached[path][0] == _version(file)
        }
        settled = (path for path in self._new if self._files[path].stamp.is_settled(began))
        found = {path: {**self._cached_row(path), **self._new[path]} for path in settled}
        self.has_secret = has_secret("\n".join(map(repr, found.values())))
        if self.has_secret:
            # A value that contains a secret is computed each time.
            found = {path: values for path, values in found.items() if not has_secret(repr(values))}
        # So is a value that cannot be packed.
        new = {path: (_version(self._files[path]), packed) for path, row in found.items() if (packed := pack(row))}
        return known | new if new or known.keys() != self._cached.keys() else None


NOTHING_KNOWN: Final = ByFile(())
"""Caches nothing: every value is computed on demand."""


def _version(file: Found) -> Version:
    return (file.real, *file.stamp)
