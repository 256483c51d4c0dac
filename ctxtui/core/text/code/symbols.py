"""The symbols of a code file, in whole lines with the comments and decorators above them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from ctxtui.core.base.digest import text_digest
from ctxtui.core.base.lru import Memo
from ctxtui.core.text.code.languages import Language
from ctxtui.core.text.code.macros import without_macros
from ctxtui.core.text.code.matches import matches_of

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST: Final = 12
_LONGEST_NAME: Final = 200
_INNER_BYTES: Final = bytes(range(0x80, 0xC0))
# Symbols inside these belong to them.
_CLOSED: Final = frozenset({"function", "method", "type"})
# Words that a parser mistakes for names if it cannot read a macro.
_KEYWORDS: Final = frozenset({"namespace", "class", "struct", "union", "enum"})
_NAMES: Final = frozenset({"name", "scope", "declarator", "body", "called"})
_AROUND: Final = frozenset({"parenthesized_declarator", "reference_declarator"})
_PARTED: Final = re.compile(r"::|\s+")
# The fields in which a body may be deeper than in the symbol, and nodes that have it in their first or last child.
_TO_BODY: Final = ("body", "definition", "declaration", "value", "right", "accessors")
_FIRST_CHILD: Final = frozenset(
    {"lexical_declaration", "variable_declaration", "expression_statement", "as_expression", "satisfies_expression"}
)
_BODIES: Final = frozenset({"object", "statement_block", "class_body"})
# Bodies that are the last child of their symbol, in no field.
_LAST_BODY: Final = frozenset({"class_body", "enum_class_body", "function_body", "do_block"})
# Parts of a call that may hold its body.
_GIVEN: Final = frozenset(
    "arrow_function function_expression generator_function object call_expression object_creation_expression".split()
)
_LAST_CHILD: Final = frozenset({"template_declaration", "ambient_declaration", "object_creation_expression"})
_DECLARED: Final = frozenset({"field_declaration", "constant_declaration"})
_BODY_DEPTH: Final = 6
_MEMORY: Final = 50_000


class Symbol(NamedTuple):
    """A symbol in whole lines, from `start` to `end` in characters. `first` is its start without comments above it.

    `path` is its qualified name. `level` counts from 1. Its body, with brackets, reaches from `body` to `body_end`.
    Both equal `end` without a body.
    """

    name: str
    kind: str
    path: tuple[str, ...]
    start: int
    first: int
    end: int
    level: int
    body: int
    body_end: int


class Field(NamedTuple):
    """A constant, field or declaration that is no symbol. The body is as in `Symbol`."""

    start: int
    end: int
    body: int
    body_end: int


class Parsed(NamedTuple):
    """Symbols and fields of a text. `comments` maps starts to ends, `leads` (see `_leads`) ends to starts."""

    symbols: tuple[Symbol, ...]
    comments: Mapping[int, int]
    leads: Mapping[int, int]
    fields: tuple[Field, ...]


class _Find(NamedTuple):
    """A definition: its range, its name and the scope before it, its kind, its body. Offsets as in `_Finds`."""

    start: int
    end: int
    name: str
    scope: str
    kind: str
    body: int
    body_end: int


class _Finds(NamedTuple):
    """Finds of the query: definitions, fields, and comments or decorators (start, end, whether it is a comment).

    Offsets are in characters, for a text outside ASCII in bytes until `_in_characters`.
    """

    symbols: list[_Find]
    fields: list[Field]
    asides: list[tuple[int, int, bool]]


# Parts and outlines of a file are asked for one after the other.
_parsed: Memo[tuple[str, bytes], Parsed | None] = Memo(
    _MEMORY, lambda parsed: len(parsed.symbols) + len(parsed.comments) + len(parsed.fields) + 1 if parsed else 1
)


def parse(language: Language, text: str) -> Parsed | None:
    """The symbols of a text in an installed language, cached in memory. None if parsing takes too much."""
    return _parsed.get((language.name, text_digest(text)), lambda: _parse(language, text))


def _parse(language: Language, text: str) -> Parsed | None:
    found = _query_finds(language, text)
    if found is None:
        return None
    finds, fields, asides = found
    comments = {start: end for start, end, _ in asides}
    leads = _leads(language, text, asides, fields)
    return Parsed(
        tuple(_nested_symbols(_whole_lines(text, finds, leads))), comments, leads, tuple(sorted(set(fields)))
    )


def _leads(
    language: Language, text: str, asides: Iterable[tuple[int, int, bool]], fields: Iterable[Field]
) -> dict[int, int]:
    """Comments and decorators that may belong to the line below: for the end of each, without blanks, its start."""
    leads: dict[int, int] = {}
    beside: list[tuple[int, int]] = []
    for start, end, is_comment in asides:
        last = start + len(text[start:end].rstrip())
        if is_comment and not _begins_line(text, start):
            beside.append((start, last))
        elif not is_comment or not text.startswith(language.about_file, start):
            leads[last] = start
    commented = dict(leads)
    for start, last in beside:
        # Behind an attribute, a comment belongs to it.
        before = _end_before(text, start)
        if before in commented and "\n" not in text[before:start]:
            leads[last] = commented[before]
    for field in fields:
        # A macro between a comment and a function goes with both.
        if text.startswith("#define", field.start) and _end_before(text, field.start) in commented:
            leads[field.start + len(text[field.start : field.end].rstrip())] = field.start
    return leads


def _end_before(text: str, start: int) -> int:
    """The end of the text before `start`, without white space."""
    while start > 0 and text[start - 1].isspace():
        start -= 1
    return start


def nested(symbols: Iterable[Symbol]) -> dict[Symbol | None, list[Symbol]]:
    """The symbols directly inside each symbol, and under None the outermost symbols."""
    inner: dict[Symbol | None, list[Symbol]] = {}
    around: list[Symbol] = []
    for symbol in symbols:
        del around[symbol.level - 1 :]
        inner.setdefault(around[-1] if around else None, []).append(symbol)
        around.append(symbol)
    return inner


def start_with_leads(text: str, start: int, leads: Mapping[int, int]) -> int:
    """Where the comments and decorators in `leads` directly above an offset begin, the offset itself without any."""
    while True:
        end = _end_before(text, start)
        if end not in leads or text.count("\n", end, start) > 1:
            return start
        start = leads[end]


def _query_finds(language: Language, text: str) -> _Finds | None:
    """The finds of the query in a text, with offsets in characters. None if parsing takes too much effort."""
    data = text.encode("utf-8", "surrogatepass")
    read, alone = without_macros(language, data)
    matches = matches_of(language, language.queries, text, read)
    if matches is None:
        return None
    finds: dict[int, _Find] = {}
    fields: list[Field] = []
    asides: list[tuple[int, int, bool]] = []
    overloads: list[Mapping[str, list[Node]]] = []
    for _, captures in matches:
        kind = next(each for each in captures if each not in _NAMES)
        node = captures[kind][0]
        if kind in ("comment", "lead"):
            asides.append((node.start_byte, node.end_byte, kind == "comment"))
            continue
        if kind == "overload":
            overloads.append(captures)
            continue
        if kind == "field":
            start, end = node.start_byte, node.end_byte
            # Most fields are short and shown whole, and node access is slow.
            is_short = data.find(b"\n", start, end) < 0
            fields.append(Field(start, end, *((end, end) if is_short else _body(data, node))))
            continue
        if "called" in captures and _name_text(data, captures["called"][0]) not in language.definers:
            continue
        place, find = _find(data, kind, node, captures)
        if read is not data:
            if find.name in _KEYWORDS:
                continue
            find = find._replace(start=_first_word(data, read, find.start))
        known = finds.get(place)
        # Of two definitions with one name and size, a closed kind wins.
        size, kept = find.end - find.start, known.end - known.start if known else -1
        if size > kept or (size == kept and find.kind in _CLOSED):
            finds[place] = find
    asides += [*_overloads(data, overloads), *((start, end, False) for start, end in alone)]
    found = _Finds(list(finds.values()), fields, asides)
    return found if text.isascii() else _in_characters(data, found)


def _first_word(data: bytes, read: bytes, start: int) -> int:
    """The start of a definition, or of the macros before it on its line, which `read`, for the parser, left blank."""
    line = data.rfind(b"\n", 0, start) + 1
    is_first = not read[line:start].strip()
    return line + len(data[line:start]) - len(data[line:start].lstrip()) if is_first else start


def _overloads(data: bytes, found: Iterable[Mapping[str, list[Node]]]) -> Iterator[tuple[int, int, bool]]:
    """The signatures directly above a method of the same name, each with start, end, and False for "no comment"."""
    leads: set[int] = set()
    for captures in sorted(found, key=lambda each: -each["overload"][0].start_byte):
        node, following = captures["overload"][0], captures["scope"][0]
        is_same = _name_text(data, captures["name"][0]) == _name_text(data, captures["declarator"][0])
        if is_same and (following.type == "method_definition" or following.start_byte in leads):
            leads.add(node.start_byte)
            yield node.start_byte, node.end_byte + (data[node.end_byte : node.end_byte + 1] == b";"), False


def _find(data: bytes, kind: str, node: Node, captures: Mapping[str, list[Node]]) -> tuple[int, _Find]:
    """The offset of a definition's name, which is unique, and the definition. `kind` is the name of its capture."""
    # Without type parameters: the methods of `Orders<T>` are those of `Orders`.
    scope = _name_text(data, captures["scope"][0]).partition("<")[0] if "scope" in captures else ""
    if "name" in captures:
        named = captures["name"][0]
    elif "declarator" in captures:
        named = captures["declarator"][0]
        while (inner := _inner_declarator(named)) is not None:
            named = inner
    else:
        body = node.child_by_field_name("body")
        end = min(node.end_byte if body is None else body.start_byte, node.start_byte + 2 * _LONGEST_NAME)
        name = _clean(data[node.start_byte : end])
        place = captures["scope"][0].start_byte
        return place, _Find(node.start_byte, node.end_byte, name, scope, kind, *_body(data, node))
    start, end = _body(data, node)
    if "body" in captures:
        start, end = _after_sign(data, captures["body"][0]), captures["body"][0].end_byte
    find = _Find(node.start_byte, max(node.end_byte, end), _name_text(data, named), scope, kind, start, end)
    return named.start_byte, find


