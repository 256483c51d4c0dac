"""Path patterns: `*` within a name, `**` across folders, `[a-z]` for a letter, `{a,b}` for a choice."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

_MAX_CHOICES: Final = 64

# A brace in a set of its own, `[{]`, opens no choice.
_CHOICE: Final = re.compile(r"(?:(?<!\[)\{|\{(?!\]))([^{},]*+,[^{}]*+)\}")
_PLAIN: Final = r"(?P<star>\*+)|(?P<one>\?)|(?P<char>.)"
_OPEN: Final = re.compile(_PLAIN, re.DOTALL)
_CLOSED: Final = re.compile(rf"\[(?P<no>[!^]?)(?P<set>[^]/]+)\]|{_PLAIN}", re.DOTALL)
_MAGIC: Final = re.compile(r"[*?\[{]")
_RANGE: Final = re.compile(r"(.)-(.)|(.)", re.DOTALL)
_SLASH: Final = ord("/")
# 256 patterns are kept, each with at most this much memory.
_MAX_MEMORY: Final = 1024 * 1024


@dataclass(frozen=True, slots=True, eq=False)
class Glob:
    """Compiled patterns for whole relative POSIX paths. An invalid pattern matches only itself."""

    _literal: frozenset[str]
    _matcher: Any
    is_refused: bool = False
    """Whether a pattern is invalid or has too many choices, or all are too large, and so matches only itself."""

    def matches(self, path: str) -> bool:
        """Whether a pattern matches a path, in time linear in the path."""
        if path in self._literal or self._matcher is None:
            return path in self._literal
        return bool(self._matcher.Match(path.encode("utf-8", "surrogatepass")))


def is_pattern(text: str) -> bool:
    """Whether a text contains a pattern character."""
    return _MAGIC.search(text) is not None


def literal(path: str) -> str:
    """A pattern that matches only this path."""
    return _MAGIC.sub(r"[\g<0>]", path)


def expand(pattern: str) -> tuple[str, ...]:
    """The distinct patterns that the braces of a pattern expand to, the pattern alone if there are more than 64."""
    done: list[str] = []
    todo = [pattern]
    while todo:
        current = todo.pop()
        choice = _CHOICE.search(current)
        if choice is None:
            done.append(current)
            continue
        head, tail = current[: choice.start()], current[choice.end() :]
        todo += [head + part + tail for part in reversed(choice[1].split(","))]
        if len(todo) + len(done) > _MAX_CHOICES:
            return (pattern,)
    return tuple(dict.fromkeys(done))


@functools.lru_cache(maxsize=256)
def compile_glob(*patterns: str) -> Glob:
    """Compile patterns, of which a path has to match one. Cached. Never raises: see `Glob.is_refused`."""
    import re2  # noqa: PLC0415 - the core starts without it

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.max_mem = _MAX_MEMORY
    matcher = re2.Set.FullMatchSet(options)
    exact, is_refused = set(), False
    for pattern in patterns:
        try:
            choices = expand(pattern)
            is_refused |= choices == (pattern,) and _CHOICE.search(pattern) is not None
            for written in [_regular_expression(choice).encode() for choice in choices]:
                matcher.Add(written)
        except (re2.error, ValueError):
            is_refused = True
            exact.add(pattern)
    try:
        matcher.Compile()
    except re2.error:
        return Glob(frozenset(patterns), None, True)
    return Glob(frozenset(exact), matcher, is_refused)


def _regular_expression(pattern: str) -> str:
    """The RE2 expression for a pattern without choices. Raises ValueError for a reversed range."""
    chunks: list[list[str]] = [[]]
    for segment in pattern.removeprefix("./").split("/"):
        if segment == "**":
            chunks.append([])
        else:
            chunks[-1].append("".join(map(_token_expression, _glob_tokens(segment))))
    if len(chunks) == 1:
        return "/".join(chunks[0])
    head, *middle, tail = chunks
    between = "".join(f"(?:[^/]+/)*{_with_slashes(chunk)}" for chunk in middle if chunk)
    return _with_slashes(head) + between + ("(?:[^/]+/)*" + "/".join(tail) if tail else "(?s:.+)")


def _with_slashes(segments: list[str]) -> str:
    return "".join(f"{segment}/" for segment in segments)


def _glob_tokens(segment: str) -> Iterator[re.Match[str]]:
    """The stars, question marks, sets and other characters of a name between slashes."""
    place, last = 0, segment.rfind("]")
    while place < len(segment):
        # A set is searched only before the last bracket that can close one, so that each finds its end.
        match = (_CLOSED if place < last else _OPEN).match(segment, place)
        assert match is not None
        yield match
        place = match.end()


def _token_expression(token: re.Match[str]) -> str:
    if token["star"]:
        return "[^/]*"
    if token["one"]:
        return "[^/]"
    return _set(token["set"], bool(token["no"])) if token.re is _CLOSED and token["set"] else _escaped(token["char"])


def _escaped(char: str) -> str:
    return f"\\x{{{ord(char):x}}}"


def _set(members: str, negated: bool) -> str:
    """The RE2 expression for a set such as `a-z`, never with the slash. Raises ValueError for a reversed range."""
    ranges = [(ord(match[1] or match[3]), ord(match[2] or match[3])) for match in _RANGE.finditer(members)]
    if any(first > last for first, last in ranges):
        raise ValueError(members)
    # A range may span the slash.
    halves = [(first, min(last, _SLASH - 1)) for first, last in ranges]
    halves += [(max(first, _SLASH + 1), last) for first, last in ranges]
    inside = "".join(f"{_escaped(chr(first))}-{_escaped(chr(last))}" for first, last in halves if first <= last)
    return f"[^/{inside}]" if negated else f"[{inside}]"
