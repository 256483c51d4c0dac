"""Pattern search in the user's home folder: bounded, regular files only, never out of the folder."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Sequence

from ctxtui.agents.base import HOME
from ctxtui.agents.globs import is_literal
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.text.patterns.globs import compile_glob
from ctxtui.workspace.opening.at_home import Places, text_of

CODE = "home"
"""The code of notices about the home folder."""

_MOST_FILES = 5_000
_MOST_FOLDERS = 20_000
_DEPTH = 16


class Finder:
    """Files found so far, by path and version. A refused file is a notice."""

    def __init__(self, places: Places, project: Root, on_notice: OnNotice) -> None:
        self.found: dict[str, Stamp] = {}
        self.is_full = False
        self._places, self._project, self._on_notice = places, project, on_notice
        self._folders = _MOST_FOLDERS

    def tell(self, message: str, path: str | None = None) -> None:
        self._on_notice(Notice(CODE, message, path))

    def tell_full(self) -> None:
        """Report that the search was cut off."""
        if self.is_full:
            self.tell(f"more than {_MOST_FILES:,} files in your home folder; the rest are not looked at")

    def text(self, path: str) -> str | None:
        return text_of(*self._places.place(path)) if path in self.found else None

    def take(self, patterns: Iterable[str]) -> None:
        """Add the files below the home folder that match globs."""
        for pattern in patterns:
            for inner in self._expanded("", pattern.split("/"), _DEPTH):
                self.add(posixpath.join(HOME, inner))

    def add(self, path: str) -> bool:
        """Add a regular file of the home folder that is outside the project. Return whether it was added."""
        if path in self.found:
            return True
        if len(self.found) >= _MOST_FILES:
            self.is_full = True
            return False
        root, below = self._places.place(path)
        try:
            real = root.resolve(below) if root else None
            if real is None or not real.is_file() or real.is_relative_to(self._project.path):
                return False
            self.found[path] = Stamp.of(real.stat())
        except ContextError:
            self.tell("leads out of your home folder; it is not read", path)
            return False
        except OSError as error:
            self.tell(f"cannot be read: {error.strerror}", path)
            return False
        return True

    def _expanded(self, folder: str, parts: Sequence[str], depth: int) -> Iterator[str]:
        """The paths below the home folder that match a pattern in parts. They need not exist."""
        head, rest = parts[0], parts[1:]
        if is_literal(head):
            place = posixpath.join(folder, head)
            yield from self._expanded(place, rest, depth) if rest else (place,)
            return
        names = self._names(folder)
        if head == "**":
            yield from self._expanded(folder, rest, depth) if rest else ()
            for name, is_folder in names if depth else ():
                if is_folder:
                    yield from self._expanded(posixpath.join(folder, name), parts, depth - 1)
                elif not rest:
                    yield posixpath.join(folder, name)
            return
        matches = compile_glob(head).matches
        for name, is_folder in names:
            if matches(name) and is_folder == bool(rest):
                place = posixpath.join(folder, name)
                yield from self._expanded(place, rest, depth) if rest else (place,)

    def _names(self, folder: str) -> list[tuple[str, bool]]:
        """The names in a folder, and whether each is a folder. None if it cannot be listed."""
        self._folders -= 1
        self.is_full |= self._folders < 0
        root, inner = self._places.place(posixpath.join(HOME, folder, ""))
        if root is None or self._folders < 0:
            return []
        try:
            here = root.resolve(inner.rstrip("/"))
            with root.scanned(inner.rstrip("/")) as entries:
                found = [(each.name, _is_folder(each), each.is_symlink()) for each in entries if _is_text(each.name)]
        except (ContextError, OSError):
            return []
        # A link to an ancestor folder would recurse without end.
        return sorted(
            (name, is_folder)
            for name, is_folder, is_link in found
            if not (is_folder and is_link and here.is_relative_to(os.path.realpath(here / name)))
        )


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
