"""Lists of names and descriptions that agents show before they read skills, commands and rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import islice
from math import ceil
from typing import NamedTuple

from ctxtui.agents.costs import Entry, Listing
from ctxtui.agents.measure import with_configured_max
from ctxtui.agents.project.files import Files, name_of
from ctxtui.agents.project.frontmatter import globs_of
from ctxtui.agents.project.globs import below_head
from ctxtui.agents.types import Limit, Row

Count = Callable[[str], int]

WINDOW = 200_000
"""The default window in tokens for a limit without another measure."""

CHARS_PER_TOKEN = 4
LEFT_OUT = -1

_FIELD = re.compile(r"( ?)\{(name|description|path|file|below|globs)\}")
_MOST_READ = 10_000
_LINE_END = re.compile(r"\r\n|\r|\n")
_HEADING = re.compile(r"^#+\s+(?=\S)")
_LONGEST = 100
_CUT = "..."


@dataclass(frozen=True, slots=True)
class ListLine:
    """A list entry in the making: its words, and the shown characters of its description, or `LEFT_OUT`."""

    row: Row
    path: str
    name: str
    description: str
    shown: int
    limit: Limit | None = None
    file: str = ""
    globs: str = ""

    def line(self, shown: int | None = None) -> str:
        """The text with `shown` characters of the description, by default as many as the entry shows."""
        count = self.shown if shown is None else shown
        description = self.description[:count]
        if self.limit and 0 < count < len(self.description):
            description += self.limit.ending
        values = {
            "name": self.name,
            "description": description,
            "path": self.path,
            "file": self.file,
            "below": below_head(self.row.files, self.path),
            "globs": self.globs,
        }

        def fill(field: re.Match[str]) -> str:
            value = values[field[2]]
            value = escape(value).replace("&#x27;", "&apos;") if self.row.escapes else value
            return field[1] + value if value else ""

        return _FIELD.sub(fill, self.row.entry)

    def entry(self, count: Count) -> Entry:
        """The shown line, with its tokens and the tokens of the cut text."""
        is_out = self.shown == LEFT_OUT
        text = "" if is_out else self.line()
        lost = self.line(len(self.description)) if is_out else self.description[self.shown :]
        costs = [count(each) if each else 0 for each in (text, lost)]
        limit = self.limit if lost else None
        return Entry(self.name, self.description, text, costs[0], lost, costs[1], limit)


def draft_line(row: Row, path: str, files: Files, package: str = "") -> ListLine:
    """The list entry of a file, its description cut by the agent's limit for each. A package precedes the name."""
    meta = files.meta(path, row) or {}
    keys = [key for key in row.meta if key != "name"]
    description = row.between.join(filter(None, (_joined(meta.get(key, "")) for key in keys)))
    if not description and (row.paragraph or row.body_lines):
        description = _body_lines(path, files, row.body_lines) if row.body_lines else _first_line(path, files)
    limit = row.limit("+".join(keys), "cut")
    limit = with_configured_max(limit, files) if limit else None
    if row.first_line:
        description = description.strip().partition("\n")[0]
    if row.one_line:
        description = " ".join(description.split())
    shown = len(description)
    if limit and shown > limit.max:
        shown = limit.max - len(limit.ending)
    name = name_of(row, path, files).replace("/", row.joint)
    globs = ", ".join(glob for key in row.globs for glob in globs_of(meta.get(key, ()), row.whole_globs))
    named_so = f"{package}:{name}" if package else name
    return ListLine(row, path, named_so, description, shown, limit, files.listed_path(path), globs)


def _joined(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else ", ".join(value)


def _first_line(path: str, files: Files) -> str:
    """The first nonblank line of the body, without heading signs, cut as Claude Code cuts it."""
    line = _HEADING.sub("", next(_nonblank(path, files), ""))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - len(_CUT)]}{_CUT}"


def _nonblank(path: str, files: Files) -> Iterator[str]:
    block = files.block(path)
    body = (files.text(path) or "")[block.body if block else 0 :].removeprefix("\ufeff")
    return filter(None, map(str.strip, _LINE_END.split(body[:_MOST_READ])))


