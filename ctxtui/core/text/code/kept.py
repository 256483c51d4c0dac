"""The marks of code files, cached by content, language and grammar version."""

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
    """The start of a part: its offset in characters, its level from 1, its name and slug."""

    start: int
    level: int
    name: str
    slug: str


def find_marks(language: Language, digest: bytes, passes: Cache) -> tuple[Mark, ...] | None:
    """The cached marks of a text, None if they are not cached."""
    kind = kept_as("marks", language)
    marks: tuple[Mark, ...] | None = passes.find(kind, digest) if kind else None
    return marks


def keep_marks(language: Language, digest: bytes, marks: Sequence[Mark], passes: Cache) -> None:
    """Cache the marks of a text, to be written by the next flush."""
    kind = kept_as("marks", language)
    # Names can be free text, such as the title of a test or a heading.
    if kind and not has_secret("\n".join(mark.name for mark in marks)):
        passes.keep(kind, digest, tuple(marks))


@cache
def kept_as(what: str, language: Language) -> str | None:
    """The cache kind of a result for a language, None if the version of its grammar is unknown."""
    files = [spec.origin for name in ("tree_sitter", language.wheel) if (spec := find_spec(name)) and spec.origin]
    try:
        states = [Path(file).stat() for file in files]
    except OSError:
        return None
    return f"{what} {language.name} {[(each.st_mtime_ns, each.st_ctime_ns, each.st_size) for each in states]}"
