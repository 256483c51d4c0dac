"""Sources: the ways to keep context in folders, behind one small protocol, and the heads of their files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, Protocol, TypeVar

from ctxtui.core.base.batches import grouped
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.disk.walk import Found
from ctxtui.core.documents.by_file import NOTHING_KNOWN, ByFile
from ctxtui.core.documents.read_cache import ReadCache
from ctxtui.core.text.decode import decode
from ctxtui.core.text.markdown.light import first_title
from ctxtui.core.text.markdown.scan import heading_name
from ctxtui.core.text.metadata.frontmatter import Frontmatter, read_frontmatter
from ctxtui.core.text.metadata.head import whole_characters
from ctxtui.core.text.metadata.reference import NO_DETAILS, Details, Reference, read_details

Value = TypeVar("Value")
# Priorities under a budget, best first, before `LAST_PRIORITY`. The .context files are between, in their own order.
CONSTITUTION, FIRST, ALWAYS, DEMAND, RECORD, NAVIGATION, LAZY = 0, 10, 30, 50, 55, 60, 70


class Unreadable(Exception):
    """A file could not be read this time. The failure is not cached."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The beginning of a file: its text as far as it was read, and its frontmatter."""

    text: str
    frontmatter: Frontmatter | None

    @property
    def body(self) -> str:
        return self.text[self.frontmatter.body :] if self.frontmatter else self.text

    @property
    def title(self) -> str | None:
        """The text of the first H1, None without one."""
        first = first_title(self.body)
        return None if first is None else heading_name(first.name)

    @property
    def first_line(self) -> str:
        """The first line of the body that is not blank, stripped, "" without one."""
        return next((line.strip() for line in self.body.splitlines() if line.strip()), "")


@dataclass(frozen=True, slots=True)
class Metadata:
    """A file's frontmatter: its `details`, None without one, the `notices` of its YAML and of `refused` values."""

    details: Details | None = None
    notices: tuple[Notice, ...] = ()
    refused: tuple[Notice, ...] = ()


class FileHead:
    """The metadata of a file, and values from its beginning. The file is read only for values that are not cached."""

    def __init__(self, path: str, read_cache: ReadCache, by_file: ByFile) -> None:
        self._path, self._read_cache, self._by_file = path, read_cache, by_file

    @cached_property
    def metadata(self) -> Metadata | None:
        """The metadata, or None if the file is binary. Raises Unreadable."""
        return self._by_file.get(self._path, "metadata", self._metadata)

    @property
    def has_metadata(self) -> bool:
        return self.metadata is not None and self.metadata.details is not None

    @property
    def values(self) -> Mapping[str, Any]:
        """The values of the frontmatter by key, empty without one. Raises Unreadable."""
        return self.metadata.details.values if self.metadata and self.metadata.details else {}

    @property
    def title(self) -> str | None:
        """The text of the first H1, None without one or if the file is not readable text."""
        return self.derived("title", lambda beginning: beginning.title)

    def derived(self, kind: str, derive: Callable[[Beginning], Value]) -> Value | None:
        """A packable value derived from the beginning, cached by its kind. None if the file is not readable text."""

        def derive_now() -> Value | None:
            return derive(self._beginning) if self._beginning else None

        try:
            return self._by_file.get(self._path, kind, derive_now)
        except Unreadable:
            return None

    @cached_property
    def _beginning(self) -> Beginning | None:
        """The decoded beginning, read on first use, None if it is binary. Raises Unreadable."""
        seen = self._read_cache.beginning(self._path)
        if seen is None:
            raise Unreadable
        data, is_whole = seen
        try:
            text, _ = decode(data if is_whole else whole_characters(data), self._path)
        except ContextError:
            return None
        return Beginning(text, read_frontmatter(text, self._path))

    def _metadata(self) -> Metadata | None:
        """The metadata, read from the beginning without the cache. None if the file is binary."""
        if self._beginning is None:
            return None
        frontmatter = self._beginning.frontmatter
        if frontmatter is None:
            return Metadata()
        refused: list[Notice] = []
        details = read_details(frontmatter.values, self._path, refused.append)
        return Metadata(details, frontmatter.notices, tuple(refused))


@dataclass(frozen=True, slots=True)
class Project:
    """The input of a source: the files that none claims yet, their contents, a receiver of notices, cached values."""

    read_cache: ReadCache
    files: tuple[Found, ...]
    on_notice: OnNotice
    by_file: ByFile = NOTHING_KNOWN

    def begins_with(self, path: str, sign: bytes) -> bool:
        """Whether the first 512 bytes of a file contain `sign`. False if the file is unreadable."""

        def search() -> bool:
            beginning = self.read_cache.first_bytes(path, 512)
            if beginning is None:
                raise Unreadable
            return sign in beginning

        try:
            return self.by_file.get(path, f"begins with {sign!r}", search)
        except Unreadable:
            return False

    def head(self, path: str) -> FileHead | None:
        """A file's metadata and first lines, without reading more than necessary. None if binary or unreadable."""
        head = FileHead(path, self.read_cache, self.by_file)
        try:
            return head if head.metadata else None
        except Unreadable:
            return None

    def details(self, path: str, head: FileHead) -> Details:
        """The details in a file's head, empty without frontmatter. Problems become notices."""
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
    return grouped((file.path.rpartition("/")[0], file) for file in files)


def stem(path: str) -> str:
    return PurePosixPath(path).stem


def visible(files: Iterable[Found]) -> Iterator[Found]:
    return (file for file in files if not file.ignored)
