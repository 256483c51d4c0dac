"""The files of a catalog on disk: domains are folders, listed on each call, each version read at most once."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.lru import Memo
from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.text.decode import decode
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.metadata.frontmatter import Frontmatter, read_frontmatter
from ctxtui.core.text.metadata.head import read_head, whole_characters
from ctxtui.core.text.metadata.reference import decode_id, encode_id

_DEPTH = 4
_DOCUMENT_MEMORY = 24 * 1024 * 1024
_DERIVED_ENTRIES = 50_000
_SUFFIX = ".md"
# Not domains if the project itself is the catalog's root.
_NO_DOMAINS = frozenset("node_modules venv env dist build target site-packages".split())


Fingerprint = tuple[tuple[str, int, int, int], ...]
"""The paths of files with their stamps."""


@dataclass(frozen=True, slots=True)
class File:
    """A Markdown file of a domain. `path` is relative to the catalog's root, whose own files have the domain ""."""

    domain: str
    name: str
    path: str
    stamp: Stamp

    @property
    def id(self) -> str:
        """The id by location, because the id in the file may be wrong."""
        return file_id(self.domain, self.name)


def file_id(domain: str, name: str) -> str:
    return encode_id(f"{domain}/{name}" if domain else name)


def split_id(id_: str) -> tuple[str, str]:
    """The domain and file name in an id. A top-level file has the domain ""."""
    domain, _, name = decode_id(id_).rpartition("/")
    return domain, name


class Library:
    """Lists and reads files below one root that `sees` accepts, by default all. Thread-safe."""

    def __init__(self, root: str | os.PathLike[str], sees: Callable[[str], bool] | None = None) -> None:
        self.root = Root.of(root)
        self._sees = sees
        self.forget()

    def forget(self) -> None:
        self._documents: Memo[tuple[str, Stamp], Document] = Memo(
            _DOCUMENT_MEMORY, lambda document: len(document.text) + 512
        )
        self._derived: Memo[tuple[object, ...], Any] = Memo(_DERIVED_ENTRIES)

    def domains(self) -> list[str]:
        return sorted({file.domain for file in self.files() if file.domain})

    def files(self, domain: str | None = None) -> list[File]:
        """The current files of one domain (`""`: the top level) or of all domains, sorted by id."""
        folders = self._folders("", _DEPTH) if domain is None else iter((domain,))
        found = [file for folder in folders for file in self._files_of_domain(folder)]
        return sorted(found, key=lambda file: (file.domain, file.name))

    def names(self) -> dict[str, set[str]]:
        """All file names by domain, `""` for the top level. Opens no file."""
        found: dict[str, set[str]] = {}
        for folder in self._folders("", _DEPTH):
            found_here = (entry.name for entry in self._entries(folder))
            names = {
                name.removesuffix(_SUFFIX) for name in found_here if self._is_visible_markdown(_join(folder, name))
            }
            if names:
                found[folder] = names
        return found

    def fingerprint(self, domain: str | None = None) -> Fingerprint:
        """A value that changes when a file of the domain, or of any domain, is added, removed or changed."""
        found = []
        for folder in self._folders("", _DEPTH) if domain is None else (domain,):
            # A search calls this for ten thousand files, so the loop body is minimal.
            for entry in self._entries(folder) if _is_plain(folder) else ():
                if entry.name.endswith(_SUFFIX):
                    with suppress(OSError):
                        status = entry.stat()
                        found.append(
                            (f"{folder}/{entry.name}", status.st_mtime_ns, status.st_ctime_ns, status.st_size)
                        )
        return tuple(found)

    def _files_of_domain(self, domain: str) -> Iterator[File]:
        if not _is_plain(domain) or not self._is_real(domain):
            return
        for entry in self._entries(domain):
            path = _join(domain, entry.name)
            stamp = self._stamp(entry, path) if self._is_visible_markdown(path) else None
            if stamp is not None:
                yield File(domain, entry.name.removesuffix(_SUFFIX), path, stamp)

    def _is_visible_markdown(self, path: str) -> bool:
        name = path.rpartition("/")[2]
        is_markdown = name.endswith(_SUFFIX) and not name.startswith(".") and name.isprintable()
        return is_markdown and (self._sees is None or self._sees(path))

    def _folders(self, folder: str, depth: int) -> Iterator[str]:
        yield folder
        for entry in self._entries(folder) if depth else ():
            hidden = entry.name.startswith((".", "__")) or entry.name in _NO_DOMAINS
            if not hidden and entry.is_dir(follow_symlinks=False):
                yield from self._folders(_join(folder, entry.name), depth - 1)

    def _entries(self, folder: str) -> Iterator[os.DirEntry[str]]:
        with suppress(OSError, ValueError, ContextError), self.root.scanned(folder) as entries:
            yield from list(entries)

    def _is_real(self, domain: str) -> bool:
        """Whether no part of a folder's path is a link. A domain is never a link."""
        try:
            return self.root.resolve(domain) == self.root.path / domain
        except (OSError, ContextError):
            return False

    def _stamp(self, entry: os.DirEntry[str], path: str) -> Stamp | None:
        """The stamp of a regular file, None for a folder and for a link that leads out of the root."""
        try:
            if entry.is_symlink():
                self.root.resolve(path)
            status = entry.stat()
        except (OSError, ContextError):
            return None
        return Stamp.of(status) if stat.S_ISREG(status.st_mode) else None

    def file(self, domain: str, name: str) -> File | None:
        """A domain's file by its name, with or without `.md`. None for a missing, hidden or rejected file."""
        name = name.removesuffix(_SUFFIX)
        path = _join(domain, f"{name}{_SUFFIX}")
        is_path_valid = bool(name) and "/" not in name and _is_plain(path) and self._is_visible_markdown(path)
        if not is_path_valid or not self._is_real(domain):
            return None
        try:
            status = self.root.resolve(path).stat()
        except (OSError, ContextError, ValueError):
            return None
        return File(domain, name, path, Stamp.of(status)) if stat.S_ISREG(status.st_mode) else None

    def document(self, file: File) -> Document:
        """Read the whole file. Raises ContextError if it cannot be read."""
        return self._documents.get((file.path, file.stamp), lambda: self._read(file))

    def _read(self, file: File) -> Document:
        content = self.root.read(file.path)
        text, damage = decode(content.data, file.path)
        return Document(file.path, text, content.stamp, damage=damage)

    def document_or_notice(self, file: File) -> Document | Notice:
        """The whole file, or a notice for an unreadable file."""
        try:
            return self.document(file)
        except ContextError as error:
            return Notice("unreadable-file", error.message, file.path)

    def derived(self, file: File, kind: object, make: Callable[[], Any]) -> Any:
        """The value that `make` derives from this version of a file, computed once for each `kind`."""
        return self._derived.get((kind, file.path, file.stamp), make)

    def frontmatter(self, file: File) -> Frontmatter | None:
        """The frontmatter, without reading further. None without frontmatter, and for a file that cannot be read."""
        try:
            with self.root.opened(file.path) as descriptor:
                data, is_whole = read_head(partial(os.read, descriptor))
            # Text ends at a NUL, but the part before it may be complete.
            data = data.partition(b"\0")[0] if b"\0" in data else data if is_whole else whole_characters(data)
            return read_frontmatter(decode(data, file.path)[0], file.path)
        except (OSError, ContextError):
            return None


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _is_plain(path: str) -> bool:
    """Whether a path stays below its start and has no hidden part."""
    if not path:
        return True
    parts = path.split("/")
    return "\\" not in path and path.isprintable() and not any(not part or part.startswith(".") for part in parts)
