"""Markdown to structure: a document as title, sections and items (seed 002, "Parsing")."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ctxtui.core.document import Document
from ctxtui.core.items import Bullet, ItemLine, Items
from ctxtui.core.labels import Prose, before_fields, find_fields, find_tags, is_field, without_last_tags
from ctxtui.core.markdown import Heading, heading_name
from ctxtui.loader.values import Item, ParsedContent, Section

TODO, DONE, BLOCKED = "todo", "done", "blocked"

_BLOCKED_HEADING = re.compile(r"\W*blocked(?:\s+(?:tasks?|items?|work|issues?|by|on)\b.*|\s*[^\w\s].*)?\s*", re.I)
_BLOCKED_FIELDS = frozenset({"blocked by", "blocked on", "blocked"})
_NOTHING = frozenset({"", "-", "–", "—", "none", "nothing", "nobody", "no", "n/a"})

# A longer title stays as it is written.
_LONG = 1_000


@dataclass(frozen=True, slots=True)
class _Region:
    """The lines below a heading, to the next of equal or higher level; `heading` is None at the top."""

    heading: Heading | None
    start: int
    end: int


def parse(document: Document, items: Items) -> ParsedContent:
    """The structure of a document; whatever it holds, nothing raises."""
    headings = document.scan.headings
    title = next((heading.name for heading in headings if heading.level == 1), "")
    metadata = document.frontmatter.values if document.frontmatter else {}
    return ParsedContent(title, tuple(_Parser(document, items).sections()), _texts(metadata))


class _Parser:
    """Reads the sections of one document from its scan and its list items."""

    def __init__(self, document: Document, items: Items) -> None:
        self._text = document.body
        self._scan = document.scan
        self._items = items
        self._ends = {block.start: block.end for block in document.scan.blocks if block.kind == "heading_open"}
        self._heading_lines = [heading.line for heading in document.scan.headings]
        self._blocked_from = [False, *_blocked(document.scan.headings)]
        self._bullet_lines = [bullet.line for bullet in items.bullets]
        self._children: list[list[int]] = [[] for _ in items.bullets]
        self._task_of: list[int | None] = []
        for position, bullet in enumerate(items.bullets):
            above = None if bullet.parent is None else self._task_of[bullet.parent]
            self._task_of.append(position if bullet.box else above)
            if bullet.parent is not None:
                self._children[bullet.parent].append(position)
        self._own: dict[int, list[ItemLine]] = {}
        for line in items.lines:
            task = None if line.bullet is None else self._task_of[line.bullet]
            if task is not None:
                self._own.setdefault(task, []).append(line)

    def sections(self) -> Iterator[Section]:
        """One section per H2; text outside of them is one without title where it holds items."""
        for region in self._regions(2, 0, len(self._items.lines)):
            items = tuple(self._section_items(region))
            is_section = region.heading is not None and region.heading.level == 2
            if is_section or items:
                content = self._text[self._scan.lines.start(region.start) : self._scan.lines.start(region.end)]
                yield Section(region.heading.name if is_section and region.heading else "", items, content)

    def _regions(self, level: int, start: int, end: int) -> Iterator[_Region]:
        """The text between some lines, divided at headings up to a level."""
        first, last = bisect_left(self._heading_lines, start), bisect_left(self._heading_lines, end)
        headings = [each for each in self._scan.headings[first:last] if each.level <= level]
        stops = [heading.line for heading in headings] + [end]
        if stops[0] > start:
            yield _Region(None, start, stops[0])
        for heading, stop in zip(headings, stops[1:], strict=True):
            yield _Region(heading, self._ends.get(heading.line, heading.line + 1), stop)

    def _section_items(self, region: _Region) -> Iterator[Item]:
        for part in self._regions(3, region.start, region.end):
            tasks = [position for position in self._bullets(part) if self._items.bullets[position].box]
            if not tasks and part.heading is not None and part.heading.level == 3:
                yield self._entry(part, part.heading)
            for position in tasks:
                yield self._task(position)

    def _bullets(self, region: _Region) -> range:
        return range(bisect_left(self._bullet_lines, region.start), bisect_left(self._bullet_lines, region.end))

    def _entry(self, region: _Region, heading: Heading) -> Item:
        """An H3 without check-boxes below it."""
        lines = self._items.lines[region.start : region.end]
        top = [position for position in self._bullets(region) if self._items.bullets[position].parent is None]
        return Item(
            without_last_tags(heading.name) or heading.name,
            find_fields(_prose(line) for line in lines),
            _tags([heading.name, *(line.text for line in lines)]),
            "",
            self._texts_of(top),
        )

    def _task(self, position: int) -> Item:
        bullet = self._items.bullets[position]
        own = self._own[position]
        fields = find_fields(_prose(line, is_title=index == 0) for index, line in enumerate(own))
        tags = _tags(line.text for line in own)
        return Item(
            _title(bullet.text),
            fields,
            tags,
            self._status(bullet, fields, tags),
            self._texts_of(self._children[position]),
        )

    def _status(self, bullet: Bullet, fields: Mapping[str, str], tags: Sequence[str]) -> str:
        if bullet.box == "x":
            return DONE
        blockers = (value for key, value in fields.items() if key.casefold() in _BLOCKED_FIELDS)
        is_blocked = (
            any(tag.partition(":")[0].casefold() == BLOCKED for tag in tags)
            or any(value.strip(" .").casefold() not in _NOTHING for value in blockers)
            or self._blocked_from[bisect_left(self._heading_lines, bullet.line)]
        )
        return BLOCKED if is_blocked else TODO

    def _texts_of(self, positions: Sequence[int]) -> tuple[str, ...]:
        """The whole texts of some bullets that are no fields."""
        bullets = ((position, self._items.bullets[position]) for position in positions)
        texts = (self._whole(position, bullet) for position, bullet in bullets if not is_field(bullet.text))
        return tuple(text for text in texts if text)

    def _whole(self, position: int, bullet: Bullet) -> str:
        texts = [bullet.text]
        for number in range(bullet.line + 1, len(self._items.lines)):
            line = self._items.lines[number]
            if line.kind != "text" or line.bullet != position:
                break
            texts.append(line.text)
        return " ".join(text for text in texts if text)


def _blocked(headings: Sequence[Heading]) -> Iterator[bool]:
    """Whether a task below each heading waits because of it or a heading it is nested in; titles do not count."""
    above: list[tuple[int, bool]] = []
    for heading in headings:
        while above and above[-1][0] >= heading.level:
            above.pop()
        is_blocked = bool(above and above[-1][1]) or (heading.level > 1 and _is_blocked(heading))
        above.append((heading.level, is_blocked))
        yield is_blocked


def _is_blocked(heading: Heading) -> bool:
    name = without_last_tags(heading.name)
    return _BLOCKED_HEADING.fullmatch(name) is not None or BLOCKED in find_tags(heading.name)


def _title(text: str) -> str:
    """A task's first line as people read it, without the fields and tags at its end."""
    words = without_last_tags(before_fields(text)) or text
    return heading_name(words) if 0 < len(words) <= _LONG else words


def _prose(line: ItemLine, is_title: bool = False) -> Prose:
    return Prose(line.kind, line.text, is_title)


def _tags(texts: Sequence[str] | Iterator[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag for text in texts for tag in find_tags(text)))


def _texts(values: Mapping[str, Any]) -> Mapping[str, str]:
    """Metadata as the seed's map of strings: lists joined by commas, mappings as JSON."""
    return {key: _text(value) for key, value in values.items()}


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_text(entry) for entry in value)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)
