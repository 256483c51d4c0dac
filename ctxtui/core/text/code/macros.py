"""C preprocessor code made readable for a grammar: the rest becomes spaces, byte for byte."""

from __future__ import annotations

import re
from itertools import accumulate, pairwise
from typing import Final

from ctxtui.core.text.code.languages import Language

_NAME: Final = rb"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b"
# Types between angle brackets, with such in between.
_TYPES: Final = rb"<(?:[^;{}()<>\n]|<[^;{}()<>\n]*+>)*+>"
_GIVEN: Final = rb"(?:[ \t]*\([^()\n]*\))?"
_ALONE: Final = re.compile(rb"(?m)^[ \t]*(%s%s)[ \t]*:?[ \t]*\r?$" % (_NAME, _GIVEN))
# What may be before a word alone on a line that is not a part of an expression.
_ENDS: Final = b";{}>)/:"
_BEFORE: Final = re.compile(
    rb"(?m)^[ \t]*(?:(?:template[ \t]*%s|inline|static|constexpr|friend|virtual|extern)[ \t]+)*"
    rb"(%s%s)[ \t]+(?=(?:class|struct|union|enum|namespace|template|typedef|using|friend|explicit)\b"
    rb"|(?:[A-Za-z_][\w:]*(?:%s)?[ \t*&]+)+[A-Za-z_~][\w:]*[ \t]*[(;={])" % (_TYPES, _NAME, _GIVEN, _TYPES)
)
_IN_HEAD: Final = re.compile(
    rb"\b(?:class|struct|union|enum|namespace)[ \t]+(%s%s)[ \t]+(?=\w+[ \t]*(?:final\b|[:{<\r\n]))" % (_NAME, _GIVEN)
)
_BEHIND: Final = re.compile(rb"\)(?:[ \t]*(?:const|noexcept|override))*[ \t]+(%s%s)(?=\s*[{;])" % (_NAME, _GIVEN))
_DIRECTIVE: Final = re.compile(rb"[ \t]*#[ \t]*(if|el|endif)")
_NO_CODE: Final = re.compile(rb"""//[^\n]*|/\*(?:.*?\*/|.*)|"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'""", re.DOTALL)
_TEXT: Final = re.compile(rb"[^\s]")


def without_macros(language: Language, data: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """The text with spaces in place of macros outside expressions, and of branches (`#if`) that split statements.

    It is as long as before. Also returns the byte ranges of macros that stand alone on their lines.
    """
    found: list[tuple[int, int]] = []
    if language.has_macros:
        found = [match.span(1) for match in _ALONE.finditer(data) if _is_apart(data, match.start())]
        read = _blanked(data, found)
        # Another macro may follow.
        for pattern in (_BEFORE, _BEFORE, _IN_HEAD, _BEHIND):
            read = _blanked(read, [match.span(1) for match in pattern.finditer(read)])
    else:
        read = data
    if language.has_branches and b"#" in data:
        read = _without_branches(read)
    return read, found


def _is_apart(data: bytes, start: int) -> bool:
    """Whether every statement before the line at the offset `start` has ended."""
    before = data[max(0, start - 300) : start].rstrip()
    last = before.rpartition(b"\n")[2].lstrip()
    return not before or before[-1] in _ENDS or last.startswith((b"#", b"//", b"*")) or bool(_ALONE.fullmatch(last))


def _blanked(data: bytes, spans: list[tuple[int, int]]) -> bytes:
    pieces, place = [], 0
    for start, end in spans:
        pieces += [data[place:start], _TEXT.sub(b" ", data[start:end])]
        place = end
    return b"".join((*pieces, data[place:])) if spans else data


def _without_branches(data: bytes) -> bytes:
    """The text without directives such as `#if` that split statements. Of their branches, only the first stays."""
    lines = data.split(b"\n")
    if not any(map(_DIRECTIVE.match, lines)):
        return data
    directives = [_DIRECTIVE.match(line) for line in lines]
    bare = _NO_CODE.sub(lambda found: b"\n" * found[0].count(b"\n"), data).split(b"\n")
    code = [b"" if line.lstrip().startswith(b"#") else line for line in bare]
    depths = [
        0,
        *accumulate(sum(map(line.count, (b"{", b"("))) - sum(map(line.count, (b"}", b")"))) for line in code),
    ]
    # The last line up to each one that has code.
    coded = list(accumulate((number if line.strip() else -1 for number, line in enumerate(code)), max))
    blank: list[tuple[int, int]] = []
    open_: list[list[int]] = []
    for number, found in enumerate(directives):
        if found is None:
            continue
        if found[1] == b"if":
            open_.append([number])
        elif open_:
            open_[-1].append(number)
            if found[1] == b"endif":
                places = open_.pop()
                branches = list(pairwise(places))
                if not all(_is_whole(code, depths, coded, *branch) for branch in branches):
                    blank += [(places[0], places[0] + 1), (places[1], number + 1)]
    for first, end in blank:
        if lines[first].strip() or end - first > 1:
            lines[first:end] = [_TEXT.sub(b" ", line) if line.strip() else line for line in lines[first:end]]
    return b"\n".join(lines)


def _is_whole(code: list[bytes], depths: list[int], coded: list[int], start: int, end: int) -> bool:
    """Whether the branch between the lines `start` and `end`, both directives, closes brackets and statement."""
    last = coded[end - 1]
    return depths[start + 1] == depths[end] and (last <= start or code[last].rstrip()[-1:] in (b";", b"}"))
