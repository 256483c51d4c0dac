"""Highlights: comments, strings, numbers, keywords, types and declared names of code, for the screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from ctxtui.core.text.code.languages import is_loadable, language_of
from ctxtui.core.text.code.matches import tree_of

if TYPE_CHECKING:
    from tree_sitter import Node, TreeCursor

Kind = Literal["comment", "string", "number", "keyword", "type", "name"]

MAX_CHARACTERS: Final = 200_000
_TYPES: Final = frozenset({"type_identifier", "primitive_type", "predefined_type", "builtin_type"})
_NUMBERS: Final = ("integer", "float", "number", "number_literal", "int_literal", "float_literal", "integer_literal")
_STRINGS: Final = frozenset({"char_literal", "character_literal", "rune_literal", "escape_sequence"})
_WORDS: Final = frozenset({"true", "false", "none", "null", "null_literal", "nil", "self", "this", "super"})


class Highlight(NamedTuple):
    """A part of one line: its first byte and the byte after it, in UTF-8. `end` may lie beyond the line."""

    start: int
    end: int
    kind: Kind


def highlights(path: str, text: str) -> dict[int, list[Highlight]]:
    """The highlights of a code file by line, from 0.

    Empty without a grammar, for more than MAX_CHARACTERS, or if parsing takes too long.
    """
    language = language_of(path)
    if language is None or len(text) > MAX_CHARACTERS or not is_loadable(language):
        return {}
    data = text.encode("utf-8", "surrogatepass")
    tree = tree_of(language, text, data)
    found: dict[int, list[Highlight]] = {}
    for node, kind in _kinds(tree.walk()) if tree is not None else ():
        (first, start), (last, end) = node.start_point, node.end_point
        for line in range(first, last + 1):
            stop = end if line == last else len(data)
            found.setdefault(line, []).append(Highlight(start if line == first else 0, stop, kind))
    return found


def _kinds(cursor: TreeCursor) -> Iterator[tuple[Node, Kind]]:
    """The nodes with a kind in the order of the text. Nothing inside such a node has a kind of its own."""
    while True:
        node = cursor.node
        assert node is not None
        kind = _kind(node, cursor.field_name)
        if kind is not None:
            yield node, kind
        elif cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def _kind(node: Node, field: str | None) -> Kind | None:
    """The kind of a node in a `field` of its parent. None also if only nodes inside it have a kind."""
    name = node.type
    if "comment" in name:
        return "comment"
    if name in _STRINGS or (node.is_named and "string" in name):
        return "string"
    if node.child_count:
        return None
    if name in _WORDS or (not node.is_named and name.isalpha()):
        return "keyword"
    if name in _TYPES:
        return "type"
    if node.is_named and name.endswith(_NUMBERS):
        return "number"
    return "name" if field == "name" and node.is_named else None
