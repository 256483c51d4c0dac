"""List items of Markdown line by line: bullets, check-boxes, nesting, and the lines of each."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ctxtui.core.text.markdown.scan import Scan

_BULLET = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])(?:([ \t]+)(.*))?$")
_BOX = re.compile(r"\[([ xX]?)\](?:\s+(.*))?$")
# After more space than this an item begins with code.
_MOST_SPACE = 4
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_LINE_END = re.compile(r"\r\n|\r|\n")
_CODE_OR_COMMENT = re.compile(r"(`+)(?!`)[^\n]*?(?<!`)\1(?!`)|<!--")
_PARAGRAPH_END = re.compile(r"(\n[ \t]*\n)")


@dataclass(frozen=True, slots=True)
class Bullet:
    """A list item: its line from 0, its parent, its check-box and the text of its first line.

    `box` is " " or "x", None for a plain bullet. `parent` is a position among all bullets.
    """

    line: int
    parent: int | None
    box: str | None
    text: str


@dataclass(frozen=True, slots=True)
class ItemLine:
    """A line of a text: `code` (also comments and headings), `blank`, `bullet` or `text`.

    `text` has no indentation and marker. `bullet` is the position of the innermost item that owns the line, if any.
    """

    kind: str
    text: str = ""
    bullet: int | None = None


@dataclass(frozen=True, slots=True)
class Items:
    """The list items of a text, and all its lines."""

    bullets: tuple[Bullet, ...]
    lines: tuple[ItemLine, ...]


_CODE = ItemLine("code")


def read_items(text: str, structure: Scan) -> Items:
    """The list items outside code and comments, nested by CommonMark's rules."""
    reader = _Reader()
    lines = []
    headings = (block for block in structure.blocks if block.kind == "heading")
    hidden = structure.code.union(*(range(block.start, block.end) for block in headings))
    starts = {block.start for block in structure.blocks}
    for number, line in enumerate(_visible_lines(text, structure)):
        if number in starts:
            reader.open.clear()
        lines.append(_CODE if number in hidden else reader.read(number, line))
    return Items(tuple(reader.bullets), tuple(lines))


def _visible_lines(text: str, structure: Scan) -> list[str]:
    """The lines without line ends, and without comments inside paragraphs."""
    lines = _LINE_END.split(text)
    if "<!--" not in text:
        return lines
    shown = "\n".join("" if number in structure.code else line for number, line in enumerate(lines))
    if "<!--" not in shown:
        return lines
    return "".join(map(_without_comments, _PARAGRAPH_END.split(shown))).split("\n")


def _without_comments(paragraph: str) -> str:
    """The paragraph without comments, but with as many lines. `<!--` in a code span begins no comment."""
    kept = []
    position = 0
    while "-->" in paragraph and (match := _CODE_OR_COMMENT.search(paragraph, position)):
        if match[1]:
            kept.append(paragraph[position : match.end()])
            position = match.end()
            continue
        end = paragraph.find("-->", match.end())
        if end < 0:
            break
        kept.append(paragraph[position : match.start()] + "\n" * paragraph.count("\n", match.start(), end))
        position = end + 3
    return "".join(kept) + paragraph[position:]


class _Reader:
    """Reads lines in order, and adds the list items to `bullets`. Clear `open` where a block begins."""

    def __init__(self) -> None:
        self.bullets: list[Bullet] = []
        self.open: list[tuple[int, int]] = []  # the column where the text of each open bullet begins, its position
        self._after_blank = False

    def read(self, number: int, line: str) -> ItemLine:
        stripped = line.strip()
        if not stripped:
            self._after_blank = True
            return ItemLine("blank", "", self._innermost())
        match = _BULLET.match(line)
        if match and not _RULE.match(line):
            read = self._add_bullet(number, match)
        else:
            indent = _indent_width(line)
            kept = [entry for entry in self.open if entry[0] <= indent]
            # A lazy line, which continues text, needs no indentation.
            if kept or self._after_blank:
                self.open = kept
            read = ItemLine("text", stripped, self._innermost())
        self._after_blank = False
        return read

    def _add_bullet(self, number: int, match: re.Match[str]) -> ItemLine:
        while self.open and self.open[-1][0] > _indent_width(match[1]):
            self.open.pop()
        text = (match[4] or "").strip()
        box = _BOX.match(text)
        if box:
            text = (box[2] or "").strip()
        self.bullets.append(Bullet(number, self._innermost(), (box[1].lower() or " ") if box else None, text))
        marker = match[1] + match[2]
        start = len(marker.expandtabs(4))
        column = len((marker + (match[3] or "")).expandtabs(4))
        content = column if match[4] and column - start <= _MOST_SPACE else start + 1
        self.open.append((content, len(self.bullets) - 1))
        return ItemLine("bullet", text, self._innermost())

    def _innermost(self) -> int | None:
        return self.open[-1][1] if self.open else None


def _indent_width(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())
