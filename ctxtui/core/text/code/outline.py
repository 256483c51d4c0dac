"""The outline of code: signatures, first lines of documentation, and short types. The rest is elided."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from ctxtui.core.base.digest import text_digest
from ctxtui.core.base.lru import Memo
from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.code.cached import cache_kind, cached_result
from ctxtui.core.text.code.languages import Language, is_installed, is_loadable, language_of, why_no_symbols
from ctxtui.core.text.markdown.light import MAX_CHARACTERS
from ctxtui.core.text.markdown.scan import has_headings

if TYPE_CHECKING:
    from ctxtui.core.text.code.symbols import Field, Parsed, Symbol

MARK: Final = "…"
"""The sign in place of text that an outline does not show."""

OUTLINE: Final = "outline"
"""The name of the form in which a file is picked."""

_MEMORY: Final = 100_000
# Shown in full: types up to this many lines, this many fields of a stretch, fields up to this many lines.
_SHORT: Final = 12
_FIELDS: Final = 40
_FIELD_LINES: Final = 2
# A whole definition on one line, a body and what follows it, in characters.
_ONE_LINE: Final = 100
_TINY: Final = 12
_CALLABLE: Final = frozenset({"function", "method"})
_OPEN: Final = ("{", "(")
_CLOSERS: Final = re.compile(r"[ \t]*[)\]};,]*")
_CLOSING_LINE: Final = re.compile(r"[ \t]*(?:[)\]}][^\n]*|end[ \t\r]*)\n?\Z")
_WORD: Final = re.compile(r"\w")
_ASIDE: Final = r"""//[^\n]*|/\*(?:.*?\*/|.*)|"(?:[^"\\\n]|\\.)*+"|`(?:[^`\\]|\\.)*+`"""
_CLOSES: Final = {"(": ")", "[": "]", "{": "}"}
# A line shown for one bracket may contain another bracket whose partner is elided.
_ROUNDS: Final = 8
_CLOSED: Final = {
    quotes: re.compile(rf"(?:[^\\{quotes[0]}]|\\.|{quotes[0]}(?!{quotes[1:]}))*+{quotes}", re.DOTALL)
    if len(quotes) > 1
    else re.compile(rf"(?:[^\\{quotes}\n]|\\.)*+{quotes}", re.DOTALL)
    for quotes in ('"""', "'''", '"', "'")
}


class Gap(NamedTuple):
    """A range that an outline elides, in characters, its mark ("" for comments), and whether it is a body."""

    start: int
    end: int
    mark: str
    is_body: bool


_gaps: Memo[tuple[str, bytes], tuple[Gap, ...] | None] = Memo(_MEMORY, lambda gaps: len(gaps or ()) + 1)


def outline_gaps(path: str, text: str, cache: Cache | None = None) -> tuple[Gap, ...] | None:
    """The ranges that the outline of a code file elides, in order. None without symbols, grammar or time to parse."""
    language = language_of(path)
    if language is None or len(text) > MAX_CHARACTERS or not is_installed(language):
        return None
    digest = text_digest(text)

    def now() -> tuple[Gap, ...] | None:
        return _uncached_gaps(language, text) if is_loadable(language) else None

    return _gaps.get((language.name, digest), lambda: cached_result(cache_kind("gaps", language), digest, cache, now))


def why_no_outline(path: str) -> str:
    """Why a text has no outline, and the remedy, in words that follow its name."""
    if has_headings(path):
        return "has no outline: it is not code in a language with a grammar; ctxtui help code lists them"
    if language_of(path) is None:
        return f"has no outline: {why_no_symbols(path)}; ctxtui help code lists the languages"
    return f"has no outline: {why_no_symbols(path) or 'no class or function was found in it'}"


def elided(text: str, gaps: Iterable[Gap]) -> str:
    """The text with the marks of gaps in their place."""
    return "".join(piece if isinstance(piece, str) else text[slice(*piece)] for piece in elided_pieces(text, gaps))


def elided_pieces(text: str, gaps: Iterable[Gap]) -> Iterator[tuple[int, int] | str]:
    """The text with its gaps elided, in pieces: start and end of each range that stays, and the marks in between."""
    place = 0
    for gap in gaps:
        yield place, gap.start
        yield gap.mark
        place = gap.end
    yield place, len(text)


def gaps_outside(text: str, gaps: Iterable[Gap], shown: Sequence[tuple[int, int]]) -> list[Gap]:
    """The parts of gaps outside the `shown` ranges, which are in order and of whole lines."""
    found: list[Gap] = []
    for gap in gaps:
        place = gap.start
        for start, end in shown[bisect_left(shown, gap.start, key=lambda each: each[1]) :]:
            if start >= gap.end:
                break
            found += _part_of(text, gap, place, start)
            place = max(place, end)
        found += _part_of(text, gap, place, gap.end)
    return found


