"""Query matches in a code file, within a bounded effort."""

from __future__ import annotations

import re
from time import thread_time
from typing import TYPE_CHECKING, Final

from ctxtui.core.text.code.languages import Language, parser_of, query_of

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


# The parser reports after a fixed number of steps. Real files, broken ones too, take at least 27 bytes a report, most
# of them a hundred.
_BYTES_A_REPORT: Final = 8
_REPORTS_AT_LEAST: Final = 2_000
# A lexer that looks far ahead at each of its steps makes no report, but it reads: each byte of real files at most
# a dozen times, in long comments of Python some hundred times.
_CHUNK: Final = 4_096
_CHUNKS_AT_LEAST: Final = 24_000
_READINGS: Final = 32
# The last resort, in seconds of processor time: five times as long as the largest and slowest real file takes.
_SECONDS: Final = 10.0
_REPORTS_A_LOOK: Final = 1_000
# What a parser needs for angle brackets that nothing closes grows with their square: 1 GB for ten thousand. In real
# files at most eighteen are open at a time.
_MOST_OPEN: Final = 1_000
# Comments and strings, closed or not, hold no brackets.
_SIGN: Final = re.compile(
    r"""<{2,}|<=|[=-]>|[<>{}]|//[^\n]*|/\*(?:.*?\*/|.*)|"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?""", re.DOTALL
)
_SCRIPT: Final = re.compile(rb"<script\b[^>]*>(.*?)</script", re.DOTALL)
_CODE: Final = re.compile(rb"[^\s]")
# A query looks from each sign that no rule has taken to the next word: one step in real files, eight in broken ones.
_MOST_STEPS: Final = 50_000_000
# Patterns matched at a time. The queries need few unless thousands of blocks are open.
_MOST_AT_ONCE: Final = 256


class _Effort:
    """Bounds the work of a parser, which reads the text and reports its progress through this object."""

    def __init__(self, data: bytes) -> None:
        self._data = memoryview(data)
        self._left = _REPORTS_AT_LEAST + len(data) // _BYTES_A_REPORT
        self._chunks = _CHUNKS_AT_LEAST + _READINGS * len(data) // _CHUNK
        self._until: float | None = None

    @property
    def is_spent(self) -> bool:
        """Whether the parser reported or read too much. Time is not counted here."""
        return self._left < 0 or self._chunks < 0

    def read(self, offset: int, _: object) -> memoryview:
        """The next bytes from an offset, none if the parser has read too much."""
        self._chunks -= 1
        return self._data[offset : offset + _CHUNK] if self._chunks >= 0 else self._data[:0]

    def is_too_much(self, *_: object) -> bool:
        """Whether the parser must stop, asked at each progress report."""
        self._left -= 1
        if self.is_spent:
            return True
        if self._left % _REPORTS_A_LOOK:
            return False
        now = thread_time()
        # From the first look: most files are parsed before it.
        self._until = self._until or now + _SECONDS
        return now > self._until


def _nests_too_deeply(text: str) -> bool:
    """Whether more angle brackets are open at a time than parser memory allows."""
    if text.count("<") <= _MOST_OPEN:
        return False
    depth, around = 0, list[int]()
    for sign in _SIGN.findall(text):
        if sign == "<":
            depth += 1
            if depth > _MOST_OPEN:
                return True
        elif sign == ">":
            depth = max(0, depth - 1)
        elif sign == "{":
            around.append(depth)
        elif sign == "}":
            depth = around.pop() if around else 0
    return False


def _leaves_too_much(tree: Tree) -> bool:
    """Whether a query would take seconds, because its time grows with the square of a long run of unparsed signs."""
    cursor, steps, row = tree.walk(), 0, 0
    is_broken = [False]
    while node := cursor.node:
        row = 0 if node.is_named else row + 1
        steps += row if is_broken[-1] else 0
        if steps > _MOST_STEPS:
            return True
        if node.has_error and cursor.goto_first_child():
            is_broken.append(node.is_error)
            row = 0
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return False
            is_broken.pop()
            row = 0
    return False


def matches_of(
    language: Language, queries: tuple[str, ...], text: str, data: bytes
) -> list[tuple[int, dict[str, list[Node]]]] | None:
    """For each match in a text (`data` in UTF-8), the number of its pattern in the queries and its nodes by capture.

    None if the search takes too much time or memory.
    """
    from tree_sitter import QueryCursor  # noqa: PLC0415 - only for code whose parts are asked for

    tree = tree_of(language, text, data)
    if tree is None or _leaves_too_much(tree):
        return None
    cursor = QueryCursor(query_of(language, queries), match_limit=_MOST_AT_ONCE)
    matches = cursor.matches(tree.root_node)
    return None if cursor.did_exceed_match_limit else matches


def tree_of(language: Language, text: str, data: bytes) -> Tree | None:
    """The syntax tree of a text (`data` in UTF-8) of an installed language. None if that takes too much effort."""
    if _nests_too_deeply(text):
        return None
    parser, effort = parser_of(language), _Effort(_scripts_alone(data) if language.is_embedded else data)
    try:
        # The callbacks let other threads run and signals arrive.
        tree = parser.parse(effort.read, progress_callback=effort.is_too_much)
    except ValueError:
        return None
    except SystemError as failure:
        # The parser goes on after what is raised while it reads, such as by ctrl-c, and wraps it.
        raised: BaseException = failure
        while isinstance(raised, SystemError) and (inner := raised.__cause__ or raised.__context__) is not None:
            raised = inner
        raise raised from None
    return None if effort.is_spent else tree


def _scripts_alone(data: bytes) -> bytes:
    kept, place = bytearray(), 0
    for match in _SCRIPT.finditer(data):
        kept += _CODE.sub(b" ", data[place : match.start(1)]) + match[1]
        place = match.end(1)
    return bytes(kept) + _CODE.sub(b" ", data[place:])
