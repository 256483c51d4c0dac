"""Regular expressions that a project or a recipe names: same meaning as in `re`, in bounded time.

Python parses them, RE2 matches them, in time linear in the text. What RE2 would read differently (`\\d`,
`\\w`, `\\b` and case beyond ASCII, `$` before a last newline) is handled by an alphabet made for the pattern.
"""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from re import _constants, _parser  # type: ignore[attr-defined]  # the only parser that cannot disagree with `re`
from typing import Any, Final

from ctxtui.core.errors import ContextError
from ctxtui.core.patterns.alphabet import (
    NEWLINE,
    Alphabet,
    Ranges,
    TooManyLetters,
    category,
    complement,
    in_any_case,
    union,
)

MAX_PATTERN = 2_000
"""The maximum number of characters of a pattern."""

_MAX_MEMORY: Final = 8 * 1024 * 1024
# A program costs at most its size for each character.
_MAX_PROGRAM: Final = 2_500
_TYPES: Final = re.ASCII | re.UNICODE | re.LOCALE
_LETTERS: Final = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}
_REFUSED: Final = {
    "ASSERT": "looks ahead or behind (`(?=…)`, `(?<=…)`)",
    "ASSERT_NOT": "looks ahead or behind (`(?!…)`, `(?<!…)`)",
    "FAILURE": "looks ahead or behind (`(?!…)`, `(?<!…)`)",
    "GROUPREF": "refers back to a group (`\\1`, `(?P=name)`)",
    "GROUPREF_EXISTS": "asks whether a group matched (`(?(1)…)`)",
    "ATOMIC_GROUP": "has an atomic group (`(?>…)`)",
    "POSSESSIVE_REPEAT": "has a possessive repeat (`*+`, `++`, `?+`, `{1,2}+`)",
}
_PLAIN: Final = "write it without; a match may include its surroundings"
_SPLIT: Final = "split it into several patterns"


@dataclass(frozen=True, slots=True)
class ForeignPattern:
    """A pattern that finds what `re` would find, in bounded time; equal if written alike."""

    pattern: str
    _find: Callable[[bytes, int], tuple[int, int] | None] = field(repr=False, compare=False)
    _alphabet: Alphabet = field(repr=False, compare=False)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """The spans of its matches, from left to right, in characters.

        Raises ContextError (invalid_request) if continuing after each match would take too long.
        """
        encoded = self._alphabet.encode(text)
        # One search is linear, but one search per match need not be.
        latest = time.thread_time() + 0.1 + 10e-6 * len(text)
        span = self._find(encoded, 0)
        while span is not None:
            yield span
            if time.thread_time() > latest:
                hint = "limit the text between, as in `.{0,80}` instead of `.*`"
                raise _refusal(self.pattern, f"takes too long on a text of {len(text):,} characters", hint)
            span = self._find(encoded, span[1])

    def sub(self, mark: str, text: str) -> str:
        """The text with `mark` in place of every match; raises ContextError as `spans`."""
        parts, end = [], 0
        for first, last in self.spans(text):
            parts += [text[end:first], mark]
            end = last
        return "".join([*parts, text[end:]]) if parts else text


def compile_foreign(pattern: str) -> ForeignPattern:
    """A pattern of a project or a recipe, compiled.

    Raises ContextError (invalid_request) for one that is not a regular expression, matches the empty string, or has
    something that takes more than linear time; callers add its location.
    """
    if len(pattern) > MAX_PATTERN:
        raise _refusal(f"{pattern[:40]}…", f"is longer than {MAX_PATTERN:,} characters", _SPLIT)
    try:
        tree = _parsed(pattern)
        if tree.getwidth()[0] == 0:
            raise _refusal(pattern, "matches the empty string", "make it match at least one character")
        translation = _Translation(pattern)
        pieces = list(translation.sequence(tree, tree.state.flags))
        alphabet = translation.alphabet()
    except (re.error, OverflowError, RecursionError) as error:
        raise ContextError("invalid_request", f"not a regular expression: {pattern!r}: {error}") from error
    except TooManyLetters as error:
        raise _refusal(pattern, "distinguishes too many characters", _SPLIT) from error
    written = "".join(piece if isinstance(piece, str) else alphabet.members[piece] for piece in pieces)
    return ForeignPattern(pattern, _finder(pattern, written), alphabet)


def _parsed(pattern: str) -> Any:
    with warnings.catch_warnings():
        # Classes such as `[[a]` warn on stderr, over the screen.
        warnings.simplefilter("ignore", FutureWarning)
        return _parser.parse(pattern)


def _refusal(pattern: str, why: str, hint: str) -> ContextError:
    return ContextError("invalid_request", f"{pattern!r} {why}", hint=hint)


def _finder(pattern: str, written: str) -> Callable[[bytes, int], tuple[int, int] | None]:
    import re2  # noqa: PLC0415 - few projects name patterns

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    options.max_mem = _MAX_MEMORY
    try:
        program = re2.compile(written.encode("ascii"), options)
    except re2.error as error:
        raise _refusal(pattern, "repeats too much or is too deep", "repeat at most 1,000 times") from error
    if max(program.programsize, program.reverseprogramsize) > _MAX_PROGRAM:
        raise _refusal(pattern, "is too large once its repeats are expanded", f"repeat less, or {_SPLIT}")

    def find(text: bytes, start: int) -> tuple[int, int] | None:
        match = program.search(text, start)
        return None if match is None else match.span()

    return find