def _body_lines(path: str, files: Files, count: int) -> str:
    """The first lines of the body as one, without headings and blank lines, as Copilot CLI lists it."""
    return " ".join(islice((line for line in _nonblank(path, files) if not _HEADING.match(line)), count))


class ListRoom(NamedTuple):
    """The room of a list, its unit, and whether texts are measured `in_bytes`, four of them for each unit."""

    room: int
    unit: str
    in_bytes: bool

    def size(self, text: str) -> int:
        return len(text.encode("utf-8", "replace")) if self.in_bytes else len(text)

    def cost(self, size: int) -> int:
        """The room of a line of some size, with its line end."""
        return ceil((size + 1) / CHARS_PER_TOKEN) if self.in_bytes else size + 1

    def line_cost(self, draft: ListLine, shown: int | None = None) -> int:
        """The room of a line with `shown` characters of its description, or as many as the draft shows."""
        return self.cost(self.size(draft.line(shown)))


def list_room(limit: Limit, window: int | None) -> ListRoom:
    """The room that a limit leaves in a window, or in the usual window if `window` is None."""
    if window is None and limit.otherwise:
        return ListRoom(limit.otherwise, "characters", False)
    if limit.unit == "chars":
        return ListRoom(max(limit.max - limit.own, 0), "characters", False)
    tokens = (window or WINDOW) * limit.max // 100
    if limit.unit == "percent_of_window_chars":
        room = tokens * CHARS_PER_TOKEN
        return ListRoom(max(min(room, limit.most or room) - limit.own, 0), "characters", False)
    return ListRoom(max(tokens - limit.own, 0), "tokens of four bytes", True)


def fit_lines(drafts: Sequence[ListLine], limit: Limit, window: int | None) -> tuple[list[ListLine], Listing]:
    """The entries, shortened as the agent does until they fit into the room of one list, and that list's sums."""
    space = list_room(limit, window)
    full = [space.line_cost(each) for each in drafts]
    bare = [space.line_cost(each, 0) for each in drafts]
    excess = sum(full) - space.room
    if limit.then == "shorten":
        lines = _shorten(drafts, bare, limit, space) if excess > 0 else list(drafts)
    else:
        lines = list(drafts)
        for place in reversed(range(len(lines))):
            if excess <= 0:
                break
            excess -= full[place] - bare[place]
            lines[place] = _with_shown(lines[place], 0, limit)
    return lines, Listing(limit, space.unit, space.room, sum(full), len(drafts))


def _shorten(drafts: Sequence[ListLine], bare: Sequence[int], limit: Limit, space: ListRoom) -> list[ListLine]:
    """The entries with descriptions of equal room, or if names alone are too long, as many names as fit.

    The order of names decides who comes first.
    """
    order = sorted(range(len(drafts)), key=lambda place: (drafts[place].name, drafts[place].path))
    left = space.room - sum(bare)
    if left >= 0:
        shown = _share_room(drafts, order, left, space)
    else:
        left, shown = space.room, [LEFT_OUT] * len(drafts)
        for place in order:
            if bare[place] <= left:
                shown[place] = 0
                left -= bare[place]
    return [_with_shown(each, count, limit) for each, count in zip(drafts, shown, strict=True)]


def _share_room(drafts: Sequence[ListLine], order: Sequence[int], left: int, space: ListRoom) -> list[int]:
    """How many characters of each description to show: one more in turn, in this `order`, while `left` suffices."""
    shown = [0] * len(drafts)
    sizes = [space.size(each.line(0)) for each in drafts]
    waiting = [place for place in order if drafts[place].shown]
    while waiting:
        served = []
        for place in waiting:
            line, count = drafts[place], shown[place]
            size = sizes[place] + space.size(line.description[count]) if count else space.size(line.line(1))
            more = space.cost(size) - space.cost(sizes[place])
            if more <= left:
                left, sizes[place], shown[place] = left - more, size, count + 1
                if count + 1 < line.shown:
                    served.append(place)
        waiting = served
    return shown


def _with_shown(line: ListLine, shown: int, limit: Limit) -> ListLine:
    return replace(line, shown=shown, limit=limit) if shown < line.shown else line
