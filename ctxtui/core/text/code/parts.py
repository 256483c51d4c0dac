"""The starts of the parts of a code file: its symbols, and the code between them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ctxtui.core.base.digest import text_digest
from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.code.cached import Mark, cache_kind, cached_result
from ctxtui.core.text.code.languages import is_installed, is_loadable, language_of
from ctxtui.core.text.code.symbols import Parsed, Symbol, nested, parse, start_with_leads
from ctxtui.core.text.markdown.light import MAX_CHARACTERS
from ctxtui.core.text.safe_cut import SAFE_CUT

CODE: Final = "(code)"
END: Final = "(end)"

_LONGEST: Final = 60
# A part is counted with the text back to the last safe cut, which must be this near, in characters.
_FURTHEST: Final = 2_048
_NOTHING: Final = re.compile(r"[\s)\]};,]*")
_CLOSING: Final = re.compile(r"[ \t]*(?:[)\]}][)\]};, \t]*|end[ \t]*)(?://[^\n]*|/\*[^\n]*\*/)?\s*\Z")


def is_between(slug: str) -> bool:
    """Whether a slug belongs to a part that is no symbol: code between symbols, or the end of a symbol."""
    return slug.endswith(")") and slug.rpartition(".")[2].startswith((CODE[:-1], END[:-1]))


class Marks(NamedTuple):
    """The starts of the parts of a code file. `is_given_up` if finding them would take too long."""

    marks: tuple[Mark, ...] = ()
    is_given_up: bool = False


def read_marks(path: str, text: str, cache: Cache | None = None) -> Marks:
    """The starts of the parts after the preamble, in order, cached. Empty if the text is too long or not parsed."""
    language = language_of(path)
    if language is None or len(text) > MAX_CHARACTERS or not is_installed(language):
        return Marks()

    def now() -> tuple[Mark, ...] | None:
        parsed = parse(language, text) if is_loadable(language) else None
        return None if parsed is None else tuple(_safe_marks(text, parsed))

    kind = cache_kind("marks", language)
    # A name can be free text, such as the title of a test.
    marks = cached_result(kind, text_digest(text), cache, now, lambda found: (mark.name for mark in found or ()))
    return Marks(marks or (), marks is None and is_loadable(language))


def _safe_marks(text: str, parsed: Parsed) -> Iterator[Mark]:
    taken: dict[str, int] = {}
    for mark in _Layout(text, parsed).marks():
        if _has_cut_near(text, mark.start):
            # Only the id of a folder ends with a slash.
            yield mark._replace(slug=_unique(mark.slug.rstrip("/") or "-", taken))


def _has_cut_near(text: str, start: int) -> bool:
    """Whether a safe cut is at the start of a part or shortly before it. Before `/`, no cut is safe."""
    if start <= _FURTHEST or not text.startswith("/", start):
        return True
    return SAFE_CUT.search(text, start - _FURTHEST, start) is not None


def _unique(slug: str, taken: dict[str, int]) -> str:
    """The slug, with a number if it is `taken`: `a`, `a-1`, `a-2`. Unnamed code is numbered from 2 on."""
    is_unnamed = slug.rpartition(".")[2] in (CODE, END)
    found = slug
    while found in taken:
        taken[slug] += 1
        found = f"{slug[:-1]}-{taken[slug] + 1})" if is_unnamed else f"{slug}-{taken[slug]}"
    taken[found] = 0
    return found


class _Layout:
    def __init__(self, text: str, parsed: Parsed) -> None:
        self._text = text
        self._parsed = parsed
        self._inner = nested(parsed.symbols)

    def marks(self, outer: Symbol | None = None) -> Iterator[Mark]:
        """The starts of the parts inside a symbol, by default of the file, in order. Slugs may repeat."""
        inner = self._inner.get(outer)
        if not inner:
            return
        level = outer.level + 1 if outer else 1
        prefix = f"{'.'.join(outer.path)}." if outer else ""
        end = self._closing_line(inner[-1].end, outer.end) if outer else len(self._text)
        for symbol, stop in zip(inner, (*(each.start for each in inner[1:]), end), strict=True):
            yield Mark(symbol.start, symbol.level, symbol.name, ".".join(symbol.path))
            yield from self.marks(symbol)
            code = self._code_between(symbol.end, stop)
            if code is not None:
                yield Mark(code[0], level, code[1], f"{prefix}{CODE}")
        if outer and end < outer.end:
            yield Mark(end, level, _shortened(self._text[end : outer.end]), f"{prefix}{END}")

    def _closing_line(self, start: int, stop: int) -> int:
        """Where the last line from `start` to `stop` begins, if it only closes a symbol, else `stop`."""
        size = len(self._text[start:stop].rstrip())
        line = max(start, self._text.rfind("\n", start, start + size) + 1)
        return line if size and _CLOSING.match(self._text, line, stop) else stop

    def _code_between(self, start: int, stop: int) -> tuple[int, str] | None:
        """Where code between `start` and `stop` begins, with the comments above it, and its first line, or None."""
        text, place = self._text, start
        while (found := _NOTHING.match(text, place, stop)) and found.end() < stop:
            place = found.end()
            if place not in self._parsed.comments:
                break
            place = self._parsed.comments[place]
        else:
            return None
        line = max(start, text.rfind("\n", start, place) + 1)
        above_line = start_with_leads(text, line, self._parsed.leads)
        begin = max(start, text.rfind("\n", 0, above_line) + 1)
        feed = text.find("\n", place, stop)
        return begin, _shortened(text[line : feed if feed >= 0 else stop])


def _shortened(line: str) -> str:
    name = " ".join(line.split())
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
