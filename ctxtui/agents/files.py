"""The files of a project as rules see them: text and frontmatter, read on demand; the newest texts stay in memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from posixpath import join
from typing import Any, TypeVar

from ctxtui.agents.configuration import file_of, names_in, parse_data, value_in
from ctxtui.agents.frontmatter import Block, Meta, find_block, read_leniently, read_mended, read_yaml, texts_of
from ctxtui.agents.imports import Mentioned, mentions
from ctxtui.agents.types import Row
from ctxtui.core.data.rows import plain_row, value_of
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
        self._mentions: dict[tuple[str, bool], tuple[str, ...]] = {}
        self._blocks: dict[str, Block | None] = {}
        self._metas: dict[tuple[str, bool], Meta | None] = {}
        self._values: dict[tuple[str, str], Any] = {}
        self._rules: dict[str, IgnoreRules] = {}
        self._names: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[tuple[str, str], ...]] = {}

    def text(self, path: str) -> str | None:
        """The text of a file."""
        return self._texts.get(path, lambda: self._read(path) if path in self._known else None)

    def mentions(self, path: str, *, verbatim: bool = False) -> tuple[str, ...]:
        """What a file imports with `@path`, as written; `verbatim` as for rows."""
        key = path, verbatim
        if key not in self._mentions:
            kind, found = "mentions verbatim" if verbatim else "mentions", partial(mentions, in_markup=not verbatim)
            self._mentions[key] = self._from_text(path, kind, found, (), unpack=tuple)
        return self._mentions[key]

    def mentioned(self, row: Row) -> Mentioned:
        """What a file imports for an agent under a row, as written, by its path."""
        return partial(self.mentions, verbatim=row.verbatim)

    def block(self, path: str) -> Block | None:
        """The frontmatter of a file; None if it has none."""
        if path not in self._blocks:
            self._blocks[path] = self._from_text(path, "block", find_block, None, unpack=_block_of)
        return self._blocks[path]

    def meta(self, path: str, row: Row) -> Meta | None:
        """The metadata as an agent reads it under a row; None if the agent is strict and this is not YAML.

        Without frontmatter it is empty, also if a strict agent treats broken frontmatter as absent.
        """
        meta = self._as_read(path, row)
        return {} if meta is None and (row.broken == "ignore" or not self._has_meta(path)) else meta

    def is_readable(self, path: str) -> bool:
        """Whether a file can be read as text."""
        return self._from_text(path, "text", lambda _text: True, False)

    def data(self, path: str) -> Mapping[str, Any]:
        """The mapping in a file of data; empty if there is none."""
        found = partial(parse_data, path)
        return self._from_text(path, "data", found, _NO_DATA, pack=plain_row, unpack=value_of)

    def size(self, path: str, kind: str, measure: Callable[[str], int | None]) -> int | None:
        """A size of a kind that follows from a text; None if the text does not determine it or cannot be read."""
        return self._from_text(path, kind, measure, None)

    def _from_text(
        self,
        path: str,
        kind: str,
        learn: Callable[[str], Value],
        otherwise: Value,
        pack: Callable[[Value], Any] | None = None,
        unpack: Callable[[Any], Value] | None = None,
    ) -> Value:
        """What follows from a text, or something else if it cannot be read; kept as `ByFile.get` does."""

        def now() -> Value:
            text = self.text(path)
            if text is None:
                raise _Unread
            return learn(text)

        try:
            return self._by_file.get(path, kind, now, pack, unpack) if path in self._known else otherwise
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
        return row.broken != "lines" and self.block(path) is not None and self._as_read(path, row) is None

    def is_mended(self, path: str, row: Row) -> bool:
        """Whether a file has frontmatter that is YAML only because the agent mends it."""
        is_torn = bool(row.mends) and self.block(path) is not None and self._meta(path, strict=True) is None
        return is_torn and self._as_read(path, row) is not None

    def _as_read(self, path: str, row: Row) -> Meta | None:
        meta = self._meta(path, strict=row.broken != "lines")
        block = self.block(path) if meta is None and row.mends else None
        return read_mended(block.text, row.mends) if block else meta

    def _has_meta(self, path: str) -> bool:
        return path.endswith(_DATA) or self.block(path) is not None

    def _meta(self, path: str, strict: bool) -> Meta | None:
        key = path, strict
        if key not in self._metas:
            self._metas[key] = self._read_meta(path, strict)
        return self._metas[key]

    def _read_meta(self, path: str, strict: bool) -> Meta | None:
        if path.endswith(_DATA):
            data = self.data(path)
            return texts_of(data) if data or not strict else None
        kind = "metadata of agents" if strict else "lenient metadata of agents"
        nothing: Meta | None = None if strict else {}
        return self._from_text(path, kind, partial(_meta_in, strict=strict), nothing, unpack=_meta_of)


def _meta_in(text: str, strict: bool) -> Meta | None:
    block = find_block(text)
    if strict:
        return read_yaml(block.text) if block else None
    return read_leniently(block.text) if block else {}


def _meta_of(row: Mapping[str, Any] | None) -> Meta | None:
    return row and {key: value if isinstance(value, str) else tuple(value) for key, value in row.items()}


def _block_of(row: Sequence[Any] | None) -> Block | None:
    return None if row is None else Block(*row)
