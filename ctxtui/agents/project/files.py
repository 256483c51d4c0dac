"""The files of a project as rules see them: text and frontmatter, read on demand, with recent texts in memory."""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from posixpath import join
from typing import Any, TypeVar

from ctxtui.agents.project.configuration import file_of, names_in, parse_data, value_in
from ctxtui.agents.project.frontmatter import (
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
from ctxtui.agents.project.globs import below_head
from ctxtui.agents.project.imports import Mentioned, mentions
from ctxtui.agents.types import MARKDOWN, Grammar, Row
from ctxtui.core.base.lru import Memo
from ctxtui.core.disk.git.rules import git_rules, read_rules
from ctxtui.core.documents.by_file import NOTHING_KNOWN, ByFile

_DATA = (".toml", ".json")
_TEXT_BYTES = 4 * 1024 * 1024
_NO_DATA: Mapping[str, Any] = {}
Value = TypeVar("Value")


def name_of(row: Row, path: str, files: Files) -> str:
    """The `name` in the frontmatter if the row reads it, else the folder of a skill, else the path.

    The path begins in the row's folder, without ending. With `misnamed` set to `folder`, that precedes the name.
    """
    name = (files.meta(path, row) or {}).get("name") if "name" in row.meta else None
    folder = posixpath.basename(posixpath.dirname(path))
    if name and isinstance(name, str) and not (row.misnamed == "folder" and folder):
        return name
    return folder if row.kind == "skill" and folder else posixpath.splitext(below_head(row.files, path))[0]


class _Unread(Exception):
    """An unreadable text. The result must not be cached."""


class Files:
    """Texts and facts of known files, None for an unreadable file. `by_file` has the facts of file versions."""

    def __init__(
        self,
        read: Callable[[str], str | None],
        known: Container[str],
        shown: Callable[[str], str] = str,
        by_file: ByFile = NOTHING_KNOWN,
        top: str = "",
    ) -> None:
        self._read = read
        self._top = top
        self._by_file = by_file
        self.shown = shown
        """Returns a path as reasons show it."""
        self._known = known
        # A memory limit: texts of a large project would otherwise stay as long as their facts.
        self._texts: Memo[str, str | None] = Memo(_TEXT_BYTES, lambda text: sys.getsizeof(text) + 512)
        self._facts: dict[tuple[object, ...], Any] = {}

    def listed_path(self, path: str) -> str:
        """The path of a file as lists of agents show it: below the place of the root, or `/` if unknown."""
        return f"{self._top}/{path}"

    def text(self, path: str) -> str | None:
        """The text of a known file, None if it is unknown or unreadable."""
        return self._texts.get(path, lambda: self._read(path) if path in self._known else None)

    def mentions(self, path: str, grammar: Grammar = MARKDOWN) -> tuple[str, ...]:
        """The targets of `@path` in a file, as written, for agents of a grammar."""
        found = partial(mentions, grammar=grammar)
        kind = f"mentions {[*grammar]}"
        return self._once((kind, path), lambda: self.fact(path, kind, found, ()))

    def mentioned(self, row: Row) -> Mentioned:
        """A function from a path to its `@path` targets for an agent under a row."""
        return partial(self.mentions, grammar=row.imports_as)

    def block(self, path: str, row: Row | None = None) -> Block | None:
        """The frontmatter of a file. None if the file has none, or if a byte order mark hides it from the agent."""
        block = self._once(("block", path), lambda: self.fact(path, "marked block", find_block, None))
        return None if block and block.is_marked and row and row.read_as.mark == "kept" else block

    def values(self, path: str, row: Row) -> Values | None:
        """The frontmatter as an agent reads it under a row. None if a strict agent rejects its YAML.

        Missing frontmatter gives empty values, and so does broken frontmatter that a strict agent treats as absent.
        """
        values = self._as_read(path, row)
        has_meta = path.endswith(_DATA) or self.block(path, row) is not None
        is_absent = row.read_as.broken == "ignore" or not has_meta
        return NO_VALUES if values is None and is_absent else values

    def meta(self, path: str, row: Row) -> Meta | None:
        """The metadata in the frontmatter as an agent reads it under a row, None if the agent rejects the YAML."""
        values = self.values(path, row)
        return None if values is None else values.meta

    def is_readable(self, path: str) -> bool:
        """Whether a file is known and can be read as text."""
        return self.fact(path, "text", lambda _text: True, False)

    def data(self, path: str) -> Mapping[str, Any]:
        """The mapping in a configuration file, empty if it is unknown, unreadable or invalid."""
        return self.fact(path, "data", partial(parse_data, path), _NO_DATA)

    def _once(self, key: tuple[object, ...], derive: Callable[[], Value]) -> Value:
        """The fact under a key: known, or now the result of `derive`."""
        if key not in self._facts:
            self._facts[key] = derive()
        fact: Value = self._facts[key]
        return fact

    def fact(self, path: str, kind: str, derive: Callable[[str], Value], otherwise: Value) -> Value:
        """The fact that `derive` gives for a text, cached by its `kind`, or `otherwise` for an unreadable text."""

        def derive_now() -> Value:
            text = self.text(path)
            if text is None:
                raise _Unread
            return derive(text)

        try:
            return self._by_file.get(path, kind, derive_now) if path in self._known else otherwise
        except _Unread:
            return otherwise

    def value(self, ref: str, folder: str = "") -> Any:
        """The value of `FILE#key.path` in a folder's configuration. None if it does not exist."""
        return self._once(("value", ref, folder), lambda: value_in(self.data(join(folder, file_of(ref))), ref))

    def names(self, refs: Sequence[str], folders: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """The names at each `FILE#key.path` in each folder, with their files."""
        return self._once(("names", tuple(refs), tuple(folders)), lambda: tuple(names_in(refs, self.value, folders)))

    def ignores(self, file: str, path: str) -> bool:
        """Whether the rules of a file in `.gitignore` syntax cover a path."""
        rules = self._once(("rules", file), lambda: git_rules(read_rules([self.text(file) or ""])))
        return rules.covers(path)

    def is_torn(self, path: str, row: Row) -> bool:
        """Whether a file has frontmatter that a strict agent cannot read."""
        is_strict = row.read_as.broken != "lines"
        return is_strict and self.block(path, row) is not None and self._as_read(path, row) is None

    def is_mended(self, path: str, row: Row) -> bool:
        """Whether a file's frontmatter is YAML only after the agent mends it."""
        has_block = bool(row.read_as.mends) and self.block(path, row) is not None
        return has_block and self._values_in_file(path, strict=True) is None and self._as_read(path, row) is not None

    def _as_read(self, path: str, row: Row) -> Values | None:
        """The values as an agent reads them under a row. None without frontmatter, or if the agent rejects it."""
        reading = row.read_as
        values = self._values_in_file(path, strict=reading.broken != "lines")
        if path.endswith(_DATA):
            return values
        block = self.block(path, row)
        return read_as(block.text, reading, (*row.needs, *row.meta), values) if block else None

    def _values_in_file(self, path: str, strict: bool) -> Values | None:
        return self._once(("seen", path, strict), lambda: self._read_values(path, strict))

    def _read_values(self, path: str, strict: bool) -> Values | None:
        """`_values_in_file`, read now. For strict readers, missing and broken frontmatter are None."""
        if path.endswith(_DATA):
            data = self.data(path)
            return Values(texts_of(data), {}, {}) if data or not strict else None
        kind = "frontmatter" if strict else "lenient frontmatter"
        nothing: Values | None = None if strict else NO_VALUES
        return self.fact(path, kind, partial(_values_in, strict=strict), nothing)


def _values_in(text: str, strict: bool) -> Values | None:
    block = find_block(text)
    if block is None:
        return None if strict else NO_VALUES
    return read_yaml(block.text) if strict else read_leniently(block.text)
