"""The marks of code files, cached by content, language and grammar version."""

from __future__ import annotations

import functools
from collections.abc import Sequence
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


def find_marks(language: Language, digest: bytes, cache: Cache) -> tuple[Mark, ...] | None:
    """The marks of a text as some process found them; None if none did."""
    kind = cache_kind("marks", language)
    marks: tuple[Mark, ...] | None = cache.find(kind, digest) if kind else None
    return marks


def keep_marks(language: Language, digest: bytes, marks: Sequence[Mark], cache: Cache) -> None:
    """Cache the marks of a text. The next flush writes them."""
    kind = cache_kind("marks", language)
    # What they are named may be a text of a test or a heading.
    if kind and not has_secret("\n".join(mark.name for mark in marks)):
        cache.keep(kind, digest, tuple(marks))


@functools.cache
def cache_kind(what: str, language: Language) -> str | None:
    """The kind of a cached value of a language, which names the grammar's version. None without a grammar."""
    files = [spec.origin for name in ("tree_sitter", language.wheel) if (spec := find_spec(name)) and spec.origin]
    try:
        states = [Path(file).stat() for file in files]
    except OSError:
        return None
    return f"{what} {language.name} {[(each.st_mtime_ns, each.st_ctime_ns, each.st_size) for each in states]}"
