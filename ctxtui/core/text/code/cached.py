"""The starts of parts, cached by content and kind, and the kinds of code: by language and grammar version."""

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
    """The start of a part: its offset in characters, its level from 1, its name and slug."""

    start: int
    level: int
    name: str
    slug: str


def find_marks(kind: str | None, digest: bytes, cache: Cache) -> tuple[Mark, ...] | None:
    """The cached marks of a text, None if they are not cached."""
    marks: tuple[Mark, ...] | None = cache.find(kind, digest) if kind else None
    return marks


def keep_marks(kind: str | None, digest: bytes, marks: Sequence[Mark], cache: Cache) -> None:
    """Cache the marks of a text, to be written by the next flush."""
    # Names can be free text, such as the title of a test or a heading.
    if kind and not has_secret("\n".join(mark.name for mark in marks)):
        cache.keep(kind, digest, tuple(marks))


@functools.cache
def cache_kind(what: str, language: Language) -> str | None:
    """The cache kind of a result for a language, None if the version of its grammar is unknown."""
    files = [spec.origin for name in ("tree_sitter", language.wheel) if (spec := find_spec(name)) and spec.origin]
    try:
        states = [Path(file).stat() for file in files]
    except OSError:
        return None
    return f"{what} {language.name} {[(each.st_mtime_ns, each.st_ctime_ns, each.st_size) for each in states]}"