class _Translation:
    """Collects the requirements on the alphabet while the tree of a pattern is written for RE2."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._sets: dict[Ranges, int] = {}
        self._words: Ranges | None = None
        self._lines: bool | None = None

    def alphabet(self) -> Alphabet:
        return Alphabet(list(self._sets), self._words, bool(self._lines))

    def sequence(self, tree: Any, flags: int) -> Iterator[str | int]:
        """The pieces of a tree: text for RE2, or the number of a set."""
        for operator, value in tree:
            name = str(operator)
            if name in _REFUSED:
                raise _refusal(self._pattern, _REFUSED[name], _PLAIN)
            yield from _WRITERS[name](self, value, flags)

    def set(self, ranges: Ranges) -> Iterator[int]:
        yield self._sets.setdefault(ranges, len(self._sets))

    def literal(self, value: int, flags: int) -> Iterator[int]:
        yield from self.set(_folded(((value, value + 1),), flags))

    def other(self, value: int, flags: int) -> Iterator[int]:
        yield from self.set(complement(_folded(((value, value + 1),), flags)))

    def any(self, _: None, flags: int) -> Iterator[int]:
        yield from self.set(complement(() if flags & re.DOTALL else NEWLINE))

    def member(self, items: list[tuple[Any, Any]], flags: int) -> Iterator[int]:
        negated = items[0][0] is _constants.NEGATE
        ranges = union(each for item in items[negated:] for each in _ranges(item, flags))
        ranges = _folded(ranges, flags)
        yield from self.set(complement(ranges) if negated else ranges)

    def branch(self, value: tuple[None, list[Any]], flags: int) -> Iterator[str | int]:
        for position, tree in enumerate(value[1]):
            yield "|" if position else "(?:"
            yield from self.sequence(tree, flags)
        yield ")"

    def group(self, value: tuple[int | None, int, int, Any], flags: int) -> Iterator[str | int]:
        _, added, removed, tree = value
        kept = flags & ~_TYPES if added & _TYPES else flags
        yield "(?:"
        yield from self.sequence(tree, (kept | added) & ~removed)
        yield ")"

    def repeat(self, value: tuple[int, int, Any], flags: int, lazy: str = "") -> Iterator[str | int]:
        least, most, tree = value
        if most > 1 and tree.getwidth()[0] == 0:
            # Engines differ in what they do after an empty repetition.
            raise _refusal(self._pattern, "repeats a part that may be empty", "make each repetition match something")
        yield "(?:"
        yield from self.sequence(tree, flags)
        yield f"){{{least},{'' if most is _constants.MAXREPEAT else most}}}{lazy}"

    def lazy_repeat(self, value: tuple[int, int, Any], flags: int) -> Iterator[str | int]:
        yield from self.repeat(value, flags, "?")

    def at(self, place: Any, flags: int) -> Iterator[str]:
        name = str(place)
        if name in ("AT_BOUNDARY", "AT_NON_BOUNDARY"):
            self._tell_words(category("w", flags & re.ASCII))
        elif name in ("AT_BEGINNING", "AT_END") and flags & re.MULTILINE:
            self._tell_lines(True)
            name += "_LINE"
        elif name == "AT_END":
            self._tell_lines(False)
        yield _PLACES[name]

    def _tell_words(self, words: Ranges) -> None:
        if self._words not in (None, words):
            raise _refusal(self._pattern, "has `\\b` with and without `(?a)`", _SPLIT)
        self._words = words

    def _tell_lines(self, lines: bool) -> None:
        if self._lines not in (None, lines):
            raise _refusal(
                self._pattern, "has `^` or `$` with and without `(?m)`", "use `\\Z` for the end of the text"
            )
        self._lines = lines


_PLACES: Final = {
    "AT_BEGINNING": r"\A",
    "AT_BEGINNING_STRING": r"\A",
    "AT_BEGINNING_LINE": "(?m:^)",
    # Then only the last newline is a newline to RE2.
    "AT_END": "(?m:$)",
    "AT_END_LINE": "(?m:$)",
    "AT_END_STRING": r"\z",
    "AT_BOUNDARY": r"\b",
    "AT_NON_BOUNDARY": r"\B",
}
_WRITERS: Final[dict[str, Callable[[_Translation, Any, int], Iterator[str | int]]]] = {
    "LITERAL": _Translation.literal,
    "NOT_LITERAL": _Translation.other,
    "ANY": _Translation.any,
    "IN": _Translation.member,
    "BRANCH": _Translation.branch,
    "SUBPATTERN": _Translation.group,
    "MAX_REPEAT": _Translation.repeat,
    "MIN_REPEAT": _Translation.lazy_repeat,
    "AT": _Translation.at,
}


def _ranges(item: tuple[Any, Any], flags: int) -> Ranges:
    operator, value = item
    if operator is _constants.CATEGORY:
        name = str(value).removeprefix("CATEGORY_")
        ranges = category(_LETTERS[name.removeprefix("NOT_")], flags & re.ASCII)
        return complement(ranges) if name.startswith("NOT_") else ranges
    first, last = value if operator is _constants.RANGE else (value, value)
    return ((first, last + 1),)


def _folded(ranges: Ranges, flags: int) -> Ranges:
    return in_any_case(ranges, flags) if flags & re.IGNORECASE else ranges
