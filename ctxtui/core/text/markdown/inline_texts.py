"""The plain text of a Markdown paragraph, split at emphasis, links, code and HTML."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


def inline_texts(paragraph: str) -> list[str]:
    """The pieces in order, without code and HTML. Line breaks stay."""
    pieces, current = [], ""
    for block in _parser().parseInline(paragraph):
        for token in block.children or ():
            if token.type == "text" or (token.type == "text_special" and token.content == token.markup):
                current += token.content
            elif token.type == "softbreak":
                current += "\n"
            else:
                pieces.append(current)
                current = ""
    return [each for each in (*pieces, current) if each]


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - only few texts need it

    parser = MarkdownIt("commonmark").disable("entity")
    parser.core.ruler.enableOnly(["block", "inline"])
    return parser
