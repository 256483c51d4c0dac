"""The symbols of a code file: what its grammar finds, in whole lines, with the comments and decorators above them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, pairwise
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple

from ctxtui.core.code.languages import Language, parser_of

if TYPE_CHECKING:
    from tree_sitter import Node

# No real file takes as long; hostile ones could take minutes.
_SECONDS: Final = 2.0
# Patterns that are matched at the same time; ours need a few.
_MOST_AT_ONCE: Final = 4096
_DEEPEST: Final = 12
_LONGEST_NAME: Final = 200
_INNER_BYTES: Final = bytes(range(0x80, 0xC0))
# What is inside these belongs to them.
_CLOSED: Final = frozenset({"function", "method", "type"})
# Comments about the file, not about what follows.
_OF_THE_FILE: Final = ("#!", "//!", "/*!")
_NAMES: Final = frozenset({"name", "scope", "declarator"})
_AROUND: Final = frozenset({"parenthesized_declarator", "reference_declarator"})
_PARTED: Final = re.compile(r"::|\s+")


class Symbol(NamedTuple):
    """A symbol in whole lines: `start` and `end` are in characters, `first` is where it begins after its comments.

    `path` are the names that qualify it, its own last; `level` counts from 1.
    """

    name: str
    kind: str
    path: tuple[str, ...]
    start: int
    first: int
    end: int
    level: int


class Parsed(NamedTuple):
    """The symbols of a text in order, and its comments outside them: where each ends by where it starts."""

    symbols: tuple[Symbol, ...]
    comments: Mapping[int, int]
    leads: Mapping[int, int]


class _Find(NamedTuple):
    start: int
    end: int
    name: str
    scope: str
    kind: str


def parse(language: Language, text: str) -> Parsed | None:
    """The symbols of a text in an installed language, as far as it can be parsed; None if that takes too long."""
    finds, asides = _found(language, text) or (None, ())
    if finds is None:
        return None
    comments = {start: end for start, end, _ in asides}
    # What may belong to the line below it, by the end of its last line.
    leads = {
        start + len(text[start:end].rstrip()): start
        for start, end, is_comment in asides
        if not is_comment or (_begins_line(text, start) and not text.startswith(_OF_THE_FILE, start))
    }
    return Parsed(tuple(_nested(_whole_lines(text, finds, leads))), comments, leads)


def above(text: str, start: int, leads: Mapping[int, int]) -> int:
    """Where the comments and decorators directly above an offset begin; the offset itself if there are none."""
    while True:
        end = start
        while end > 0 and text[end - 1].isspace():
            end -= 1
        if end not in leads or text.count("\n", end, start) > 1:
            return start
        start = leads[end]


def _found(language: Language, text: str) -> tuple[list[_Find], list[tuple[int, int, bool]]] | None:
    """What the query finds, in characters: definitions, and comments and the like with whether they are comments."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 - optional, and only for code whose parts are asked for

    parser, query = parser_of(language)
    data = text.encode("utf-8", "surrogatepass")
    view = memoryview(data)
    until = monotonic() + _SECONDS
    try:
        tree = parser.parse(lambda offset, _: view[offset:], progress_callback=lambda *_: monotonic() > until)
    except ValueError:
        return None
    matches = QueryCursor(query, match_limit=_MOST_AT_ONCE).matches(tree.root_node)
    finds: dict[int, _Find] = {}
    asides: list[tuple[int, int, bool]] = []
    for _, captures in matches:
        kind, node = next((kind, nodes[0]) for kind, nodes in captures.items() if kind not in _NAMES)
        if kind in ("comment", "lead"):
            asides.append((node.start_byte, node.end_byte, kind == "comment"))
            continue
        place, find = _find(data, kind, node, captures)
        known = finds.get(place)
        if known is None or find.end - find.start > known.end - known.start:
            finds[place] = find
    return _in_characters(data, text.isascii(), finds.values(), asides)


