"""The top-level blocks of a Markdown text: simple blocks by one pattern, the rest by the parser.

The pattern takes headings, paragraphs, fences, comments, rules, and unambiguous lists and tables. It saves 0.9 s
where 700 documents are parsed (0.25 instead of 1.1 s for 5.6 MB). `tests/core/test_blocks.py` compares both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

from ctxtui.core.text.markdown.light import closed_name

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

# Deeper nesting swallows the text after it, and every level costs the parser a few Python frames.
_DEEPEST: Final = 100
_LINE_END: Final = re.compile(r"\r\n?")

# The start of a line that is text in any context: no mark of structure.
_TEXT: Final = (
    r"(?:[^\s#<>|:=+*_~`\[\d-]|\*{1,2}[^\s*]|_{1,2}[^\s_]|`(?!``)"
    r"|\d++(?![.)](?:\s|\Z))|\[[^\[\]\\\n]*+\](?!:))"
)
_END: Final = r"(?:\n|\Z)"
_BLANK: Final = r"(?:[ \t]*\n)"
# No line below that would make this one the head of a table.
_NO_TABLE: Final = rf"(?![ \t]*[|:-][-|: \t]*{_END})"
_IS_HEADING: Final = r"#{1,6}(?:[ \t]|\n|\Z)"
_IS_FENCE: Final = rf"(?:`{{3,}}+[^`\n]*|~{{3,}}+[^\n]*){_END}"
_IS_RULE: Final = rf"(?:(?:-[ \t]*){{3,}}+|(?:\*[ \t]*){{3,}}+|(?:_[ \t]*){{3,}}+){_END}"
_IS_ITEM: Final = rf"(?:[-*+]|1[.)])[ ]{_TEXT}"
# A line of a table, and the end of a table.
_ROW: Final = rf"[ ]{{0,3}}\|[^\n]*+{_END}"
_BREAK: Final = rf"[ \t]*{_END}|{_IS_HEADING}|{_IS_FENCE}"
_PARAGRAPH: Final = (
    rf"[ ]{{0,3}}{_TEXT}[^\n]*+(?:\n[ \t]*+{_TEXT}[^\n]*+)*+"
    rf"(?:\Z|\n(?=[ \t]*{_END}|{_IS_HEADING}|{_IS_FENCE}|{_IS_ITEM}|<!--|>))"
)


def _item(mark: str, column: int) -> str:
    """A list item with its nested items, less deep than the parser's limit."""
    nested = rf"[ ]{{{column},40}}(?:[-*+]|\d{{1,9}}[.)])[ ]{{1,4}}"
    return rf"{mark}[ ]{_TEXT}[^\n]*+(?:\n(?:{nested}|[ ]*+){_TEXT}[^\n]*+)*+"


def _list(item: str, other: str) -> str:
    """Items with or without blank lines between them. `other` are the markers of another list.

    The list ends before a line of structure, or after blank lines before unindented text that is no item.
    """
    return (
        rf"(?:{item})(?:\n{_BLANK}*+(?:{item}))*+(?:(?:\n{_BLANK}*+)?+\Z|\n(?={_IS_HEADING}|{_IS_FENCE})"
        rf"|\n{_BLANK}++(?={_TEXT}|{_IS_RULE}|{other}[ ]|[#<>|`~:=]))"
    )


def _numbered(sign: str, other: str) -> str:
    items = rf"{_item(rf'[0-9]{sign}', 3)}|{_item(rf'[0-9][0-9]{sign}', 4)}"
    return _list(items, rf"(?:[-*+]|\d{{1,9}}{other})")


_BULLETS: Final = "|".join(
    _list(_item(mark, 2), rf"(?:[{others}]|\d{{1,9}}[.)])")
    for mark, others in (("-", "*+"), (r"\*", "+-"), (r"\+", "*-"))
)
_NUMBERED: Final = f"{_numbered('[.]', '[)]')}|{_numbered('[)]', '[.]')}"
_PLAIN: Final = "|".join(
    (
        rf"(?P<blank>{_BLANK}++|[ \t]++\Z)",
        rf"(?P<heading>(?P<signs>#{{1,6}})(?:[ \t](?P<name>[^\n]*+))?{_END}){_NO_TABLE}",
        rf"(?P<paragraph>{_PARAGRAPH})",
        rf"(?P<rule>{_IS_RULE})",
        rf"(?P<bullets>{_BULLETS})",
        rf"(?P<numbered>{_NUMBERED})",
        rf"(?P<fence>(?P<mark>`{{3,}}+(?=[^`\n]*{_END})|~{{3,}}+)[^\n]*{_END}){_NO_TABLE}",
        rf"(?P<table>(?P<head>{_ROW})(?P<under>[ ]{{0,3}}[|:-][-|: \t]+{_END})(?:{_ROW})*+)(?={_BREAK})",
        rf"(?P<comment>(?=<!--[^\n]*(?:\Z|\n{_NO_TABLE}))[\s\S]*?-->[^\n]*{_END})",
    )
)
_KINDS: Final[Mapping[str, str]] = {
    "heading": "heading_open",
    "paragraph": "paragraph_open",
    "rule": "hr",
    "bullets": "bullet_list_open",
    "numbered": "ordered_list_open",
    "fence": "fence",
    "comment": "html_block",
    "table": "table_open",
}
# Here every block above is closed, unless it is code or HTML that reaches to here.
_FRESH: Final = rf"\n[ \t]*\n(?={_TEXT}|{_IS_HEADING})"
_CLOSING: Final = re.compile(r"^ {0,3}(`{3,}+|~{3,}+)[ \t]*(?:\n|\Z)", re.MULTILINE)
_CODE: Final = ("fence", "code_block", "html_block")
_COLUMN: Final = re.compile(r":?-+:?")
# Beyond as many cells the parser ends a table.
_MOST_CELLS: Final = 0x10000


