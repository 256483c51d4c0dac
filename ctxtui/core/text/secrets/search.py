"""The search for credentials in a text: by shape, by name, by place, in tables and manifests."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate, count
from operator import add
from typing import Final

from ctxtui.core.text.secrets.named import find_foreign, find_named, value_at
from ctxtui.core.text.secrets.names import NAMES, PHRASED
from ctxtui.core.text.secrets.plausible import Strength, strength
from ctxtui.core.text.secrets.secret import Secret, redacted
from ctxtui.core.text.secrets.shapes import by_anchor, find_placed, find_private_keys, find_shapes

_KIND: Final = re.compile(r"""^kind:[ \t]*["']?Secret["']?[ \t]*\r?$""", re.MULTILINE)
# The start or end of a document: a line of YAML, or the fence around it.
_EDGE: Final = re.compile(r"^(?:---|```|~~~)", re.MULTILINE)
_DATA: Final = re.compile(r"^(?:data|stringData):[ \t]*\r?\n((?:[ \t]+\S[^\n]*+\n?|[ \t]*\r?\n)*+)", re.MULTILINE)
_ENTRY: Final = re.compile(r"""^[ \t]+["']?[\w.-]{1,100}["']?:[ \t]+(?=[^\s|>&*!#])""", re.MULTILINE)
# The base64 of "-----BEGIN CERT".
_CERTIFICATE: Final = "LS0tLS1CRUdJTiBDRVJU"

_RULE: Final = re.compile(r"[ \t>]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|)+(?:[ \t]*:?-{2,}:?[ \t]*)?")
_TELLING: Final = re.compile(
    r"\b(?:pass(?:word|wd|wort|phrase|code)?|pwd|pw|psk|(?:api|access|secret|private|license)[ _-]?keys?|tokens?"
    r"|secrets?)\b[ *`_]*\Z",
    re.IGNORECASE,
)
_CELL: Final = (
    r"""["']?(?P<name>(?:[A-Za-z]{1,20}[ _-])?(?:pass(?:word|wd|phrase|code)|pwd"""
    r"""|(?:api|access|secret|private)[ _-]?key|token|secret))["']?"""
)
# A heading that is a whole cell.
HEADING: Final = re.compile(rf"(?im)(?:^|(?<=[,;\t])){_CELL}(?=[,;\t\r\n])")
_PLAIN_CELL: Final = re.compile(r"""[ ]?["']?[A-Za-z][\w .-]{0,40}["']?""")
_DASHES: Final = (b"--|", b"-- |", b"-:|")
_KINDS: Final = (re.compile(r"[a-z]"), re.compile(r"[A-Z]"), re.compile(r"[0-9!?*+%&$#@^~=;]"))
_MARKS: Final = " \t*`_\"'"
_DIGITS: Final = bytes(48 if code in b"0123456789" else 32 for code in range(256))

_VAGUE: Final = frozenset(NAMES.values())
# Scans with new findings before whole lines are hidden, and before the whole text is.
_LEFT_IN_WORDS: Final = 6
_LEFT_IN_LINES: Final = 10


def _find_in_manifests(text: str) -> Iterator[Secret]:
    """The values below `data:` and `stringData:` that look like credentials."""
    stop = 0
    for kind in _KIND.finditer(text) if "kind:" in text else ():
        if kind.start() < stop:
            continue
        start = max((edge.end() for edge in _EDGE.finditer(text, stop, kind.start())), default=stop)
        edge = _EDGE.search(text, kind.end())
        stop = edge.start() if edge else len(text)
        for block in _DATA.finditer(text, start, stop):
            for entry in _ENTRY.finditer(text, *block.span(1)):
                value = value_at(text, entry.end())
                if value and strength(value.text) >= Strength.PASSWORD and not value.text.startswith(_CERTIFICATE):
                    yield Secret("secret", value.start, value.end)


def _find_in_tables(text: str, lowered: bytes) -> Iterator[Secret]:
    """The cells that look like credentials under headings such as `Password`. `lowered` keeps all offsets."""
    for dashes in _DASHES if b"|" in lowered else ():
        at = lowered.find(dashes)
        while at >= 0:
            start, end = text.rfind("\n", 0, at) + 1, _line_end(text, at)
            if _RULE.fullmatch(text[start:end].rstrip()):
                heading = text[text.rfind("\n", 0, max(0, start - 1)) + 1 : start]
                columns = {at: _needed(cell) for at, cell in enumerate(heading.split("|")) if _TELLING.search(cell)}
                if columns:
                    end = yield from _rows(text, end + 1, columns)
            at = lowered.find(dashes, end)


def _find_in_csv(text: str) -> Iterator[Secret]:
    """The cells that look like credentials below such a heading in CSV, or in a piece of it."""
    if not any_heading()(text.encode("utf-8", "surrogatepass")):
        return
    end = 0
    for match in HEADING.finditer(text):
        start = text.rfind("\n", 0, match.start("name")) + 1
        if start < end:
            continue
        end = _line_end(text, start)
        line = text[start:end].rstrip("\r")
        sign = next((sign for sign in ",;\t" if sign in line), None)
        if sign is None or not all(_PLAIN_CELL.fullmatch(cell) for cell in line.split(sign)):
            continue
        cells = line.split(sign)
        columns = {
            at: _needed(cell)
            for at, cell in enumerate(cells)
            if _TELLING.search(cell.strip(_MARKS).replace("_", " "))
        }
        end = yield from _rows(text, end + 1, columns, sign, len(cells) - 1)


@cache
def any_heading() -> Callable[[bytes], object]:
    """A search for a heading such as `Password` in CSV as bytes: 13 MB take 0.03 s instead of 0.22 s by `re`."""
    import re2  # noqa: PLC0415 - built once

    search: Callable[[bytes], object] = re2.compile(rf"(?im)(?:^|[,;\t]){_CELL}[,;\t\r\n]".encode()).search
    return search


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _rows(
    text: str, start: int, columns: dict[int, Strength], sign: str = "|", count: int = 0
) -> Generator[Secret, None, int]:
    """The secrets in `columns` of the rows from `start` on, with `count` signs each (0: any). Returns their end."""
    while start < len(text):
        end = _line_end(text, start)
        line = text[start:end].rstrip("\r")
        if sign not in line or (count and line.count(sign) != count):
            break
        for at, cell in enumerate(line.split(sign)):
            value = cell.strip().strip(_MARKS)
            if at in columns and " " not in value and (strength(value) >= columns[at] or _is_mixed(value)):
                first = start + cell.index(value)
                yield Secret("password", first, first + len(value))
            start += len(cell) + 1
        start = end + 1
    return start


def _needed(heading: str) -> Strength:
    # A column named "token" may list colors or words.
    return Strength.PASSWORD if "p" in heading.lower() else Strength.RANDOM


def _is_mixed(value: str) -> bool:
    """Whether a cell is too mixed for words and too unbalanced for code."""
    if not 8 <= len(value) <= 40:
        return False
    is_even = all(value.count(opening) == value.count(closing) for opening, closing in ("()", "[]", "{}", "<>"))
    return not is_even and all(kind.search(value) for kind in _KINDS)


@dataclass(frozen=True, slots=True)
class _DigitLines:
    """The lines with a digit, joined. `here` and `there` are the starts of each line in this and in the whole text.

    `plain` has one byte per character. Nearly every credential has a digit, and few lines of prose do.
    """

    text: str
    plain: bytes
    here: list[int]
    there: list[int]

    @classmethod
    def of(cls, text: str, plain: bytes) -> _DigitLines:
        """Take the lines with a digit from a text. `plain` is the text with one byte per character."""
        digits = plain.translate(_DIGITS)
        spans: list[tuple[int, int]] = []
        end, at = 0, digits.find(b"0")
        while at >= 0:
            start = plain.rfind(b"\n", end, at) + 1 or end
            end = plain.find(b"\n", at)
            end = len(plain) if end < 0 else end
            spans.append((start, end))
            at = digits.find(b"0", end)
        kept = [plain[start:end] for start, end in spans]
        joined = b"\n".join(kept)
        lines = joined.decode("ascii") if text.isascii() else "\n".join([text[start:end] for start, end in spans])
        here = list(map(add, accumulate(map(len, kept), initial=0), count()))
        return cls(lines, joined, here, [start for start, _ in spans])

    def back(self, secret: Secret) -> Secret:
        """A secret moved from the joined lines to the whole text."""
        moved = self._moved(secret.start)
        return replace(secret, start=secret.start + moved, end=secret.end + moved)

    def above(self, whole: str, offset: int) -> str:
        """The 200 characters of the whole text before an offset of the joined lines."""
        end = offset + self._moved(offset)
        return whole[max(0, end - 200) : end]

    def _moved(self, offset: int) -> int:
        line = bisect_right(self.here, offset) - 1
        return self.there[line] - self.here[line]


def search(text: str, hidden: Iterable[Secret] = ()) -> list[Secret]:
    """The credentials in a text and the known ones in `hidden`, in order and without overlaps."""
    found = merged([*_scan(text), *hidden])
    # A replacement changes the context of the rest, so scan again until nothing is found. A text can be
    # crafted so that each replacement reveals another secret: then whole lines and at last the text are hidden.
    more, scans = found, 0
    while more:
        more, scans = _revealed(text, found), scans + 1
        if scans > _LEFT_IN_LINES:
            more = [Secret(each.rule, 0, len(text)) for each in more]
        elif scans > _LEFT_IN_WORDS:
            more = [_whole_line(text, each) for each in more]
        found = merged([*found, *more])
    return found


def _whole_line(text: str, secret: Secret) -> Secret:
    return replace(secret, start=text.rfind("\n", 0, secret.start) + 1, end=_line_end(text, secret.end))


def _scan(text: str) -> list[Secret]:
    """The credentials that show before any of them is replaced, in order and without overlaps."""
    plain = text.encode("ascii", "replace")
    whole = plain.lower()
    names, anchors = present(whole)
    return merged(
        [
            *find_private_keys(text),
            *find_shapes(text, plain),
            *find_named(text, whole, [name for name in PHRASED if name in names]),
            *_find_in_tables(text, whole),
            *_find_in_csv(text),
            *_find_in_manifests(text),
            *_in_digit_lines(text, plain, names, anchors),
        ]
    )


def _in_digit_lines(text: str, plain: bytes, names: list[bytes], anchors: list[bytes]) -> Iterator[Secret]:
    if not names and not anchors and text.isascii():
        return
    lines = _DigitLines.of(text, plain)
    lowered = lines.plain.lower()
    for found in (
        find_named(lines.text, lowered, names),
        find_foreign(lines.text),
        find_placed(lines.text, lowered, anchors, lambda offset: lines.above(text, offset)),
    ):
        yield from map(lines.back, found)


def present(lowered: bytes) -> tuple[list[bytes], list[bytes]]:
    """The names (of NAMES) and the anchors of places (of `by_anchor`) that occur in a text in lower case.

    One pass finds all of them: 11 MB take 0.02 s, a search for each 0.12 s. A test compares the two.
    """
    words, is_any, found = _words_and_matchers()
    if is_any(lowered) is None:
        return [], []
    # None also means that the set was too large for its memory. Then each word is searched for.
    here = {words[place] for place in found(lowered) or range(len(words))}
    return [name for name in NAMES if name in here], [anchor for anchor in by_anchor() if anchor in here]


@cache
def _words_and_matchers() -> tuple[list[bytes], Callable[[bytes], object], Callable[[bytes], list[int] | None]]:
    import re2  # noqa: PLC0415 - built once

    words = list(dict.fromkeys((*NAMES, *by_anchor())))
    patterns = [re2.escape(word) for word in words]
    several = re2.Set.SearchSet()
    for pattern in patterns:
        several.Add(pattern)
    several.Compile()
    return words, re2.compile(b"|".join(patterns)).search, several.Match


def _revealed(text: str, found: list[Secret]) -> list[Secret]:
    """The credentials that appear only after marks replaced those in `found`, at offsets of the original text."""
    marks = [f"[redacted: {secret.rule}]" for secret in found]
    moved = [0, *accumulate(secret.end - secret.start - len(mark) for secret, mark in zip(found, marks, strict=True))]
    starts = [secret.start - shift for secret, shift in zip(found, moved, strict=False)]
    ends = [start + len(mark) for start, mark in zip(starts, marks, strict=True)]
    more: list[Secret] = []
    for secret in _scan(redacted(text, found, 0, len(text))[0]):
        first, last = bisect_right(ends, secret.start), bisect_left(starts, secret.end)
        if first < last and starts[first] <= secret.start and secret.end <= ends[first]:
            continue
        begins = found[first].start if first < last and starts[first] <= secret.start else secret.start + moved[first]
        stops = found[last - 1].end if first < last and secret.end <= ends[last - 1] else secret.end + moved[last]
        more.append(replace(secret, start=begins, end=stops))
    return more


def merged(found: list[Secret]) -> list[Secret]:
    """The credentials sorted by offset. Those that overlap are joined under the first specific rule."""
    joined: list[Secret] = []
    for each in sorted(found, key=lambda secret: (secret.start, -secret.end)):
        if joined and each.start < joined[-1].end:
            rule = each.rule if joined[-1].rule in _VAGUE and each.rule not in _VAGUE else joined[-1].rule
            joined[-1] = replace(joined[-1], rule=rule, end=max(each.end, joined[-1].end))
        else:
            joined.append(each)
    return joined
