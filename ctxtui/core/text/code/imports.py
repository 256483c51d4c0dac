"""The imports of a code file as written. Nothing is run or resolved."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.code.cached import cache_kind, cached_result
from ctxtui.core.text.code.languages import Language, has_grammar, is_loadable, language_of, why_no_symbols
from ctxtui.core.text.code.matches import matches_of
from ctxtui.core.text.markdown.light import MAX_CHARACTERS

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_NAME: Final = 500
"""The maximum number of characters of a module or a name that is read."""

_KIND: Final = "imports"
_MOST: Final = 5_000
_WORD: Final = re.compile(r"import|require|from")


class Import(NamedTuple):
    """An import statement: a module as written, and the names from it, `*` for all.

    `level` is the number of leading dots in Python. Names are read in Python only. `line` counts from 1.
    """

    module: str
    names: tuple[str, ...] = ()
    level: int = 0
    line: int = 1


def may_have_imports(path: str) -> bool:
    """Whether the imports of files in the language of a file can be read, given a grammar."""
    language = language_of(path)
    return language is not None and bool(language.imports)


def can_read_imports(path: str) -> bool:
    """Whether the imports of a file can be read with the installed grammars."""
    return may_have_imports(path) and has_grammar(path)


def lacks_import_grammar(path: str) -> bool:
    """Whether only a missing grammar keeps the imports of a file from being read."""
    return may_have_imports(path) and bool(why_no_symbols(path))


def known_imports(path: str, digest: bytes, cache: Cache) -> tuple[Import, ...] | None:
    """The cached imports of a content in the language of a path, None if they are not cached."""
    language = language_of(path)
    kind = cache_kind(_KIND, language) if language else None
    known: tuple[Import, ...] | None = cache.known_fact(kind, digest) if kind else None
    return known


def imports_of(path: str, text: str, digest: bytes, cache: Cache) -> tuple[Import, ...]:
    """The imports of a text in the language of `path`, cached by the text's digest. Empty if they cannot be read."""
    language = language_of(path)
    if language is None or not can_read_imports(path) or not is_loadable(language):
        return ()
    kind = cache_kind(_KIND, language)

    def words(found: Iterable[Import]) -> Iterator[str]:
        return (word for each in found for word in (each.module, *each.names))

    return cached_result(kind, digest, cache, lambda: find_imports(language, text), words)


def find_imports(language: Language, text: str) -> tuple[Import, ...]:
    """The imports of a text in an installed language, from about 5,000 statements at most.

    Empty if the text is too large or slow to parse.
    """
    if len(text) > MAX_CHARACTERS or not _WORD.search(text):
        return ()
    data = text.encode("utf-8", "surrogatepass")
    found: list[Import] = []
    for _, captures in matches_of(language, language.imports, text, data) or ():
        if len(found) >= _MOST:
            break
        if "from" in captures:
            found += _from(data, captures["from"][0])
        elif "dotted" in captures:
            found.append(Import(_dotted(data, captures["dotted"][0]), line=_line(captures["dotted"][0])))
        elif "called" not in captures or _text(data, captures["called"][0]) == "require":
            module = _text(data, captures["module"][0])[1:-1]
            # None with escapes or interpolations.
            if module and "\\" not in module and "${" not in module:
                found.append(Import(module, line=_line(captures["module"][0])))
    found.sort(key=lambda each: each.line)
    return tuple(each for each in found if all(len(word) <= MAX_NAME for word in (each.module, *each.names)))


def _from(data: bytes, node: Node) -> Iterator[Import]:
    """The import of a Python statement `from … import …`, nothing if the statement is broken."""
    module = node.child_by_field_name("module_name")
    if module is None:
        return
    written = _dotted(data, module)
    name = written.lstrip(".")
    names = [
        _dotted(data, each.child_by_field_name("name") or each)
        for each in node.children_by_field_name("name")[:_MOST]
    ]
    if any(child.type == "wildcard_import" for child in node.named_children):
        names.append("*")
    yield Import(name, tuple(names), len(written) - len(name), _line(node))


def _line(node: Node) -> int:
    return node.start_point.row + 1


def _dotted(data: bytes, node: Node) -> str:
    """A dotted name without white space between its parts."""
    return "".join(_text(data, node).replace("\\", "").split())


def _text(data: bytes, node: Node) -> str:
    return data[node.start_byte : node.end_byte][: 8 * MAX_NAME].decode("utf-8", "replace")
