"""The light scan of Markdown: metadata, headings, fences, comments and links without parsing.

It reads a hundred megabytes in seconds. It does not distinguish lists, quotes and HTML as `scan` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final, NamedTuple

MAX_CHARACTERS: Final = 4 * 1024 * 1024
"""The most characters of a text that is parsed."""

_OPENING: Final = re.compile(r"---[ \t]*(?:\r\n|\r|\n)")
# With the line break before it, to which the search can jump.
_CLOSING: Final = re.compile(r"[\r\n](?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)")
_CLOSING_DASHES: Final = re.compile(r"[\r\n]---[ \t]*(?:\r\n|\r|\n|\Z)")
# A heading, the mark of a fence, or the line under a heading, behind a line break or where the text begins.
_SIGN: Final = r" {0,3}(?:(#{1,6})(?:[ \t]+(.*))?(?=\n|\Z)|(`{3,}|~{3,})(.*)|(=+|-+)[ \t]*(?=\n|\Z))"
_MARK: Final = re.compile(rf"\n{_SIGN}")
_FIRST: Final = re.compile(_SIGN)
# Lines outside of paragraphs: an item of a list, a quote, a row of a table, a heading, a break, a fence, code.
_NO_TITLE: Final = re.compile(
    r" {0,3}(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})(?:[ \t]|$)|[>|]|([-*_])[ \t]*(?:\1[ \t]*){2,}$|~{3}|`{3,}[^`]*$|\t)"
    r"|[ \t]*$| {4}"
)
# A line behind one of these, without a break, still belongs to it.
_HOLDING: Final = re.compile(r" {0,3}(?:(?:[-*+]|\d{1,9}[.)])[ \t]+\S|>)")
_LONGEST_TITLE: Final = 20
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_ANYWHERE: Final = r"[ \t]*+(?:(?:[-*+]|\d++[.)])[ \t]++|>[ \t]*+)*+(`{3,}|~{3,})(.*)"
_FENCE_ANYWHERE: Final = re.compile(_ANYWHERE)
_FENCES: Final = re.compile(rf"^{_ANYWHERE}$", re.MULTILINE)
# Infos of fences around documents.
_DOCUMENTS: Final = frozenset(("", "md", "mdc", "mdx", "markdown", "text", "txt"))
_FENCE_MARK: Final = re.compile("```|~~~")
_LINE: Final = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n|\Z)")
_COMMENT: Final = re.compile(r"(?:(?<=[\r\n])|\A) {0,3}<!--")
_BLANK: Final = re.compile(r"[ \t]*(?:\r\n|\r|\n|\Z)")
TARGET: Final = r"(?:<([^<>\n]++)>|([^\s()<>]++(?:\([^\s()]*+\)[^\s()<>]*+)*+))"
"""The target of a link: in angle brackets, or without spaces and with its parentheses in pairs."""

# What follows may hold the beginning of another link.
_LINK: Final = re.compile(rf"\]\((?=\s*+{TARGET})")
# `[^1]:` begins a footnote.
_DEFINITION: Final = re.compile(
    r"^ {0,3}\[[^\^\[\]\n][^\[\]\n]{0,299}\]:\s*(?:<([^<>\n]+)>|([^\s<>]+))", re.MULTILINE
)
_SPACE: Final = " \t"
_TRAILING: Final = re.compile(r"(?<![ \t])[ \t]++$", re.MULTILINE)
_NO_BLANKS: Final = str.maketrans("\f\v", "\1\1")
_DEEP: Final = re.compile(r"^((?:[ \t]*+>){100})([ \t>]++)", re.MULTILINE)


class Span(NamedTuple):
    """A range of characters: `start` included, `end` excluded."""

    start: int
    end: int


class MetadataBlock(NamedTuple):
    """The offsets of frontmatter: its YAML from `start` to `end`, and the offset after its closing line.

    Without a closing line, `after` is beyond the end of the text.
    """

    start: int
    end: int
    after: int


class LightHeading(NamedTuple):
    """A heading: its level, its text as written, and the offset of its line in characters."""

    level: int
    name: str
    start: int


def find_metadata(text: str, start: int = 0, *, dots: bool = True) -> MetadataBlock | None:
    """The frontmatter at the offset `start` of a text, however long. `dots` accepts `...` as closing line.

    None unless the text has `---` at `start`. Without a closing line, `end` is the end of the text.
    """
    opening = _OPENING.match(text, start)
    if opening is None:
        return None
    closing = (_CLOSING if dots else _CLOSING_DASHES).search(text, opening.end() - 1)
    if closing is None:
        return MetadataBlock(opening.end(), len(text), len(text) + 1)
    return MetadataBlock(opening.end(), closing.start() + 1, closing.end())


def is_closed(text: str, block: MetadataBlock) -> bool:
    """Whether the frontmatter that `find_metadata` returned for a text has a closing line."""
    return block.after <= len(text)


def body_start(text: str) -> int:
    """The offset after the closing line of frontmatter, 0 without closed frontmatter."""
    block = find_metadata(text)
    return block.after if block and is_closed(text, block) else 0


def first_title(text: str) -> LightHeading | None:
    """The first heading of level 1, None without one."""
    found = headings(text, is_title_wanted=True)
    return found[-1] if found and found[-1].level == 1 else None


def headings(text: str, start: int = 0, is_title_wanted: bool = False) -> list[LightHeading]:
    """The headings outside fences from the offset `start` on, written with `#` or underlined.

    With `is_title_wanted`, only the headings up to the first of level 1.
    """
    text = with_feeds(text)
    found: list[LightHeading] = []
    fence = ""
    # Where the last heading, fence or break ends: what is above belongs to no later paragraph.
    ended = start
    first = _FIRST.match(text, start)
    for match in chain([first] if first else [], _MARK.finditer(text, start)):
        signs, name, mark, info, underline = match.groups()
        if mark:
            before, fence = fence, fence_behind(fence, mark, info)
            ended = match.end() if before != fence else ended
        elif fence:
            continue
        elif signs:
            found.append(LightHeading(len(signs), closed_name(name or ""), match.start() + (match is not first)))
            ended = match.end()
            if is_title_wanted and found[-1].level == 1:
                break
        elif underline:
            above = None if match is first else _paragraph_start(text, ended, match.start())
            if above is not None:
                title = " ".join(line.strip(_SPACE) for line in text[above : match.start()].split("\n"))
                found.append(LightHeading(1 if underline[0] == "=" else 2, title, above))
                if is_title_wanted and found[-1].level == 1:
                    break
            if above is not None or (len(underline) > 2 and underline[0] == "-"):
                ended = match.end()
    return found


def with_feeds(text: str) -> str:
    """The text with line feeds alone as line ends, at the same offsets: CR LF becomes a space and a line feed."""
    return text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text


def _paragraph_start(text: str, ended: int, end: int) -> int | None:
    """The start of the paragraph that ends at `end`, at least `ended`. None if there is none, or it is in a list."""
    begin = None
    for _ in range(_LONGEST_TITLE):
        start = max(text.rfind("\n", ended, end) + 1, ended)
        line = text[start:end]
        if _NO_TITLE.match(line):
            return None if _HOLDING.match(line) else begin
        begin, end = start, start - 1
        if end <= ended:
            break
    return begin


def as_the_parser_reads(text: str) -> str:
    """The text with the same lines and offsets, without the signs that the parser takes for something else.

    Those are carriage returns and tabs behind the end of a fence, and form feeds and vertical tabs, which are
    no blanks. Of quotes within quotes, a hundred count: each costs time for the rest of its line.
    """
    text = with_feeds(text)
    if "\t" in text:
        text = _TRAILING.sub(lambda match: " " * len(match[0]), text)
    if "\f" in text or "\v" in text:
        text = text.translate(_NO_BLANKS)
    return _DEEP.sub(lambda match: match[1] + "x" * len(match[2]), text)


def closed_name(written: str) -> str:
    """The text of a heading without closing signs."""
    written = written.strip(_SPACE)
    name = written.rstrip("#")
    return written if name and name[-1] not in _SPACE else name.rstrip(_SPACE)


def fence_behind(fence: str, mark: str, info: str) -> str:
    """The fence that is open after a line with `mark` and `info`, if `fence` was open before ("" for none)."""
    if not fence:
        return mark if mark[0] == "~" or "`" not in info else ""
    return "" if mark.startswith(fence) and not info.strip() else fence


def open_fence(lines: str) -> str:
    """The mark of the fence that the first line of a text opens and its last line does not close, else ""."""
    opening = _FENCE.match(lines)
    if opening is None:
        return ""
    last = lines.rstrip("\r\n")
    closing = _FENCE.match(last, max(last.rfind("\n"), last.rfind("\r")) + 1)
    if closing is None or closing.start() == opening.start():
        return opening[1]
    return fence_behind(opening[1], closing[1], closing[2])


def prose(text: str) -> Iterator[Span]:
    """The ranges outside fences. Fences in lists and quotes count as well. An unclosed fence reaches to the end."""
    fence, begin, position = "", 0, 0
    while (mark := _FENCE_MARK.search(text, position)) is not None:
        # All other lines are skipped. The line with the mark begins at `position` or behind it.
        start = max(text.rfind("\n", position, mark.start()), text.rfind("\r", position, mark.start()))
        start = position if start < 0 else start + 1
        line = _LINE.match(text, start)
        end = line.end() if line else len(text)
        match = _FENCE_ANYWHERE.match(text[start:end].rstrip("\r\n"))
        if match:
            before, fence = fence, fence_behind(fence, match[1], match[2])
            if fence and not before and begin < start:
                yield Span(begin, start)
            elif before and not fence:
                begin = end
        position = end
    if not fence and begin < len(text):
        yield Span(begin, len(text))


def samples(text: str) -> list[Span]:
    """The documents shown in a fence with fences as long as its own, up to the end that their author meant.

    CommonMark ends them with their first inner fence, so that `prose` takes their later text for the author's own.
    Empty if a fence is left open, because another one may be the one that its author forgot to close.
    """
    fences: list[str] = []
    found: list[Span] = []
    start, is_nested = 0, False
    for match in _FENCES.finditer(with_feeds(text), body_start(text)):
        mark, info = match[1], match[2].strip()
        opened = fence_behind("", mark, info)
        if not fences:
            start, is_nested, is_document = match.start(), False, info.lower() in _DOCUMENTS
            fences += [opened] if opened else []
        elif info and opened.startswith(fences[-1]):
            is_nested = True
            fences.append(opened)
        elif not info and mark.startswith(fences[-1]):
            fences.pop()
            if is_nested and is_document and not fences:
                found.append(Span(start, match.end()))
    return [] if fences else found


def comments(text: str) -> Iterator[Span]:
    """The HTML comments that begin a line outside fences and are closed, with the blank rest of their last line."""
    if "<!--" not in text:
        return
    for piece in prose(text):
        position = piece.start
        while (start := _COMMENT.search(text, position, piece.end)) is not None:
            close = text.find("-->", start.end(), piece.end)
            if close < 0:
                break
            blank = _BLANK.match(text, close + 3, piece.end)
            position = blank.end() if blank else close + 3
            yield Span(start.start(), position)


def targets(text: str) -> list[str]:
    """Possible link targets as written, without repeats, including targets in code and comments."""
    if "]" not in text:
        return []
    found = _LINK.findall(text) + (_DEFINITION.findall(text) if "]:" in text else [])
    return list(dict.fromkeys(bracketed or bare for bracketed, bare in found))
