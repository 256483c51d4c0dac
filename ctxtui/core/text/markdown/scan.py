"""The scan of a Markdown text: the block structure that all other modules share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import unescape
from itertools import islice
from typing import TYPE_CHECKING

from ctxtui.core.text.decode import Lines
from ctxtui.core.text.notebook import CELL, is_notebook

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


MAX_CHARACTERS = 4 * 1024 * 1024
_MAX_LINES = 400_000
SUFFIXES = (".md", ".mdx", ".mdc", ".markdown", ".cursorrules", ".clinerules", ".windsurfrules", ".rules")
RST = ".rst"

_ANCHOR = re.compile(r"\s*\{#[^}]*\}\s*$")
_SIGNS = re.compile(r"^\s*#{1,6}(?=\s)|(?<=\s)#+\s*$")
_MARKUP = re.compile(r"[\\`*_~<&\[{]")
# A character behind a backslash, and code, which hold no markup.
_VERBATIM = re.compile(r"\\([!-/:-@\[-`{-~])|(?<!`)(`++) ?(.+?) ?(?<!`)\2(?!`)")
_HIDDEN = re.compile(r"\0(\d+)\0")
_TAG = re.compile(
    r"""</?[A-Za-z][A-Za-z0-9-]*+(?:\s+[A-Za-z_:][\w.:-]*+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]++))?)*+\s*/?>"""
    "|<!--.*?-->"
)
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\((?:[^()]|\([^()]*\))*+\)|\[[^\]]*\])")
# Underscores inside a word, such as in `mcp__a__b`, mark nothing.
_EMPHASIS = re.compile(r"(\*\*|~~|(?<!\*)\*(?!\*))(?=\S)(.+?)(?<=\S)\1|(?<!\w)(__?+)(?=\S)(.+?)(?<=\S)\3(?!\w)")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);")
_LONG = 2_000
# Deeper nesting swallows the text after it, and every level costs the parser a few Python frames.
_DEEPEST = 100
_CODE = ("fence", "code_block", "html_block")
_NUMBERING = re.compile(r"^\d+(?:\.\d+)*[.)]\s+")


def cell_headings(text: str, scan: Scan) -> Iterator[Heading]:
    """The headings of a notebook, and a heading for each cell without one at its start.

    A heading at the start of a cell begins at the line before it, which numbers the cell.
    """
    lines = scan.lines.split(text)
    by_line = {heading.line: heading for heading in scan.headings}
    # In a fence such a line is code, not a comment.
    comments = {first for first, _ in scan.comments}
    level = 0
    for number, line in enumerate(lines):
        heading = by_line.get(number)
        match = CELL.fullmatch(line.rstrip()) if number in comments else None
        if heading is not None:
            level = heading.level
            begins_cell = number - 1 in comments and CELL.fullmatch(lines[number - 1].rstrip()) is not None
            yield Heading(heading.name, heading.level, number - 1) if begins_cell else heading
        elif match is not None and number + 1 not in by_line:
            yield Heading(f"cell {match[1]}", level + 1, number)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading outside fences, comments, lists and quotes. `line` counts from 0."""

    name: str
    level: int
    line: int


@dataclass(frozen=True, slots=True)
class BlockSpan:
    """A top-level block: its kind (a markdown-it token type) and its lines, from 0, the end excluded."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Scan:
    """The structure of a text: headings, top-level blocks, lines of code and HTML from 0.

    `comments` are the lines of blocks that consist of one comment: the first, and the line after the last.
    """

    headings: tuple[Heading, ...]
    blocks: tuple[BlockSpan, ...]
    code: frozenset[int]
    comments: tuple[tuple[int, int], ...]
    lines: Lines


def is_markdown(path: str) -> bool:
    return path.lower().endswith(SUFFIXES)


def is_outlined(path: str) -> bool:
    """Whether the text of a file is Markdown. A notebook's text is too."""
    return is_markdown(path) or is_notebook(path)


def is_rst(path: str) -> bool:
    return path.lower().endswith(RST)