def _body(data: bytes, node: Node) -> tuple[int, int]:
    """The start and end of a body, without braces after the colon or arrow. Both are the end without a body."""
    inner: Node | None = node
    for _ in range(_BODY_DEPTH):
        if inner is None:
            break
        body = inner if inner.type in _BODIES else _own_body(inner)
        if body is not None:
            return _after_sign(data, body), body.end_byte
        inner = _child_with_body(inner)
    return node.end_byte, node.end_byte


def _own_body(node: Node) -> Node | None:
    body = node.child_by_field_name("body") or node.child_by_field_name("accessors")
    if body is None and node.named_child_count:
        last = node.named_child(node.named_child_count - 1)
        return last if last is not None and last.type in _LAST_BODY else None
    return body


def _child_with_body(node: Node) -> Node | None:
    """The child of a definition's node that may hold the body, None without one."""
    if node.type in _FIRST_CHILD:
        return node.named_child(0)
    if node.type in _DECLARED:
        return node.child_by_field_name("declarator")
    if node.type in ("call_expression", "method_invocation"):
        given = node.child_by_field_name("arguments")
        inside = (each for each in given.named_children if each.type in _GIVEN) if given else iter(())
        return next(inside, None) or node.child_by_field_name("object")
    if node.type in _LAST_CHILD:
        return node.named_child(node.named_child_count - 1)
    if node.type == "type_definition":
        return node.child_by_field_name("type")
    return next((found for name in _TO_BODY if (found := node.child_by_field_name(name)) is not None), None)


