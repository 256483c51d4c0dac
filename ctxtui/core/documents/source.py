"""Sources: the ways to keep context in folders, behind one small protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Protocol

from ctxtui.core.base.notices import OnNotice
from ctxtui.core.disk.walk import Found
from ctxtui.core.documents.by_file import NOTHING_KNOWN, ByFile
from ctxtui.core.documents.file_head import FileHead, Unreadable
from ctxtui.core.documents.read_cache import ReadCache
from ctxtui.core.text.metadata.reference import NO_DETAILS, Details, Reference

# Priorities under a budget, best first, before `LAST`. The .context files are in between, in their own order.
CONSTITUTION, FIRST, ALWAYS, DEMAND, RECORD, NAVIGATION, LAZY = 0, 10, 30, 50, 55, 60, 70


@dataclass(frozen=True, slots=True)
class Project:
    """The input of a source: the unclaimed files, their contents, a receiver of notices, and cached values."""

    read_cache: ReadCache
    files: tuple[Found, ...]
    on_notice: OnNotice
    by_file: ByFile = NOTHING_KNOWN

    def begins_with(self, path: str, sign: bytes) -> bool:
        """Whether the first few hundred bytes of a file contain `sign`."""

        def now() -> bool:
            seen = self.read_cache.first(path, 512)
            if seen is None:
                raise Unreadable
            return sign in seen

        try:
            return self.by_file.get(path, f"begins with {sign!r}", now)
        except Unreadable:
            return False

    def head(self, path: str) -> FileHead | None:
        """A file's metadata and first lines, without reading more than necessary. None for a binary file."""
        head = FileHead(path, self.read_cache, self.by_file)
        try:
            return head if head.metadata else None
        except Unreadable:
            return None

    def details(self, path: str, head: FileHead) -> Details:
        """The metadata in a file's head. Its problems become notices."""
        metadata = head.metadata
        if metadata is None or metadata.details is None:
            return NO_DETAILS
        # Cursor's rules are `key: value` lines that only look like YAML.
        for notice in (*(() if path.endswith(".mdc") else metadata.notices), *metadata.refused):
            self.on_notice(notice)
        return metadata.details


class Source(Protocol):
    """One way to keep context in a folder."""

    @property
    def name(self) -> str:
        """The name on screen and in JSON, one of `SOURCES` in `listing.py`."""
        ...

    def scan(self, project: Project) -> Iterable[Reference]:
        """The documents that the source claims among the remaining files."""
        ...


def by_folder(files: Iterable[Found]) -> dict[str, list[Found]]:
    """Files by folder, `""` for the root."""
    folders: dict[str, list[Found]] = {}
    for file in files:
        folders.setdefault(file.path.rpartition("/")[0], []).append(file)
    return folders


def stem(path: str) -> str:
    return PurePosixPath(path).stem


def visible(files: Iterable[Found]) -> Iterator[Found]:
    return (file for file in files if not file.ignored)
