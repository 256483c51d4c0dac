"""The top-level blocks of a Markdown text, by the parser (CommonMark with tables)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

# Deeper nesting swallows the text after it, and every level costs the parser a few Python frames.
_DEEPEST: Final = 100
_CODE: Final = ("fence", "code_block", "html_block")


@dataclass(frozen=True, slots=True)
class BlockSpan:
    """A top-level block: its kind (a markdown-it token type) and its lines, from 0, the end excluded."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of a text in order, its headings as written (text, level, line), and the lines of code.

    `comments` are the lines of blocks that consist of one comment: the first, and the line after the last.
    """

    spans: list[BlockSpan] = field(default_factory=list)
    headings: list[tuple[str, int, int]] = field(default_factory=list)
    code: set[int] = field(default_factory=set)
    comments: list[tuple[int, int]] = field(default_factory=list)


def find_blocks(text: str) -> Blocks:
    found = Blocks()
    tokens = _parser().parse(text)
    for position, token in enumerate(tokens):
        if token.map is None:
            continue
        start, end = token.map
        if token.type in _CODE:
            found.code.update(range(start, end))
        if token.level or token.nesting < 0:
            continue
        found.spans.append(BlockSpan(token.type, start, end))
        if token.type == "heading_open":
            found.headings.append((tokens[position + 1].content, int(token.tag[1]), start))
        elif token.type == "html_block" and _is_comment(token.content):
            found.comments.append((start, end))
    return found


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
