"""Path patterns as coding agents write them: `*` within a name, `**` across folders, `{a,b}` for a choice."""

import functools
import re
from collections.abc import Iterable

MAX_CHOICES = 64

_CHOICE = re.compile(r"\{([^{}]*,[^{}]*)\}")
_TOKEN = re.compile(r"(?P<star>\*+)|(?P<one>\?)|\[(?P<no>[!^]?)(?P<set>[^]/]+)\]|(?P<char>.)", re.DOTALL)
_COMMA = re.compile(r",(?![^{}]*\})")


def split_globs(text: str) -> tuple[str, ...]:
    """The patterns of a comma-separated list; commas within braces do not separate."""
    return tuple(part for part in (piece.strip() for piece in _COMMA.split(text)) if part)


def is_literal(pattern: str) -> bool:
    """Whether the pattern names exactly one path."""
    return not any(char in pattern for char in "*?[{")


def below_head(patterns: Iterable[str], path: str) -> str:
    """A path without its beginning up to the first wildcard of the pattern that it was found by."""
    for pattern in patterns:
        head = pattern.partition("*")[0]
        if head != pattern and head.endswith("/") and head in path:
            return path[path.find(head) + len(head) :]
    return path


def expand(pattern: str) -> tuple[str, ...]:
    """The patterns without braces that a pattern stands for; if they are more than 64, itself."""
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
        if len(todo) + len(done) > MAX_CHOICES:
            return (pattern,)
    return tuple(dict.fromkeys(done))


@functools.lru_cache(maxsize=2048)
def compile_glob(pattern: str) -> re.Pattern[str]:
    """A regular expression to be used with `fullmatch` on relative POSIX paths.

    It takes linear or quadratic time whatever the pattern, because patterns may come from the project.
    A pattern that cannot be understood matches only itself.
    """
    try:
        return re.compile("|".join(_translate(choice) for choice in expand(pattern)), re.DOTALL)
    except re.error:
        return re.compile(re.escape(pattern))


def _translate(pattern: str) -> str:
    chunks: list[list[str]] = [[]]
    for segment in pattern.removeprefix("./").split("/"):
        if segment == "**":
            chunks.append([])
        else:
            chunks[-1].append(_segment(segment))
    if len(chunks) == 1:
        return "/".join(chunks[0])
    head, *middle, tail = chunks
    # A chunk between two `**` may take its first place for good: atomic, so nothing is tried twice.
    between = "".join(f"(?>(?:[^/]+/)*?{_folders(chunk)})" for chunk in middle if chunk)
    return _folders(head) + between + ("(?:[^/]+/)*" + "/".join(tail) if tail else ".+")


def _folders(segments: list[str]) -> str:
    return "".join(f"{segment}/" for segment in segments)


def _segment(segment: str) -> str:
    parts = [""]
    for token in _TOKEN.finditer(segment):
        if token["star"]:
            parts.append("")
        else:
            parts[-1] += _one(token)
    if len(parts) == 1:
        return parts[0]
    first, *middle, last = parts
    return first + "".join(f"(?>[^/]*?{part})" for part in middle) + "[^/]*" + last


def _one(token: re.Match[str]) -> str:
    if token["one"]:
        return "[^/]"
    if token["set"]:
        members = re.sub(r"([^\w-])", r"\\\1", token["set"]).replace("--", r"\-")
        return f"[^/{members}]" if token["no"] else f"[{members}]"
    return re.escape(token["char"])