def has_headings(path: str) -> bool:
    """Whether the sections of a file come from Markdown or reStructuredText headings."""
    return is_outlined(path) or is_rst(path)


def scan(text: str) -> Scan:
    """Scan a Markdown text by the block rules of markdown-it (CommonMark with tables)."""
    headings: list[Heading] = []
    blocks: list[BlockSpan] = []
    code = set[int]()
    comments: list[tuple[int, int]] = []
    tokens = _parser().parse(text)
    for position, token in enumerate(tokens):
        if token.map is None:
            continue
        start, end = token.map
        if token.type in _CODE:
            code.update(range(start, end))
        if token.level or token.nesting < 0:
            continue
        blocks.append(BlockSpan(token.type, start, end))
        if token.type == "heading_open":
            headings.append(Heading(heading_name(tokens[position + 1].content), int(token.tag[1]), start))
        elif token.type == "html_block":
            html = token.content.strip()
            if html.startswith("<!--") and html.find("-->") == len(html) - 3:
                comments.append((start, end))
    return Scan(tuple(headings), tuple(blocks), frozenset(code), tuple(comments), Lines.of(text))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - documents are parsed when shown, picked or loaded

    parser = MarkdownIt("commonmark").enable("table")
    parser.options["maxNesting"] = _DEEPEST
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def scan_beginning(text: str) -> tuple[str, Scan]:
    """The text up to the size limit of scans, and its scan."""
    end = len(text) if len(text) <= MAX_CHARACTERS else text.rfind("\n", 0, MAX_CHARACTERS) + 1
    if text.count("\n", 0, end) > _MAX_LINES:
        end = next(islice(re.finditer("\n", text), _MAX_LINES, None)).end()
    found = scan(text[:end])
    if end == len(text) or not found.blocks or found.blocks[-1].end - 1 not in found.code:
        return text[:end], found
    # Code at the end of the last block may continue.
    line = found.blocks[-1].start
    beginning = text[: found.lines.start(line)]
    headings = tuple(heading for heading in found.headings if heading.line < line)
    comments = tuple(comment for comment in found.comments if comment[0] < line)
    return beginning, Scan(headings, found.blocks[:-1], found.code, comments, Lines.of(beginning))


def heading_name(raw: str) -> str:
    """A heading as people read it: one line, without anchor, link targets, tags and emphasis."""
    name = " ".join(raw.split())
    # No real heading is this long, and malicious headings would keep the patterns below busy for minutes.
    if not name or len(name) > _LONG or not _MARKUP.search(name):
        return name or "(untitled)"
    name = _ANCHOR.sub("", name).replace("\0", "\ufffd")
    verbatim: list[str] = []

    def hide(match: re.Match[str]) -> str:
        verbatim.append(match[1] or match[3])
        return f"\0{len(verbatim) - 1}\0"

    name = _VERBATIM.sub(hide, name)
    name = _TAG.sub("", name).strip() or name
    for _ in range(3):
        before, name = name, _EMPHASIS.sub(lambda match: match[2] or match[4], _LINK.sub(r"\1", name))
        if name == before:
            break
    name = _ENTITY.sub(lambda match: unescape(match[0]), name)
    # Some may have gone with a tag or the target of a link.
    name = _HIDDEN.sub(lambda match: verbatim[int(match[1])], name)
    return " ".join(name.split()) or "(untitled)"


def heading_text(line: str) -> str:
    """The text of an ATX heading as written, without signs and anchor."""
    return _ANCHOR.sub("", _SIGNS.sub("", line).strip()).strip()


def match_key(name: str) -> str:
    """The key to compare section names: no numbering, anchor or emphasis, case folded."""
    # A name as shown, such as `__init__` out of code, may hold marks again.
    return _NUMBERING.sub("", heading_name(heading_name(name))).casefold()


def slug(name: str) -> str:
    """GitHub's anchor for a heading, before repeats are numbered."""
    kept = (
        "-" if char == " " else char
        for char in name.strip().lower()
        if char in " -" or (kind := unicodedata.category(char))[0] in "LM" or kind in ("Nd", "Nl", "Pc")
    )
    return "".join(kept)
