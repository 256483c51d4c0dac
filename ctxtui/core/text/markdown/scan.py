"""The scan of a Markdown text: the block structure that all other modules share."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import accumulate, islice
from typing import Any

from ctxtui.core.text.decode import Lines
from ctxtui.core.text.markdown.light import MAX_CHARACTERS, as_the_parser_reads, closed_name
from ctxtui.core.text.notebook import CELL, is_notebook

_MAX_LINES = 400_000
SUFFIXES = (".md", ".mdx", ".mdc", ".markdown", ".cursorrules", ".clinerules", ".windsurfrules", ".rules")
_RST = ".rst"

_ANCHOR = re.compile(r"\s*\{#[^}]*\}\s*$")
_ATX = re.compile(r" {0,3}#{1,6}(?=[ \t\r\n]|$)")
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
_CODE = ("fence", "code_block", "html_block")
_KINDS = {
    "Rule": "hr",
    "BlockQuote": "blockquote",
    "HtmlBlock": "html_block",
    "Fenced": "fence",
    "Indented": "code_block",
}
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
    """A top-level block: its kind and its lines, from 0, the end excluded.

    The kinds are heading, paragraph, list, blockquote, table, fence, code_block (indented), html_block, hr.
    """

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


def has_markdown_text(path: str) -> bool:
    """Whether the text of a file is Markdown, by its name. That of a notebook is, too."""
    return is_markdown(path) or is_notebook(path)


def is_rst(path: str) -> bool:
    return path.lower().endswith(_RST)


def has_headings(path: str) -> bool:
    """Whether the sections of a file come from Markdown or reStructuredText headings."""
    return has_markdown_text(path) or is_rst(path)


def scan(text: str) -> Scan:
    """Scan a Markdown text by the block rules of CommonMark with tables.

    The parser, pulldown-cmark, ends HTML that begins with `<pre>`, `<script>`, `<style>` or `<textarea>` only at its
    own end tag.
    """
    headings: list[Heading] = []
    blocks: list[BlockSpan] = []
    code = set[int]()
    comments: list[tuple[int, int]] = []
    lines = Lines.of(text)
    for tag, start, end, is_top in _parsed(text, lines):
        kind = _kind(tag)
        if kind in _CODE:
            code.update(range(start, end))
        if not is_top:
            continue
        blocks.append(BlockSpan(kind, start, end))
        written = text[lines.start(start) : lines.start(end)]
        if kind == "heading":
            headings.append(Heading(heading_name(_title(written)), int(tag["Heading"]["level"][1]), start))
        elif kind == "html_block":
            html = written.strip()
            if html.startswith("<!--") and html.find("-->") == len(html) - 3:
                comments.append((start, end))
    return Scan(tuple(headings), tuple(blocks), frozenset(code), tuple(comments), lines)


def _parsed(text: str, lines: Lines) -> Iterator[tuple[Any, int, int, bool]]:
    """The blocks at the top, and code and HTML within them: the parser's tag, the lines, whether it is at the top."""
    from pyromark import Options, events_with_range  # noqa: PLC0415 - documents are parsed when shown, picked or loaded

    read = as_the_parser_reads(text)
    starts: Sequence[int] = lines.starts
    if not text.isascii():
        # The parser counts bytes and refuses lone surrogates.
        encoded = [line.encode("utf-8", "replace") for line in lines.split(read)]
        read, starts = b"".join(encoded).decode(), list(accumulate(map(len, encoded), initial=0))
    # Words, and mappings of a dozen shapes, told apart by their keys.
    events: Iterable[Any] = events_with_range(read, options=Options.ENABLE_TABLES)
    depth = content = 0
    top: Any = None
    for event, place in events:
        start, end = place["start"], place["end"]
        if "Start" in event:
            depth += 1
            tag, content = event["Start"], max(content, start + 1)
            if depth == 1:
                top = tag
            elif tag == "HtmlBlock" or "CodeBlock" in tag:
                yield tag, bisect_right(starts, start) - 1, bisect_left(starts, end), False
        elif "End" not in event:
            content = end
            if event == "Rule" and not depth:
                yield event, bisect_right(starts, start) - 1, bisect_left(starts, end), True
        else:
            depth -= 1
            is_list = "List" in event["End"]
            # The empty lines of a quote belong to it, those of a list do not.
            content = content if is_list or event["End"] == "Item" else end
            if depth:
                continue
            last = bisect_left(starts, end)
            if is_list:
                # The parser's own end may lie behind definitions of links, or within the next line.
                whole = len(starts) if end == len(read) else bisect_right(starts, end) - 1
                last = _end_of_list(text, lines, bisect_left(starts, content), whole)
            yield top, bisect_right(starts, start) - 1, last, True


def _end_of_list(text: str, lines: Lines, end: int, most: int) -> int:
    """The end of a list whose text ends at line `end`: behind blank lines, and behind definitions in its last item.

    Definitions are the indented lines before line `most`, where the parser ends the list.
    """
    line = end
    while lines.start(line) < len(text):
        written = text[lines.start(line) : lines.start(line + 1)]
        is_blank = not written.strip(" \t\r\n")
        if not is_blank and (line >= most or written[0] not in " \t"):
            break
        line += 1
    return line


def _kind(tag: str | Mapping[str, Any]) -> str:
    """The kind of a block or inline from a tag of the parser, such as `Paragraph` or `{"CodeBlock": "Indented"}`."""
    while not isinstance(tag, str):
        name, value = next(iter(tag.items()))
        tag = value if name == "CodeBlock" else name
    return _KINDS.get(tag, tag.lower())


def _title(written: str) -> str:
    """The text of a heading, underlined or with signs."""
    signs = _ATX.match(written)
    if signs is None:
        return written.rstrip().rstrip("=-")
    return closed_name(written[signs.end() :].strip(" \t\r\n"))


def scan_beginning(text: str) -> tuple[str, Scan]:
    """The text up to the size limit of scans, without code that the limit cuts, and its scan."""
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
    """A heading as people read it: without anchor, link targets, tags and emphasis, `(untitled)` if empty."""
    name = " ".join(raw.replace("\0", "\ufffd").split())
    # No real heading is this long, and malicious headings would keep the patterns below busy for minutes.
    if not name or len(name) > _LONG or not _MARKUP.search(name):
        return name or "(untitled)"
    name = _ANCHOR.sub("", name)
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
    """The text of an ATX heading as written, without signs and anchor, but with its markup."""
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
