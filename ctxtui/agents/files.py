"""The files of a project as rules see them: text and frontmatter, each read once and only when asked for."""

from __future__ import annotations

from collections.abc import Callable, Container

from ctxtui.agents.frontmatter import Block, Meta, find_block, read_lines, read_yaml
from ctxtui.agents.imports import mentions
from ctxtui.agents.types import Row


class Files:
    """Known files only; what cannot be read is None."""

    def __init__(self, read: Callable[[str], str | None], known: Container[str]) -> None:
        self._read = read
        self._known = known
        self._texts: dict[str, str | None] = {}
        self._mentions: dict[str, tuple[str, ...]] = {}
        self._blocks: dict[str, Block | None] = {}
        self._metas: dict[tuple[str, bool], Meta | None] = {}

    def text(self, path: str) -> str | None:
        """The text of a file."""
        if path not in self._texts:
            self._texts[path] = self._read(path) if path in self._known else None
        return self._texts[path]

    def mentions(self, path: str) -> tuple[str, ...]:
        """What a file imports with `@path`, as written."""
        if path not in self._mentions:
            self._mentions[path] = mentions(self.text(path) or "")
        return self._mentions[path]

    def block(self, path: str) -> Block | None:
        """The frontmatter of a file, None where it has none."""
        if path not in self._blocks:
            self._blocks[path] = find_block(self.text(path) or "")
        return self._blocks[path]

    def meta(self, path: str, row: Row) -> Meta | None:
        """The metadata as an agent reads it under a row; None where the agent is strict and this is not YAML.

        A strict agent that takes such a file as one without metadata gets an empty one.
        """
        meta = self._meta(path, strict=row.broken != "lines")
        return {} if meta is None and row.broken == "ignore" else meta

    def is_torn(self, path: str, row: Row) -> bool:
        """Whether a file has frontmatter that the agent, being strict, cannot read."""
        return row.broken != "lines" and self.block(path) is not None and self._meta(path, strict=True) is None

    def _meta(self, path: str, strict: bool) -> Meta | None:
        key = path, strict
        if key not in self._metas:
            block = self.block(path)
            if strict:
                self._metas[key] = read_yaml(block.text) if block else None
            else:
                self._metas[key] = read_lines(block.text if block else "")
        return self._metas[key]
