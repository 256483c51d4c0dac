"""The files of a project as rules see them: text and frontmatter, read on demand; the newest texts stay in memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from posixpath import join
from typing import Any, TypeVar

from ctxtui.agents.configuration import file_of, names_in, parse_data, value_in
from ctxtui.agents.frontmatter import (
    NO_VALUES,
    Block,
    Meta,
    Values,
    find_block,
    read_as,
    read_leniently,
    read_yaml,
    texts_of,
)
from ctxtui.agents.imports import Mentioned, mentions
from ctxtui.agents.types import MARKDOWN, Grammar, Row
from ctxtui.core.files.by_file import NOTHING_KNOWN, ByFile
from ctxtui.core.lru import Memo
from ctxtui.core.patterns.ignore_rules import IgnoreRules, read_sound_rules

_DATA = (".toml", ".json")
_TEXT_BYTES = 4 * 1024 * 1024
_NO_DATA: Mapping[str, Any] = {}
Value = TypeVar("Value")


class _Unread(Exception):
    """A text could not be read, from which nothing follows for the next time."""


class Files:
    """Known files only; None for a file that cannot be read.

    What `by_file` knows of a version of a file is not read again.
    """

    def __init__(
        self,
        read: Callable[[str], str | None],
        known: Container[str],
        told: Callable[[str], str] = str,
        by_file: ByFile = NOTHING_KNOWN,
    ) -> None:
        self._read = read
        self._by_file = by_file
        self.told = told
        """A path as reasons write it."""
        self._known = known
        # Every text of a large project would stay in memory as long as what is known of it.
        self._texts: Memo[str, str | None] = Memo(_TEXT_BYTES, lambda text: sys.getsizeof(text) + 512)
        self._mentions: dict[tuple[str, Grammar], tuple[str, ...]] = {}
        self._blocks: dict[str, Block | None] = {}
        self._in_blocks: dict[tuple[str, bool], Values | None] = {}
        self._values: dict[tuple[str, str], Any] = {}
        self._rules: dict[str, IgnoreRules] = {}
        self._names: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[tuple[str, str], ...]] = {}

    def text(self, path: str) -> str | None:
        """The text of a file."""
        return self._texts.get(path, lambda: self._read(path) if path in self._known else None)

    def mentions(self, path: str, grammar: Grammar = MARKDOWN) -> tuple[str, ...]:
        """What a file imports with `@path`, as written, for agents of a grammar."""
        key = path, grammar
        if key not in self._mentions:
            found = partial(mentions, grammar=grammar)
            self._mentions[key] = self._from_text(path, f"mentions {[*grammar]}", found, ())
        return self._mentions[key]

    def mentioned(self, row: Row) -> Mentioned:
        """What a file imports for an agent under a row, as written, by its path."""
        return partial(self.mentions, grammar=row.imports_as)

    def block(self, path: str, row: Row | None = None) -> Block | None:
        """The frontmatter of a file; None if it has none, or if an agent sees none under a row because of a mark."""
        if path not in self._blocks:
            self._blocks[path] = self._from_text(path, "marked block", find_block, None)
        block = self._blocks[path]
        return None if block and block.is_marked and row and row.read_as.mark == "kept" else block

    def values(self, path: str, row: Row) -> Values | None:
        """The frontmatter as an agent reads it under a row; None if the agent is strict and this is not YAML.

        Without frontmatter it is empty, also if a strict agent treats broken frontmatter as absent.
        """
        values = self._as_read(path, row)
        is_absent = row.read_as.broken == "ignore" or not self._has_meta(path, row)
        return NO_VALUES if values is None and is_absent else values

    def meta(self, path: str, row: Row) -> Meta | None:
        """The metadata in the frontmatter as an agent reads it under a row."""
        values = self.values(path, row)
        return None if values is None else values.meta

    def is_readable(self, path: str) -> bool:
        """Whether a file can be read as text."""
        return self._from_text(path, "text", lambda _text: True, False)

    def data(self, path: str) -> Mapping[str, Any]:
        """The mapping in a file of data; empty if there is none."""
        found = partial(parse_data, path)
        return self._from_text(path, "data", found, _NO_DATA)

    def size(self, path: str, kind: str, measure: Callable[[str], int | None]) -> int | None:
        """A size of a kind that follows from a text; None if the text does not determine it or cannot be read."""
        return self._from_text(path, kind, measure, None)

    def _from_text(
        self,
        path: str,
        kind: str,
        learn: Callable[[str], Value],
        otherwise: Value,
    ) -> Value:
        """What follows from a text, or something else if it cannot be read; kept as `ByFile.get` does."""

        def now() -> Value:
            text = self.text(path)
            if text is None:
                raise _Unread
            return learn(text)

        try:
            return self._by_file.get(path, kind, now) if path in self._known else otherwise
        except _Unread:
            return otherwise

    def value(self, ref: str, folder: str = "") -> Any:
        """The value that `FILE#key.path` names in a folder's configuration; None if there is none."""
        key = ref, folder
        if key not in self._values:
            self._values[key] = value_in(self.data(join(folder, file_of(ref))), ref)
        return self._values[key]

    def names(self, refs: Sequence[str], folders: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """The names that configurations in some folders list, each with its file."""
        key = tuple(refs), tuple(folders)
        if key not in self._names:
            self._names[key] = tuple(names_in(refs, self.value, folders))
        return self._names[key]

    def ignores(self, file: str, path: str) -> bool:
        """Whether the rules of a file, written as in `.gitignore`, cover a path."""
        if file not in self._rules:
            self._rules[file] = read_sound_rules((self.text(file) or "").splitlines())
        return self._rules[file].covers(path)

    def is_torn(self, path: str, row: Row) -> bool:
        """Whether a file has frontmatter that a strict agent cannot read."""
        is_strict = row.read_as.broken != "lines"
        return is_strict and self.block(path, row) is not None and self._as_read(path, row) is None

    def is_mended(self, path: str, row: Row) -> bool:
        """Whether a file has frontmatter that is YAML only because the agent mends it."""
        has_block = bool(row.read_as.mends) and self.block(path, row) is not None
        return has_block and self._seen(path, strict=True) is None and self._as_read(path, row) is not None

    def _as_read(self, path: str, row: Row) -> Values | None:
        reading = row.read_as
        values = self._seen(path, strict=reading.broken != "lines")
        if path.endswith(_DATA):
            return values
        block = self.block(path, row)
        return read_as(block.text, reading, (*row.needs, *row.meta), values) if block else None

    def _has_meta(self, path: str, row: Row) -> bool:
        return path.endswith(_DATA) or self.block(path, row) is not None

    def _seen(self, path: str, strict: bool) -> Values | None:
        """The values in the frontmatter, the same for all readers."""
        key = path, strict
        if key not in self._in_blocks:
            self._in_blocks[key] = self._seen_now(path, strict)
        return self._in_blocks[key]

    def _seen_now(self, path: str, strict: bool) -> Values | None:
        if path.endswith(_DATA):
            data = self.data(path)
            return Values(texts_of(data), {}, {}) if data or not strict else None
        kind = "frontmatter" if strict else "lenient frontmatter"
        nothing: Values | None = None if strict else NO_VALUES
        return self._from_text(path, kind, partial(_values_in, strict=strict), nothing)


def _values_in(text: str, strict: bool) -> Values | None:
    block = find_block(text)
    if block is None:
        return None if strict else NO_VALUES
    return read_yaml(block.text) if strict else read_leniently(block.text)
