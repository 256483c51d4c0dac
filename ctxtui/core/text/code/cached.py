"""Results about texts, cached by content and kind, and the kinds of code: by language and grammar version."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, TypeVar

from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.code.languages import Language
from ctxtui.core.text.secrets import has_secret

Result = TypeVar("Result")


class Mark(NamedTuple):
    """The start of a part: its offset in characters, its level from 1, its name and slug."""

    start: int
    level: int
    name: str
    slug: str


def cached_result(
    kind: str | None,
    digest: bytes,
    cache: Cache | None,
    make: Callable[[], Result],
    words: Callable[[Result], Iterable[str]] = lambda _result: (),
) -> Result:
    """The cached result of a kind for a text, or the result of `make`.

    `words` are the texts in a result. The next flush writes it, unless it is None, these texts hold a credential, or
    there is no kind or cache.
    """
    if not kind or not cache:
        return make()
    return cache.fact(kind, digest, make, lambda made: not has_secret("\n".join(words(made))))


@functools.cache
def cache_kind(what: str, language: Language) -> str | None:
    """The cache kind of the results `what` for a language, None if the version of its grammar is unknown."""
    files = [spec.origin for name in ("tree_sitter", language.wheel) if (spec := find_spec(name)) and spec.origin]
    try:
        states = [Path(file).stat() for file in files]
    except OSError:
        return None
    return f"{what} {language.name} {[(each.st_mtime_ns, each.st_ctime_ns, each.st_size) for each in states]}"
