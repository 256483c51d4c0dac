"""The chunks of a text: sections of Markdown or reStructuredText, symbols of code, windows of other files, by lines.

The light scan reads a hundred megabytes in seconds. The text shown for a hit is cut along the exact sections.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ctxtui.core.text.code.cached import Mark
from ctxtui.core.text.code.parts import is_between, read_marks
from ctxtui.core.text.decode import Lines
from ctxtui.core.text.markdown.light import LightHeading, body_start, headings
from ctxtui.core.text.markdown.rst import rst_headings
from ctxtui.core.text.markdown.scan import Heading, has_headings, heading_name, is_rst

_LONGEST: Final = 6_000
_LONGEST_NAME: Final = 300
_MAX_SECTIONS: Final = 5_000
_WINDOW: Final = 2_400
_HAS_TEXT: Final = re.compile(r"\s*\S")
_HAS_BODY: Final = re.compile(r".*\n\s*\S")
_DEFINITION: Final = re.compile(
    r"^[ \t]*(?:(?:export|default|public|private|protected|static|final|abstract|async|pub|unsafe|const) +)*"
    r"(?:def|class|function|func|fn|interface|struct|enum|trait|impl|type|module|namespace|record|object)"
    r"[ \t*]+(?:\([^()\n]*\)[ \t]*)?([\w$.]+)",
    re.MULTILINE,
)
_DEFINITIONS: Final = 12


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some lines of a text, counted from 0, the end excluded. `heading` is their own, `trail` the headings above.

    `is_aside` marks metadata, which never ranks before the text it describes.
    """

    start: int
    end: int
    text: str
    heading: str = ""
    trail: tuple[str, ...] = ()
    is_aside: bool = False


def chunks(path: str, text: str) -> Iterator[Chunk]:
    """The chunks of a text in order. Together they contain every line that is not blank."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not has_headings(path):
        marks = read_marks(path, text).marks
        yield from _symbols(text, marks) if marks else map(_with_definitions, _windows(Chunk(0, 0, text), _WINDOW))
        return
    body, signs = _body_and_headings(path, text)
    if body:
        yield Chunk(0, text.count("\n", 0, body), text[:body], is_aside=True)
    for section in _sections(text, body, signs):
        yield from _windows(section, _WINDOW if len(section.text) > _LONGEST else len(section.text))


def light_headings(path: str, text: str) -> list[Heading]:
    """The headings of Markdown or reStructuredText as a light scan finds them."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = Lines.of(text)
    return [Heading(name, level, lines.at(start)) for level, name, start in _body_and_headings(path, text)[1]]


def _body_and_headings(path: str, text: str) -> tuple[int, list[LightHeading]]:
    """The offset where the text begins after its metadata, and the headings."""
    if is_rst(path):
        lines = Lines.of(text)
        found = rst_headings(lines.split(text))
        return 0, [LightHeading(each.level, each.name, lines.start(each.line)) for each in found]
    body = body_start(text)
    signs = headings(text, body)
    return body, [LightHeading(level, heading_name(name[:_LONGEST_NAME]), start) for level, name, start in signs]


def _sections(text: str, body: int, signs: Sequence[LightHeading]) -> Iterator[Chunk]:
    """The preamble and the sections of a text from the offset `body`. A heading without text is only in trails."""
    trail: list[tuple[int, str]] = []
    start, line = body, text.count("\n", 0, body)
    size = len(text)
    for level, name, offset in (*signs[:_MAX_SECTIONS], LightHeading(0, "", size)):
        end = line + text.count("\n", start, offset) + (offset == size and not text.endswith("\n"))
        has_none_below = bool(trail) and level <= trail[-1][0]
        if has_none_below or (_HAS_BODY if trail else _HAS_TEXT).match(text, start, offset):
            names = tuple(each for _, each in trail)
            yield Chunk(line, end, text[start:offset], names[-1] if names else "", names[:-1])
        while trail and trail[-1][0] >= level:
            trail.pop()
        trail.append((level, name))
        start, line = offset, end


def _symbols(text: str, marks: Sequence[Mark]) -> Iterator[Chunk]:
    """The chunks of code, cut before the symbols `marks` and named after them. Small neighbors are joined."""
    start = line = 0
    names: list[str] = []
    cuts = [mark for mark in marks if not is_between(mark.slug)]
    for mark, end in zip(cuts, (*(each.start for each in cuts[1:]), len(text)), strict=False):
        if end - start > _WINDOW and mark.start > start:
            yield from _piece_chunks(text[start : mark.start], line, names)
            line += text.count("\n", start, mark.start)
            start, names = mark.start, []
        names.append(mark.name)
    yield from _piece_chunks(text[start:], line, names)


def _piece_chunks(text: str, line: int, names: Sequence[str]) -> Iterator[Chunk]:
    end = line + text.count("\n") + (not text.endswith("\n"))
    if text.strip():
        chunk = Chunk(line, end, text, " ".join(names[:_DEFINITIONS])[:_LONGEST_NAME])
        yield from _windows(chunk, _WINDOW if len(text) > _LONGEST else len(text))


def _windows(chunk: Chunk, size: int) -> Iterator[Chunk]:
    """The chunk in windows of about `size` characters, cut before unindented lines that follow blank lines."""
    text, start, line = chunk.text, 0, chunk.start
    while len(text) - start > size + size // 2:
        cut = _cut(text, start + size // 2, start + size)
        if cut == len(text):
            break
        piece = text[start:cut]
        count = piece.count("\n")
        yield Chunk(line, line + count, piece, chunk.heading, chunk.trail)
        start, line = cut, line + count
    rest = text[start:]
    if rest.strip():
        yield Chunk(line, line + rest.count("\n") + (not rest.endswith("\n")), rest, chunk.heading, chunk.trail)


def _cut(text: str, low: int, high: int) -> int:
    """The offset to cut at: after the last blank line within `low`..`high`, else the last line, else the next one."""
    for sign, skip in (("\n\n", 2), ("\n", 1)):
        found = text.rfind(sign, low, high)
        if found >= 0:
            return found + skip
    found = text.find("\n", high)
    return len(text) if found < 0 else found + 1


def _with_definitions(window: Chunk) -> Chunk:
    """The window with the names of its first definitions as heading, or unchanged without definitions."""
    names = [match[1] for match, _ in zip(_DEFINITION.finditer(window.text), range(_DEFINITIONS), strict=False)]
    return Chunk(window.start, window.end, window.text, " ".join(names)) if names else window
