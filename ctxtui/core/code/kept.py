"""The marks of code files kept on disk by content, language and the versions of its grammar."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from ctxtui.core.cache import Cache
from ctxtui.core.code.languages import Language
from ctxtui.core.secrets import has_secret

_DEEPEST: Final = 16


class Mark(NamedTuple):
    """The beginning of a part: its offset in characters, its level from 1, its name and slug."""

    start: int
    level: int
    name: str
    slug: str


def find_marks(language: Language, text: str, digest: bytes, passes: Cache) -> tuple[Mark, ...] | None:
    """The marks of a text as some process found them; None if none did, or what it kept cannot be true."""
    kind = kept_as("marks", language)
    kept = passes.find(kind, digest) if kind else None
    return None if kept is None else _unpacked(kept, text)


def keep_marks(language: Language, digest: bytes, marks: Sequence[Mark], passes: Cache) -> None:
    """Keep the marks of a text; written by the next flush of the passes."""
    kind = kept_as("marks", language)
    # What they are named may be a text of a test or a heading.
    if kind and not has_secret("\n".join(mark.name for mark in marks)):
        passes.keep(kind, digest, _packed(marks))


@cache
def kept_as(what: str, language: Language) -> str | None:
    """What something found in files of a language is kept as; None if nobody knows which grammar finds it."""
    files = [spec.origin for name in ("tree_sitter", language.wheel) if (spec := find_spec(name)) and spec.origin]
    try:
        states = [Path(file).stat() for file in files]
    except OSError:
        return None
    return f"{what} {language.name} {[(each.st_mtime_ns, each.st_ctime_ns, each.st_size) for each in states]}"


def _packed(marks: Sequence[Mark]) -> bytes:
    """A line for each mark; names and slugs have no white space but single spaces."""
    starts = (0, *(mark.start for mark in marks))
    rows = (
        # Most names are the ends of their slugs.
        f"{mark.start - before}\t{mark.level}\t{mark.slug}\t{'' if _ending(mark.slug) == mark.name else mark.name}"
        for before, mark in zip(starts, marks, strict=False)
    )
    return "\n".join(rows).encode("utf-8", "surrogatepass")


def _ending(slug: str) -> str:
    return slug.rpartition(".")[2]


def _unpacked(kept: bytes, text: str) -> tuple[Mark, ...] | None:
    """The marks, if they can be those of the text: nested, of whole lines, each with a slug of its own."""
    try:
        rows = [row.split("\t") for row in kept.decode("utf-8", "surrogatepass").split("\n")] if kept else []
        marks, start = [], 0
        for step, level, slug, name in rows:
            start += int(step)
            marks.append(Mark(start, int(level), name or _ending(slug), slug))
    except ValueError:
        return None
    return tuple(marks) if _can_be(marks, text) else None


def _can_be(marks: Sequence[Mark], text: str) -> bool:
    if not marks:
        return True
    if marks[0].start < 0 or marks[0].level != 1 or len({mark.slug for mark in marks}) < len(marks):
        return False
    follow = all(one.start < two.start and 1 <= two.level <= one.level + 1 for one, two in pairwise(marks))
    return follow and all(
        mark.start < len(text)
        and (mark.start == 0 or text[mark.start - 1] == "\n")
        and mark.level <= _DEEPEST
        and mark.slug
        for mark in marks
    )