def _find(data: bytes, kind: str, node: Node, captures: Mapping[str, list[Node]]) -> tuple[int, _Find]:
    """A definition, and the offset of its name, which no other has."""
    # Without type parameters: the methods of `Orders<T>` are those of `Orders`.
    scope = _text(data, captures["scope"][0]).partition("<")[0] if "scope" in captures else ""
    if "name" in captures:
        named = captures["name"][0]
    elif "declarator" in captures:
        named = captures["declarator"][0]
        while (inner := _declared(named)) is not None:
            named = inner
    else:
        body = node.child_by_field_name("body")
        end = min(node.end_byte if body is None else body.start_byte, node.start_byte + 2 * _LONGEST_NAME)
        name = _clean(data[node.start_byte : end])
        return captures["scope"][0].start_byte, _Find(node.start_byte, node.end_byte, name, scope, kind)
    return named.start_byte, _Find(node.start_byte, node.end_byte, _text(data, named), scope, kind)


def _declared(node: Node) -> Node | None:
    """What a declarator of C is around."""
    inner = node.child_by_field_name("declarator")
    return node.named_child(0) if inner is None and node.type in _AROUND else inner


def _text(data: bytes, node: Node) -> str:
    return _clean(data[node.start_byte : node.end_byte][: 4 * _LONGEST_NAME + 4]).strip("\"' ")


def _clean(name: bytes) -> str:
    return " ".join(name.decode("utf-8", "replace").split())


def _in_characters(
    data: bytes, is_ascii: bool, finds: Iterable[_Find], asides: list[tuple[int, int, bool]]
) -> tuple[list[_Find], list[tuple[int, int, bool]]]:
    finds = list(finds)
    if is_ascii:
        return finds, asides
    ends = {0, *(each.start for each in finds), *(each.end for each in finds)}
    offsets = sorted(ends | {*(place for start, end, _ in asides for place in (start, end))})
    sizes = (len(data[low:high].translate(None, _INNER_BYTES)) for low, high in pairwise(offsets))
    # Characters beyond the first plane are one in Python, too.
    at = dict(zip(offsets, accumulate(sizes, initial=0), strict=True))
    return (
        [each._replace(start=at[each.start], end=at[each.end]) for each in finds],
        [(at[start], at[end], is_comment) for start, end, is_comment in asides],
    )


def _begins_line(text: str, offset: int) -> bool:
    while offset > 0 and text[offset - 1] in " \t\f":
        offset -= 1
    return offset == 0 or text[offset - 1] == "\n"


def _whole_lines(text: str, finds: Iterable[_Find], leads: Mapping[int, int]) -> Iterator[tuple[_Find, int]]:
    """Definitions that begin a line, in whole lines with what is directly above, and where each itself begins."""
    for find in finds:
        start = above(text, find.start, leads)
        if not find.name or len(find.name) > _LONGEST_NAME or not _begins_line(text, start):
            continue
        feed = text.find("\n", max(find.start, find.end - 1))
        start = text.rfind("\n", 0, start) + 1
        yield find._replace(start=start, end=feed + 1 if feed >= 0 else len(text)), find.start


def _nested(finds: Iterable[tuple[_Find, int]]) -> Iterator[Symbol]:
    around: list[Symbol] = []
    for find, first in sorted(finds, key=lambda each: (each[0].start, -each[0].end)):
        while around and around[-1].end <= find.start:
            around.pop()
        outer = around[-1] if around else None
        if outer and (outer.kind in _CLOSED or outer.level >= _DEEPEST or find.start <= outer.start):
            continue
        # An implementation is known by its type, and so are its methods.
        names = [find.scope] if find.kind == "impl" else [find.scope, *find.name.split("::")] if find.scope else None
        names = names or find.name.split("::")
        own = tuple(_PARTED.sub("-", name.strip()) or "-" for name in names)
        name = find.name if find.kind == "impl" else ".".join(own)
        end = min(find.end, outer.end) if outer else find.end
        symbol = Symbol(
            name, find.kind, (*(outer.path if outer else ()), *own), find.start, first, end, len(around) + 1
        )
        around.append(symbol)
        yield symbol