def _part_of(text: str, gap: Gap, start: int, end: int) -> list[Gap]:
    if start >= end:
        return []
    return [gap._replace(start=start, end=end, mark=gap.mark if text[start:end].strip() else "")]


def _uncached_gaps(language: Language, text: str) -> tuple[Gap, ...] | None:
    from ctxtui.core.text.code.symbols import parse  # noqa: PLC0415 - whole files are exported without their outlines

    parsed = parse(language, text)
    if parsed is None or not parsed.symbols:
        return None
    outline = _Outline(language, text, parsed)
    outline.collect_gaps()
    is_left = language.is_indented or not language.is_balanced
    # Brackets, and whole strings and comments.
    lexer = re.compile(rf"{_ASIDE}|{language.single_quotes}|[(){{}}\[\]]", re.DOTALL)
    return tuple(outline.gaps if is_left else _balanced(text, outline.gaps, lexer))


def _balanced(text: str, gaps: Sequence[Gap], lexer: re.Pattern[str]) -> list[Gap]:
    """The gaps, cut so that both brackets of a pair are shown if one is."""
    pairs = list(_pairs(text, lexer))
    found = list(gaps)
    for _ in range(_ROUNDS):
        starts = [gap.start for gap in found]
        lonely: dict[int, list[int]] = {}
        for pair in pairs:
            inside = [
                at if (at := bisect_left(starts, place + 1) - 1) >= 0 and place < found[at].end else -1
                for place in pair
            ]
            if (inside[0] < 0) != (inside[1] < 0):
                hidden = 0 if inside[0] >= 0 else 1
                lonely.setdefault(inside[hidden], []).append(pair[hidden])
        if not lonely:
            break
        found = [part for at, gap in enumerate(found) for part in _split_around(text, gap, lonely.get(at, ()))]
    return found