@dataclass(frozen=True, slots=True)
class BlockSpan:
    """A top-level block: its kind (a markdown-it token type) and its lines, from 0, the end excluded."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of a text in order, its headings as written (text, level, line), and the lines of code.

    `comments` are the lines of blocks that consist of one comment.
    """

    spans: list[BlockSpan] = field(default_factory=list)
    headings: list[tuple[str, int, int]] = field(default_factory=list)
    code: set[int] = field(default_factory=set)
    comments: list[tuple[int, int]] = field(default_factory=list)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    # Compiled on first use: they take longer than the rest of this module.
    return re.compile(_PLAIN), re.compile(_FRESH)


def find_blocks(text: str) -> Blocks:
    """The top-level blocks of a text, the same as from `parsed_blocks`."""
    source = _LINE_END.sub("\n", text).replace("\0", "\ufffd")
    found = Blocks()
    (plain, _), position, line = _patterns(), 0, 0
    while position < len(source):
        match = plain.match(source, position)
        end = _end(source, match) if match else None
        if match is None or end is None:
            end = _parse_some(found, source, position, line)
            if end is None:
                return parsed_blocks(text)
        elif match.lastgroup != "blank":
            _add(found, match, source[position:end], line)
        line += source.count("\n", position, end)
        position = end
    return found


def _end(source: str, match: re.Match[str]) -> int | None:
    """The end of a simple block. None for an unclosed fence and for lines that only resemble a table."""
    if match.lastgroup == "table":
        return match.end() if _is_table(match) else None
    if match.lastgroup != "fence":
        return match.end()
    marks = _CLOSING.finditer(source, match.end())
    return next((closing.end() for closing in marks if closing[1].startswith(match["mark"])), None)


def _is_table(match: re.Match[str]) -> bool:
    """Whether the line below the head has as many columns. False if unsure."""
    head, under = match["head"].strip(" \t\n"), match["under"].strip(" \t\n")
    columns = [each.strip(" \t") for each in under.removeprefix("|").removesuffix("|").split("|")]
    if "\\" in head or head[-1].isspace() or under[:2] in ("- ", "-\t") or not all(map(_COLUMN.fullmatch, columns)):
        return False
    cells = head.count("|") - head.endswith("|")
    return cells == len(columns) and cells * match[0].count("\n") < _MOST_CELLS


def _add(found: Blocks, match: re.Match[str], block: str, line: int) -> None:
    kind = match.lastgroup or ""
    end = line + block.count("\n") + (not block.endswith("\n"))
    found.spans.append(BlockSpan(_KINDS[kind], line, end))
    if kind == "heading":
        found.headings.append((closed_name(match["name"] or ""), len(match["signs"]), line))
    elif kind in ("fence", "comment"):
        found.code.update(range(line, end))
        if kind == "comment" and _is_comment(block):
            found.comments.append((line, end))


def _parse_some(found: Blocks, source: str, start: int, line: int) -> int | None:
    """Parse from an offset to the next place where all blocks are closed. None if the parser gave up."""
    reach = start
    while True:
        fresh = _patterns()[1].search(source, reach)
        end = fresh.end() if fresh else len(source)
        some = Blocks()
        if not _parse(some, source[start:end], line):
            return None
        lines = source.count("\n", start, end)
        is_open = some.spans and some.spans[-1].kind in _CODE and some.spans[-1].end == line + lines
        if end == len(source) or not is_open:
            break
        # Twice as far, so that the whole costs no more than twice.
        reach = end + (end - start)
    found.spans.extend(some.spans)
    found.headings.extend(some.headings)
    found.code.update(some.code)
    found.comments.extend(some.comments)
    return end


def parsed_blocks(text: str) -> Blocks:
    """The top-level blocks of a text, all by the parser."""
    found = Blocks()
    _parse(found, text, 0)
    return found


def _parse(found: Blocks, text: str, line: int) -> bool:
    """Add the blocks of a text that begins in a line. False if it nests too deeply for the parser."""
    tokens = _parser().parse(text)
    for position, token in enumerate(tokens):
        if token.map is None:
            continue
        start, end = token.map[0] + line, token.map[1] + line
        if token.type in _CODE:
            found.code.update(range(start, end))
        if token.level or token.nesting < 0:
            continue
        found.spans.append(BlockSpan(token.type, start, end))
        if token.type == "heading_open":
            found.headings.append((tokens[position + 1].content, int(token.tag[1]), start))
        elif token.type == "html_block" and _is_comment(token.content):
            found.comments.append((start, end))
    return all(token.level < _DEEPEST - 2 for token in tokens)


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - documents are parsed when shown, picked or loaded

    parser = MarkdownIt("commonmark").enable("table")
    parser.options["maxNesting"] = _DEEPEST
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _is_comment(content: str) -> bool:
    stripped = content.strip()
    return stripped.startswith("<!--") and stripped.endswith("-->") and stripped.find("-->") == len(stripped) - 3
