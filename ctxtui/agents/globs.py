"""Lists of path patterns as coding agents write them, and properties of a pattern."""

import re
from collections.abc import Iterable
from itertools import pairwise

_EDGE = re.compile(r"[{},]")
_EVERYTHING = frozenset(("*", "**", "**/*"))


def split_globs(text: str) -> tuple[str, ...]:
    """The patterns of a comma-separated list; commas within braces do not separate."""
    cuts, after = [len(text)], ""
    for edge in reversed(list(_EDGE.finditer(text))):
        if edge[0] != ",":
            after = edge[0]
        elif after != "}":
            cuts.append(edge.start())
    pieces = (text[end + 1 : start].strip() for end, start in pairwise([-1, *reversed(cuts)]))
    return tuple(filter(None, pieces))


def narrows(patterns: Iterable[str]) -> bool:
    """Whether there are patterns, and they leave any file out."""
    given = frozenset(patterns)
    return bool(given) and not given & _EVERYTHING


def is_literal(pattern: str) -> bool:
    """Whether the pattern names exactly one path."""
    return not any(char in pattern for char in "*?[{")


def literal_head(pattern: str) -> str:
    """The pattern if it names one path; otherwise the folder before its first wildcard, `""` if there is none."""
    parts = pattern.split("/")
    count = next((place for place, part in enumerate(parts) if not is_literal(part)), len(parts))
    return "/".join(parts[:count])


def below_head(patterns: Iterable[str], path: str) -> str:
    """A path without its beginning up to the first wildcard of the pattern that found it."""
    for pattern in patterns:
        head = pattern.partition("*")[0]
        if head != pattern and head.endswith("/") and head in path:
            return path[path.find(head) + len(head) :]
    return path
