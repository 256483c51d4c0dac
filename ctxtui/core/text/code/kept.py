"""The marks of code files kept on disk by content, language and the versions of its grammar."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.code.languages import Language
from ctxtui.core.text.secrets import has_secret


class Mark(NamedTuple):
    """The beginning of a part: its offset in characters, its level from 1, its name and slug."""

    start: int
    level: int
    name: str
    slug: str


def find_marks(language: Language, digest: bytes, passes: Cache) -> tuple[Mark, ...] | None:
    """The marks of a text as some process found them; None if none did."""
    kind = kept_as("marks", language)
    marks: tuple[Mark, ...] | None = passes.find(kind, digest) if kind else None
    return marks


def keep_marks(language: Language, digest: bytes, marks: Sequence[Mark], passes: Cache) -> None:
    """Keep the marks of a text; written by the next flush of the passes."""
    kind = kept_as("marks", language)
    # What they are named may be a text of a test or a heading.
    if kind and not has_secret("\n".join(mark.name for mark in marks)):
        passes.keep(kind, digest, tuple(marks))


@cache
def kept_as(what: str, language: Language) -> str | None:
    """What something found in files of a language is kept as; None if nobody knows which grammar finds it."""
    files = [spec.origin for name in ("tree_sitter", language.wheel) if (spec := find_spec(name)) and spec.origin]
    try:
        states = [Path(file).stat() for file in files]
    except OSError:
        return None
    return f"{what} {language.name} {[(each.st_mtime_ns, each.st_ctime_ns, each.st_size) for each in states]}"
