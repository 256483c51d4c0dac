"""Heads: values from the beginning of a file, cached by the file's version."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.documents.by_file import ByFile
from ctxtui.core.documents.read_cache import ReadCache
from ctxtui.core.text.decode import decode
from ctxtui.core.text.markdown.light import first_title
from ctxtui.core.text.markdown.scan import heading_name
from ctxtui.core.text.metadata.details import read_details
from ctxtui.core.text.metadata.frontmatter import Frontmatter, read_frontmatter
from ctxtui.core.text.metadata.head import whole_characters
from ctxtui.core.text.metadata.reference import Details

Value = TypeVar("Value")


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
        """The text of the first H1."""
        first = first_title(self.body)
        return None if first is None else heading_name(first.name)

    @property
    def first_line(self) -> str:
        """The first line of the body that is not blank."""
        return next((line.strip() for line in self.body.splitlines() if line.strip()), "")


@dataclass(frozen=True, slots=True)
class Metadata:
    """The frontmatter of a file as metadata, with the YAML's `notices` and the `refused` values.

    `details` is None without frontmatter.
    """

    details: Details | None = None
    notices: tuple[Notice, ...] = ()
    refused: tuple[Notice, ...] = ()


class FileHead:
    """The metadata of a file, and other values from its beginning, which is read only if they are not cached."""

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
        return self.metadata.details.values if self.metadata and self.metadata.details else {}

    @property
    def title(self) -> str | None:
        """The text of the first H1."""
        return self.derived("title", lambda beginning: beginning.title)

    def derived(self, kind: str, derive: Callable[[Beginning], Value]) -> Value | None:
        """A packable value derived from the beginning, cached by its kind. None if the file is not readable text."""

        def now() -> Value | None:
            return derive(self._beginning) if self._beginning else None

        try:
            return self._by_file.get(self._path, kind, now)
        except Unreadable:
            return None

    @cached_property
    def _beginning(self) -> Beginning | None:
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
        if self._beginning is None:
            return None
        frontmatter = self._beginning.frontmatter
        if frontmatter is None:
            return Metadata()
        refused: list[Notice] = []
        details = read_details(frontmatter.values, self._path, refused.append)
        return Metadata(details, frontmatter.notices, tuple(refused))