def _after_sign(data: bytes, body: Node) -> int:
    """The start of a body at its bracket, else after the arrow, colon or name before it and its comments."""
    start = body.start_byte
    if data[start : start + 1] in (b"{", b"("):
        return start
    if data.startswith(b"=>", start):
        return start + 2
    before = body.prev_sibling
    while before is not None and before.type == "comment":
        before = before.prev_sibling
    return start if before is None else before.end_byte


def _inner_declarator(node: Node) -> Node | None:
    """The next node inside a C declarator, None at the name."""
    inner = node.child_by_field_name("declarator")
    return node.named_child(0) if inner is None and node.type in _AROUND else inner


def _name_text(data: bytes, node: Node) -> str:
    return _clean(data[node.start_byte : node.end_byte][: 4 * _LONGEST_NAME + 4]).strip("\"' ")


def _clean(name: bytes) -> str:
    return " ".join(name.decode("utf-8", "replace").split())


def _in_characters(data: bytes, found: _Finds) -> _Finds:
    ends = {place for each in found.symbols for place in (each.start, each.end, each.body, each.body_end)}
    ends |= {0, *(place for each in found.fields for place in each)}
    offsets = sorted(ends | {place for start, end, _ in found.asides for place in (start, end)})
    sizes = (len(data[low:high].translate(None, _INNER_BYTES)) for low, high in pairwise(offsets))
    # Characters beyond the first plane are one in Python, too.
    at = dict(zip(offsets, accumulate(sizes, initial=0), strict=True))
    return _Finds(
        [
            each._replace(start=at[each.start], end=at[each.end], body=at[each.body], body_end=at[each.body_end])
            for each in found.symbols
        ],
        [Field(*(at[place] for place in each)) for each in found.fields],
        [(at[start], at[end], is_comment) for start, end, is_comment in found.asides],
    )


def _begins_line(text: str, offset: int) -> bool:
    while offset > 0 and text[offset - 1] in " \t\f":
        offset -= 1
    return offset == 0 or text[offset - 1] == "\n"


def _whole_lines(text: str, finds: Iterable[_Find], leads: Mapping[int, int]) -> Iterator[tuple[_Find, int]]:
    """Definitions that begin a line, each extended to whole lines and its `leads`, and its start before that."""
    for find in finds:
        start = start_with_leads(text, find.start, leads)
        if not find.name or len(find.name) > _LONGEST_NAME or not _begins_line(text, start):
            continue
        feed = text.find("\n", max(find.start, find.end - 1))
        start = text.rfind("\n", 0, start) + 1
        yield find._replace(start=start, end=feed + 1 if feed >= 0 else len(text)), find.start


def _nested_symbols(finds: Iterable[tuple[_Find, int]]) -> Iterator[Symbol]:
    """The symbols in order. Definitions inside functions, methods and `type`s, and those too deep, are left out."""
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
        path = (*(outer.path if outer else ()), *own)
        level, body_end = len(around) + 1, min(find.body_end, end)
        symbol = Symbol(name, find.kind, path, find.start, first, end, level, min(find.body, body_end), body_end)
        around.append(symbol)
        yield symbol
