"""Regular expressions from projects and recipes, matched by RE2 in linear time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Final

from ctxtui.core.base.errors import ContextError, invalid

MAX_PATTERN = 2_000
"""The maximum number of characters of a pattern."""

_MAX_MEMORY: Final = 8 * 1024 * 1024
# A program costs at most its size for each character.
_MAX_PROGRAM: Final = 5_000
# RE2's name for a part, or the beginning of it, and the remedy.
_REMEDIES: Final = {
    "operator: (?<": "look-behind and named groups `(?<…)` are not part of RE2: match the surroundings as well",
    "operator: (?=": "look-ahead is not part of RE2: match what follows as well",
    "operator: (?!": "look-ahead is not part of RE2: match what follows as well",
    "operator: (?P": "a reference to a group is not part of RE2: write its pattern again",
    "operator: (?(": "a condition is not part of RE2: write two patterns",
    "operator: (?>": "an atomic group is not part of RE2: `(?:…)` is as fast",
    "operator: (?x": "the flag x is not part of RE2: write the pattern without spaces and comments",
    "repetition operator": "a possessive repeat is not part of RE2: `*` and `+` are as fast",
    "repetition size": "repeat at most 1,000 times",
    "sequence: \\Z": "the end of the text is `\\z` in RE2",
    "sequence: \\": "RE2 has no reference to a group and no such escape; see github.com/google/re2/wiki/Syntax",
}
_SPLIT: Final = "split it into several patterns"
# What matches nothing but a place, such as `^` or `\b`, matches it in one of these.
_PLACES: Final = (b"", b"a")


@dataclass(frozen=True, slots=True)
class ForeignPattern:
    """An untrusted pattern, matched in bounded time by RE2. Equal by source text."""

    pattern: str
    _program: Any = field(repr=False, compare=False)

    def sub(self, mark: str, text: str) -> str:
        """The text with `mark` for every match that is not empty. Raises ContextError (invalid_request) if slow."""
        encoded, instead = text.encode("utf-8", "surrogatepass"), mark.encode()
        # One search is linear, but one search per match need not be.
        latest = time.thread_time() + 0.1 + 10e-6 * len(text)
        parts, end, start = list[bytes](), 0, 0
        while start < len(encoded) and (match := self._program.search(encoded, start)):
            first, start = match.span()
            if first < start:
                parts += [encoded[end:first], instead]
                end = start
            else:
                # An empty match: go on after it.
                start += 1
            if time.thread_time() > latest:
                hint = "limit the text between, as in `.{0,80}` instead of `.*`"
                raise _refusal(self.pattern, f"takes too long on a text of {len(text):,} characters", hint)
        return b"".join([*parts, encoded[end:]]).decode("utf-8", "surrogatepass") if parts else text


def compile_foreign(pattern: str) -> ForeignPattern:
    """Compile an untrusted pattern.

    Raises ContextError (invalid_request) for a pattern that RE2 rejects, that matches the empty string, or that is
    too large. Callers add the location.
    """
    import re2  # noqa: PLC0415 - few projects name patterns

    if len(pattern) > MAX_PATTERN:
        raise _refusal(f"{pattern[:40]}…", f"is longer than {MAX_PATTERN:,} characters", _SPLIT)
    if "\\C" in pattern:
        raise _refusal(pattern, "has `\\C`, which is half of a character", "write `.`")
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MAX_MEMORY
    try:
        program = re2.compile(pattern.encode("utf-8", "surrogatepass"), options)
    except re2.error as error:
        reason = bytes(error.args[0]).decode("utf-8", "replace")
        hint = next((hint for sign, hint in _REMEDIES.items() if sign in reason), None)
        raise invalid(f"not a regular expression of RE2: {pattern!r}: {reason}", hint=hint) from error
    if any((match := program.search(each)) and match.start() == match.end() for each in _PLACES):
        raise _refusal(pattern, "matches the empty string", "make it match at least one character")
    if max(program.programsize, program.reverseprogramsize) > _MAX_PROGRAM:
        raise _refusal(pattern, "is too large once its repeats are expanded", f"repeat less, or {_SPLIT}")
    return ForeignPattern(pattern, program)


def _refusal(pattern: str, why: str, hint: str) -> ContextError:
    return invalid(f"{pattern!r} {why}", hint=hint)