def _pairs(text: str, lexer: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """The offsets of matching brackets. Brackets without a partner are left out."""
    opened: list[tuple[str, int]] = []
    for match in lexer.finditer(text):
        sign = match[0]
        if sign in _CLOSES:
            opened.append((_CLOSES[sign], match.start()))
        elif len(sign) == 1 and opened and opened[-1][0] == sign:
            yield opened.pop()[1], match.start()


def _split_around(text: str, gap: Gap, places: Iterable[int]) -> Iterator[Gap]:
    """Split a gap so that the lines at the offsets `places` are shown."""
    place = gap.start
    for at in sorted(places):
        if at < place:
            continue
        first = max(place, text.rfind("\n", gap.start, at) + 1)
        feed = text.find("\n", at, gap.end)
        # A mark without a line end keeps the line end of the text.
        is_whole = gap.mark.endswith("\n") or (text.endswith("\n", 0, place) and not text[place:first].strip())
        before = first if is_whole else place + len(text[place:first].rstrip("\r\n"))
        yield from _part_of(text, gap, place, before)
        place = feed + 1 if feed >= 0 else gap.end
    # The indentation of a line that is shown stays.
    if place == gap.start or text[place : gap.end].strip() or text.endswith("\n", place, gap.end):
        yield from _part_of(text, gap, place, gap.end)


class _Outline:
    """Finds the gaps of a text from start to end. `_place` is the offset that keeping and eliding move on."""

    def __init__(self, language: Language, text: str, parsed: Parsed) -> None:
        from ctxtui.core.text.code.symbols import nested  # noqa: PLC0415 - as in `_uncached_gaps`

        self._language = language
        self._docstrings = re.compile(language.docstring) if language.docstring else None
        self._text = text
        self._parsed = parsed
        self._inner = nested(parsed.symbols)
        self._fields = [field.start for field in parsed.fields]
        self._place = 0
        self.gaps: list[Gap] = []

    def collect_gaps(self) -> None:
        top = self._language.top
        said = re.match(top, self._text) if top else None
        if said and said.end() < self._inner[None][0].start:
            self._keep_documentation(said.end())
        self._outline_members(None, len(self._text))
        self._elide(len(self._text))

    def _outline_members(self, outer: Symbol | None, end: int) -> None:
        for symbol in self._inner.get(outer, ()):
            self._keep_fields(symbol.start)
            self._outline_symbol(symbol)
        self._keep_fields(end)

    def _keep_fields(self, end: int) -> None:
        """Keep the first 40 short fields from the current offset up to `end`, where a symbol may begin."""
        shown = 0
        fields, place = self._parsed.fields, bisect_left(self._fields, self._place)
        while place < len(fields) and fields[place].end <= end and shown < _FIELDS:
            field = fields[place]
            place += 1
            begins_line = not self._text[self._line_start(field.start) : field.start].strip()
            if field.start >= self._place and begins_line:
                shown += self._keep_field(field, end)

    def _keep_field(self, field: Field, end: int) -> bool:
        """Show a field or constant if it is short and its last line ends by `end`. Returns whether it is shown."""
        text = self._text
        line_end = self._line_end(field.end)
        if self._line_count(field.start, field.end) <= _FIELD_LINES and line_end <= end:
            self._keep(self._line_start(field.start), line_end)
            return True
        if field.body < field.body_end and text.startswith("{", field.body) and line_end <= end:
            self._keep(self._line_start(field.start), field.body + 1)
            self._elide_braces(field.body, field.body_end, line_end)
            return True
        return False

    def _outline_symbol(self, symbol: Symbol) -> None:
        """Keep decorators and signature of a symbol, or a short one whole. Elide its body, or outline its members."""
        self._keep_above(symbol)
        start, inner = self._line_start(symbol.first), self._inner.get(symbol)
        lines = self._line_count(symbol.first, symbol.end)
        signature = self._text[symbol.first : symbol.body]
        is_bare = symbol.body >= symbol.body_end or symbol.path[-1].rpartition("-")[2] not in signature
        size = len(self._text[symbol.body : symbol.body_end].strip())
        if (lines == 1 and symbol.end - start <= _ONE_LINE) or (not is_bare and size <= _TINY and not inner):
            self._keep(start, symbol.end)
        elif inner:
            self._keep(start, self._line_end((symbol.first if is_bare else symbol.body) + 1))
            if is_bare:
                self._keep_name_line(symbol)
            self._keep_documentation(self._place)
            self._outline_members(symbol, symbol.end)
            self._elide_to_closing(symbol.end)
        elif lines <= _SHORT and (is_bare or symbol.kind not in _CALLABLE):
            self._keep(start, symbol.end)
        elif is_bare:
            self._keep(start, self._line_end(symbol.first + 1))
            self._keep_name_line(symbol)
            self._elide_to_closing(symbol.end, True)
        elif self._text.startswith(_OPEN, symbol.body):
            self._keep(start, symbol.body + 1)
            self._elide_braces(symbol.body, symbol.body_end, symbol.end)
        elif self._language.ends_with_word:
            self._keep(start, self._line_end(symbol.body + 1))
            self._elide_to_closing(symbol.end, True)
        else:
            self._outline_unbraced(start, symbol)

    def _keep_name_line(self, symbol: Symbol) -> None:
        """Keep the line with the name of a symbol, which in broken code may be far below its first line."""
        at = self._text.find(symbol.path[-1], symbol.first, symbol.end)
        if at >= self._place:
            self._keep(self._line_start(at), self._line_end(at + 1))

    def _outline_unbraced(self, start: int, symbol: Symbol) -> None:
        """Keep the text from `start` to a body without braces, and elide that body: a block, or an expression."""
        feed = self._text.find("\n", symbol.body, symbol.body_end)
        rest = self._text[symbol.body : feed] if feed >= 0 else "…"
        if not self._language.is_indented or (rest.strip() and not rest.lstrip().startswith("#")):
            self._keep(start, symbol.body)
            self._add_gap(symbol.body + len(self._text[symbol.body : symbol.body_end].rstrip()), f" {MARK}")
            self._elide_tail(symbol.end)
            return
        self._keep(start, feed + 1)
        self._keep_documentation(self._place)
        self._elide(symbol.end, True)

    def _keep_documentation(self, place: int) -> None:
        """Keep the first line of a docstring, or of a comment about the file, if one begins at the offset `place`."""
        match = self._docstrings.match(self._text, place) if self._docstrings else None
        sign = self._language.doc_of_file
        if match:
            self._keep_docstring(match)
        elif sign and self._text.startswith(sign, place):
            self._keep(self._line_start(place), self._line_end(place + 1))

    def _keep_docstring(self, match: re.Match[str]) -> None:
        """Keep the first line with words of the docstring in a match, and close the quotes after it."""
        text, quotes, start = self._text, match["quotes"], match.end("quotes")
        closed = _CLOSED[quotes].match(text, start)
        worded = _WORD.search(text, start, closed.end() - len(quotes)) if closed else None
        if closed is None or worded is None:
            return
        self._keep(self._line_start(match.start("quotes")), self._line_end(start))
        self._add_gap(self._line_start(worded.start()), "", False)
        line_end = self._line_end(worded.start() + 1)
        if line_end < closed.end():
            shown = line_end - 2 if text.endswith("\r\n", 0, line_end) else line_end - 1
            self._keep(self._line_start(worded.start()), shown)
            # Behind these, quotes would not close it.
            self._add_gap(closed.end(), f" {quotes}" if text[shown - 1] in ("\\", quotes[0]) else quotes, False)
        self._keep(self._place, self._line_end(closed.end()))

    def _keep_above(self, symbol: Symbol) -> None:
        """Keep the decorators above a symbol, and the first line of the comment there."""
        text, place, is_told = self._text, symbol.start, False
        while place < symbol.first:
            # A field may begin here, such as the signature of an overload.
            at = bisect_left(self._fields, place)
            is_field = place in self._fields[at : at + 1]
            if text[place].isspace() or (place not in self._parsed.comments and not is_field):
                place += 1
                continue
            end = self._parsed.comments.get(place, place + 1)
            if text.startswith(("@", "#["), place) or text[place].isupper() or is_field:
                self._keep(self._line_start(place), self._line_end(end))
            elif not is_told:
                is_told = self._keep_comment(place, end, symbol)
            place = max(end, place + 1)

    def _keep_comment(self, start: int, end: int, symbol: Symbol) -> bool:
        """Keep the first line with words of a comment, and its opening and closing. Returns whether any was kept."""
        text = self._text
        body = text[symbol.body : symbol.body + 200]
        is_documented = self._docstrings is not None and self._docstrings.match(body)
        worded = None if is_documented else _WORD.search(text, start, end)
        if worded is None:
            return False
        self._keep(self._line_start(start), self._line_end(start + 1))
        self._add_gap(self._line_start(worded.start()), "", False)
        self._keep(self._line_start(worded.start()), self._line_end(worded.start() + 1))
        last, line_end = self._line_start(end - 1), self._line_end(worded.start() + 1)
        if text.startswith("/*", start) and last >= line_end and _WORD.search(text, last, end):
            # The last line has words, which are elided.
            self._place = line_end - (2 if text.endswith("\r\n", 0, line_end) else 1)
            self._add_gap(end, " */", False)
            self._keep(self._place, self._line_end(end))
            return True
        is_closed = text.startswith("/*", start) and not _WORD.search(text, last, end)
        self._add_gap(last if is_closed else min(self._line_end(end), self._line_start(symbol.first)), "", False)
        if is_closed:
            self._keep(last, self._line_end(end))
        return True

    def _elide_braces(self, body: int, body_end: int, end: int) -> None:
        """Elide the inside of a body with braces, and the text from there to `end` unless that is short."""
        if body_end - 1 > self._place and self._text[body + 1 : body_end - 1].strip():
            self._add_gap(body_end - 1, f" {MARK} ")
        self._place = body_end
        self._elide_tail(end)

    def _elide_tail(self, end: int) -> None:
        """Show the text up to `end` on one short line. Of a longer text, show only the brackets that begin it."""
        rest = self._text[self._place : end].rstrip("\r\n")
        if "\n" in rest or len(rest) > _ONE_LINE:
            closers = _CLOSERS.match(self._text, self._place, end)
            self._place = closers.end() if closers else self._place
            self._add_gap(self._place + len(self._text[self._place : end].rstrip("\r\n")), f" {MARK}")
        self._place = end

    def _elide_to_closing(self, end: int, is_body: bool = False) -> None:
        """Elide the text up to `end`, except a last line that only closes the symbol."""
        last = self._line_start(max(self._place, self._place + len(self._text[self._place : end].rstrip()) - 1))
        if last >= self._place and _CLOSING_LINE.match(self._text, last, end):
            self._elide(last, is_body)
            self._keep(last, end)
        else:
            self._elide(end, is_body)

    def _keep(self, start: int, end: int) -> None:
        if start > self._place:
            self._elide(start)
        self._place = max(self._place, end)

    def _elide(self, end: int, is_body: bool = False) -> None:
        """Elide the text up to `end`, unless it is tiny. A mark stands for code, nothing for comments alone."""
        start, text, comments = self._place, self._text, self._parsed.comments
        code = start
        while code < end and (text[code].isspace() or code in comments):
            code = code + 1 if text[code].isspace() else max(code + 1, comments[code])
        if code >= end:
            self._add_gap(end, "", is_body)
        elif len(text[code:end].strip()) > _TINY:
            begin = self._line_start(code)
            feed = ("\r\n" if text[end - 2 : end] == "\r\n" else "\n") if text[end - 1] == "\n" else ""
            self._add_gap(end, f"{text[begin:code] if begin >= start else ''}{MARK}{feed}", is_body)
        self._place = end

    def _add_gap(self, end: int, mark: str, is_body: bool = True) -> None:
        if end > self._place:
            self.gaps.append(Gap(self._place, end, mark, is_body))
            self._place = end

    def _line_start(self, offset: int) -> int:
        return self._text.rfind("\n", 0, offset) + 1

    def _line_end(self, offset: int) -> int:
        """The end of the line that contains the character before an offset."""
        feed = self._text.find("\n", max(0, offset - 1))
        return feed + 1 if feed >= 0 else len(self._text)

    def _line_count(self, start: int, end: int) -> int:
        return self._text.count("\n", start, start + len(self._text[start:end].rstrip())) + 1
