"""Results about texts, cached by content and kind, and the kinds of code: by language and grammar version."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.code.languages import Language
from ctxtui.core.text.secrets import has_secret


class Mark(NamedTuple):
    """The start of a part: its offset in characters, its level from 1, its name and slug."""

    start: int
    level: int
    name: str
    slug: str


def find_result(kind: str | None, digest: bytes, cache: Cache) -> Any:
    """The cached result of a kind for a text, None if it is not cached."""
    return cache.find(kind, digest) if kind else None


def keep_result(kind: str | None, digest: bytes, result: object, cache: Cache, words: Iterable[str] = ()) -> None:
    """Cache a result, to be written by the next flush, unless its `words` hold a credential."""
    if kind and not has_secret("\n".join(words)):
        cache.keep(kind, digest, result)


@functools.cache
def cache_kind(what: str, language: Language) -> str | None:
    """The cache kind of a result for a language, None if the version of its grammar is unknown."""
    files = [spec.origin for name in ("tree_sitter", language.wheel) if (spec := find_spec(name)) and spec.origin]
    try:
        states = [Path(file).stat() for file in files]
    except OSError:
        return None
    return f"{what} {language.name} {[(each.st_mtime_ns, each.st_ctime_ns, each.st_size) for each in states]}"
