"""Frontmatter: the YAML between two `---` lines, read leniently and never at the cost of the body."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from ctxtui.core.base.notices import Notice
from ctxtui.core.text.data.bounds import DataProblem
from ctxtui.core.text.markdown.light import MetadataBlock, find_metadata, is_closed

_PAIR = re.compile(r"([A-Za-z][\w.-]*)[ \t]*:(?:[ \t]+(.*))?$")
_MANGLED = re.compile(r"[ \t]*#{1,6}[ \t]+([A-Za-z][\w-]*):[ \t]*(\[.*\]|\S.*)")
_MANGLED_KEYS = frozenset(
    {"tags", "crossDomainTriggers", "detectionTriggers", "sections", "description", "name", "globs", "paths"}
)
_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_ITEM = re.compile(r"-(?:[ \t]|$)")
# Characters that no YAML line begins with, or only after a key that expects a list.
_FENCE_OR_TABLE = re.compile(r"```|~~~|\|")
_TASK = re.compile(r"[-*+][ \t]+\[[ xX]?\](?:[ \t]|$)")

_BLANK_LINES = re.compile(r"(?:[ \t]*+[\r\n]++)*+")
_KEY = re.compile(r"[a-z][\w.-]*")
# YAML of this many characters takes about a second. Metadata is never that long.
_MAX_YAML = 1024 * 1024


def mangled(line: str) -> tuple[str, str] | None:
    """The key and value of a line that a Markdown formatter turned into a heading, None for any other line."""
    match = _MANGLED.fullmatch(line)
    return (match[1], match[2]) if match and match[1] in _MANGLED_KEYS else None


def _metadata_end(raw: str, is_broken: bool) -> int | None:
    """The offset after the last line of metadata in `raw` if text follows. None if all of it may be metadata.

    Valid YAML ends early only before a heading between blank lines, which YAML reads as a comment.
    """
    if not is_broken:
        return _before_heading(raw) if "#" in raw else None
    reading = _MetadataLines()
    for start, line in lines(raw):
        if reading.is_text(line):
            return reading.end
        reading.take_line(line, start + len(line))
    return None


class _MetadataLines:
    """Reads broken metadata line by line. `end` is the end of the last line so far that is metadata."""

    def __init__(self) -> None:
        self.end = 0
        self._after_blank = False
        self._is_value_open = False
        self._expects_list = False

    def is_text(self, line: str) -> bool:
        """Whether a line cannot be metadata after the lines so far."""
        if not line.strip() or mangled(line.rstrip()):
            return False
        if line[0] in " \t":
            return self._after_blank and not self._is_value_open
        if _PAIR.match(line):
            return False
        if _TASK.match(line):
            return True
        if _ITEM.match(line):
            return self._after_blank and not self._expects_list
        if line[0] == "#":
            return self._after_blank and bool(_HEADING.match(line))
        return self._after_blank or bool(_FENCE_OR_TABLE.match(line))

    def take_line(self, line: str, end: int) -> None:
        """Take a line of metadata that ends at the offset `end`. Blank lines and comments do not move `self.end`."""
        self._after_blank = not line.strip()
        if self._after_blank or (line[0] == "#" and not mangled(line.rstrip())):
            return
        self.end = end
        self._expects_list = self._expects_list and line[0] not in " \t"
        pair = _PAIR.match(line)
        if pair:
            value = (pair[2] or "").strip()
            self._expects_list = not value
            self._is_value_open = not value or value[0] in "|>\"'[{&!"


def lines(raw: str) -> Iterator[tuple[int, str]]:
    """The lines of a text with their offsets, split at line feeds and carriage returns only."""
    return ((match.start(), match[1]) for match in _LINE.finditer(raw) if match.start() < len(raw))


def _before_heading(raw: str) -> int | None:
    """The end of the lines before a heading between blank lines, if only comments follow it. None without one."""
    rest = list(lines(raw))
    if not rest or rest[-1][1].strip():
        return None
    has_heading = False
    while rest and (not rest[-1][1].strip() or rest[-1][1].startswith("#")):
        _, line = rest.pop()
        is_heading = _HEADING.match(line) and not mangled(line.rstrip())
        if is_heading and rest and not rest[-1][1].strip():
            has_heading = True
    if not has_heading:
        return None
    return rest[-1][0] + len(rest[-1][1]) if rest else 0


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """The metadata of a document: its values, and the offsets, in characters, of its YAML and its `body`.

    If the whole file is text, there are no values and `body` is 0.
    """

    values: Mapping[str, Any]
    body: int
    notices: tuple[Notice, ...] = ()
    start: int = 0
    end: int = 0


def read_frontmatter(text: str, path: str) -> Frontmatter | None:
    """`read_metadata`, with the keys that a formatter made headings. The body begins after blank lines."""
    found = read_metadata(text, path)
    if found is None:
        return None
    values, notices = dict(found.values), list(found.notices)
    after, body = _mangled_after(text, found.body)
    for key, value in (_mangled_inside(text[found.start : found.end]) | after).items():
        message = f"`{key}` was turned into a heading by a formatter; it was read as metadata"
        notices.append(Notice("frontmatter-mangled", message, path, 1))
        values.setdefault(key, value)
    return replace(found, values=values, body=body if found.body else 0, notices=tuple(notices))


def read_metadata(text: str, path: str) -> Frontmatter | None:
    """The metadata of a text, None without any. The body begins right after the closing line, as it is written.

    If the closing line is missing, or a rule far below resembles it, the metadata ends with its last line: text that
    may be body is never dropped.
    """
    block = find_metadata(text)
    if block is None:
        return None
    if not is_closed(text, block):
        return _unclosed(text, block, path)
    raw = text[block.start : block.end]
    values, notices = _parse(raw, path)
    is_broken = any(notice.code == "frontmatter-yaml" for notice in notices)
    if _metadata_end(raw, is_broken) is not None:
        return _unclosed(text, block, path)
    if values is None:
        return Frontmatter({}, 0, tuple(notices))
    return Frontmatter(values, block.after, tuple(notices), block.start, block.end)


def _unclosed(text: str, block: MetadataBlock, path: str) -> Frontmatter | None:
    """Metadata up to its last line. None if the first line is no `key: value`.

    If the lines are not clearly metadata, there are no values and the whole file is text, with a notice.
    """
    raw = text[block.start : block.end]
    first = next((line for _, line in lines(raw[:400]) if line.strip()), "")
    if not _PAIR.match(first):
        return None
    end = _metadata_end(raw, is_broken=True) or 0
    values, notices = _parse(raw[:end], path)
    if not values or not all(_KEY.fullmatch(key) for key in values):
        message = "frontmatter has no closing `---` line; the whole file is read as text"
        return Frontmatter({}, 0, (Notice("frontmatter-unclosed", message, path, 1),))
    after = block.start + end
    line = sum(1 for _ in lines(text[:after]))
    message = f"frontmatter ends at line {line} without a closing `---` line; the rest is read as text"
    notice = Notice("frontmatter-unclosed", message, path, line)
    return Frontmatter(values, after, (notice, *notices), block.start, after)


def _load_yaml(raw: str) -> tuple[Any, list[tuple[str, int]]]:
    from ctxtui.core.text.data.yaml import load_yaml  # noqa: PLC0415 - what was read before is exported without it

    return load_yaml(raw)


def _parse(raw: str, path: str) -> tuple[dict[str, Any] | None, list[Notice]]:
    """The values of YAML, of its simple lines if it is broken, and notices. None if it is no mapping."""
    if len(raw) > _MAX_YAML:
        message = f"frontmatter has {len(raw):,} characters; only its simple lines were read, at most {_MAX_YAML:,}"
        return _line_by_line(raw[:_MAX_YAML]), [Notice("frontmatter-yaml", message, path, 1)]
    try:
        value, repeated = _load_yaml(raw)
    except DataProblem as problem:
        message = f"frontmatter is not valid YAML ({problem}); only its simple lines were read"
        return _line_by_line(raw), [Notice("frontmatter-yaml", message, path, problem.line + 2)]
    notices = [
        Notice("frontmatter-repeated", f"`{key}` appears twice; the last one counts", path, line + 2)
        for key, line in repeated
    ]
    if value is None:
        return {}, notices
    if not isinstance(value, dict):
        message = "frontmatter has no `key: value` lines; the whole file is read as text"
        return None, [*notices, Notice("frontmatter-yaml", message, path, 2)]
    return {str(key): entry for key, entry in value.items()}, notices


def _line_by_line(raw: str) -> dict[str, Any]:
    """The values of unindented `key: value` lines and the `- item` lines below them in broken YAML."""
    values: dict[str, Any] = {}
    found = [line for _, line in lines(raw)]
    for number, line in enumerate(found):
        pair = _PAIR.match(line)
        if pair is None:
            continue
        value = (pair[2] or "").strip()
        if value:
            values[pair[1]] = _scalar(value)
        else:
            below = (found[place].lstrip() for place in range(number + 1, len(found)))
            items = takewhile(lambda line: line.startswith("- "), below)
            values[pair[1]] = [_scalar(item[2:].strip()) for item in items]
    return values


def _scalar(value: str) -> Any:
    try:
        return _load_yaml(value)[0]
    except DataProblem:
        return value.strip("\"'")


def _mangled_inside(raw: str) -> dict[str, Any]:
    """The values of keys that a formatter made headings within the YAML, which reads them as comments."""
    pairs = (mangled(line.rstrip()) for _, line in lines(raw)) if "#" in raw else ()
    return {pair[0]: _scalar(pair[1]) for pair in pairs if pair}


def _mangled_after(text: str, start: int) -> tuple[dict[str, Any], int]:
    """The values of keys with lists that a formatter made headings, from `start` on, and where the body begins."""
    found: dict[str, Any] = {}
    position = _skip_blank(text, start)
    while (match := _MANGLED.match(text, position)) and match[1] in _MANGLED_KEYS and match[2].rstrip()[-1] == "]":
        found[match[1]] = _scalar(match[2].rstrip())
        position = _skip_blank(text, match.end())
    return found, position


def _skip_blank(text: str, start: int) -> int:
    match = _BLANK_LINES.match(text, start)
    return match.end() if match else start
