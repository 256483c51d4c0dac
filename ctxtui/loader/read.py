"""Reads one context file: bytes to text to structure, with notices of problems."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.content import Content
from ctxtui.core.payload.formats import full_line
from ctxtui.core.text.decode import decode
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.fenced import open_end
from ctxtui.core.text.markdown.inline_fields import begins_with_field, find_fields, without_last_tags
from ctxtui.core.text.markdown.light import MAX_CHARACTERS
from ctxtui.core.text.markdown.list_items import Bullet
from ctxtui.core.text.markdown.scan import Heading, heading_text
from ctxtui.core.text.markdown.tasks import all_tags
from ctxtui.core.text.secrets import Secrets, guarded
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.loader.types import ContextFile, Item, ParsedContent, Section, bare


@dataclass(frozen=True, slots=True)
class _Region:
    """Lines below a heading, up to the next dividing one: from 0, `end` excluded. `heading` is None at the top."""

    heading: Heading | None
    start: int
    end: int


def parse(document: Document) -> ParsedContent:
    """The structure of a document. Never raises."""
    title = next((heading.name for heading in document.scan.headings if heading.level == 1), "")
    values = document.frontmatter.values if document.frontmatter else {}
    metadata = {key: _text(value) for key, value in values.items()}
    return ParsedContent(title, tuple(_Parser(document).sections()), metadata)


class _Parser:
    def __init__(self, document: Document) -> None:
        self._text = document.body
        self._scan = document.scan
        self._items = document.items
        self._ends = {block.start: block.end for block in document.scan.blocks if block.kind == "heading"}
        self._heading_lines = [heading.line for heading in document.scan.headings]
        self._bullet_lines = [bullet.line for bullet in document.items.bullets]
        self._tasks = {task.bullet: task for task in document.tasks}
        self._children: list[list[int]] = [[] for _ in document.items.bullets]
        for position, bullet in enumerate(document.items.bullets):
            if bullet.parent is not None:
                self._children[bullet.parent].append(position)

    def sections(self) -> Iterator[Section]:
        """One section per H2. Items outside any H2 form a section without a title."""
        for region in self._regions(2, 0, len(self._items.lines)):
            items = tuple(self._section_items(region))
            is_section = region.heading is not None and region.heading.level == 2
            if is_section or items:
                content = self._text[self._scan.lines.start(region.start) : self._scan.lines.start(region.end)]
                yield Section(region.heading.name if is_section and region.heading else "", items, content)

    def _regions(self, level: int, start: int, end: int) -> Iterator[_Region]:
        """The lines from `start` up to `end` (excluded), divided at every heading of at most this `level`."""
        first, last = bisect_left(self._heading_lines, start), bisect_left(self._heading_lines, end)
        headings = [each for each in self._scan.headings[first:last] if each.level <= level]
        stops = [heading.line for heading in headings] + [end]
        if stops[0] > start:
            yield _Region(None, start, stops[0])
        for heading, stop in zip(headings, stops[1:], strict=True):
            yield _Region(heading, self._ends.get(heading.line, heading.line + 1), stop)

    def _section_items(self, region: _Region) -> Iterator[Item]:
        """The tasks below each H3 of a section, or the H3 itself if it has none."""
        for part in self._regions(3, region.start, region.end):
            tasks = [self._tasks[position] for position in self._bullets(part) if position in self._tasks]
            if not tasks and part.heading is not None and part.heading.level == 3:
                yield self._entry(part, part.heading)
            for task in tasks:
                children = self._texts_of(self._children[task.bullet])
                yield Item(task.title, task.fields, task.tags, task.status, children)

    def _bullets(self, region: _Region) -> range:
        return range(bisect_left(self._bullet_lines, region.start), bisect_left(self._bullet_lines, region.end))

    def _entry(self, region: _Region, heading: Heading) -> Item:
        """The item for an H3 that has no check-boxes below it."""
        lines = self._items.lines[region.start : region.end]
        top = [position for position in self._bullets(region) if self._items.bullets[position].parent is None]
        return Item(
            self._title(heading),
            find_fields(lines),
            all_tags([heading.name, *(line.text for line in lines)]),
            "",
            self._texts_of(top),
        )

    def _title(self, heading: Heading) -> str:
        """The text of an H3 as written, without its anchor and trailing tags."""
        line = self._text[self._scan.lines.start(heading.line) : self._scan.lines.start(heading.line + 1)]
        written = heading_text(line)
        return without_last_tags(written) or written or heading.name

    def _texts_of(self, positions: Sequence[int]) -> tuple[str, ...]:
        bullets = ((position, self._items.bullets[position]) for position in positions)
        texts = (
            self._bullet_text(position, bullet) for position, bullet in bullets if not begins_with_field(bullet.text)
        )
        return tuple(text for text in texts if text)

    def _bullet_text(self, position: int, bullet: Bullet) -> str:
        """A bullet's text with its continuation lines, joined by spaces."""
        texts = [bullet.text]
        for number in range(bullet.line + 1, len(self._items.lines)):
            line = self._items.lines[number]
            if line.kind != "text" or line.bullet != position:
                break
            texts.append(line.text)
        return " ".join(text for text in texts if text)


def _text(value: Any) -> str:
    """A value of the frontmatter as text: lists joined by commas, mappings as JSON, None empty."""
    if isinstance(value, list):
        return ", ".join(_text(entry) for entry in value)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


@dataclass(frozen=True, slots=True, eq=False)
class LoadedFile:
    """A context file with its body and structure for assembly.

    `closing` is the line that closes a fence or comment left open by the file, so that it does not swallow other
    files. `body`, the text without frontmatter, ends with it. `document` has the structure of the body, or is None.
    """

    file: ContextFile
    body: str
    document: Document | None
    closing: str
    digest: bytes
    notices: tuple[Notice, ...]

    @property
    def is_empty(self) -> bool:
        """Whether only its header can be shown."""
        return not self.file.content.strip()


def load_file(
    content: Content, path: str, shown: str, counter: TokenCounter, secrets: Secrets = "keep"
) -> LoadedFile:
    """Load a file from its bytes, `shown` in notices. Raises SecretFound if `secrets` is "fail"."""
    text, damage = _decode(content.data, shown)
    # Kept secrets give no notice, because the specification requires unchanged text.
    text, hidden = (text, ()) if secrets == "keep" else guarded(text, shown, secrets)
    digest = digest_of(text.encode("utf-8", "replace") if hidden else content.data)
    document = Document(shown, text, content.stamp, digest, damage)
    closing, problems = open_end(document)
    name, tokens = bare(shown.rpartition("/")[2]), counter.count(text)
    file = ContextFile(name, path, text, parse(document), tokens)
    is_known = not closing and len(text) <= MAX_CHARACTERS
    return LoadedFile(
        file,
        full_line(document.body) + closing if closing else document.body,
        document if is_known else None,
        closing,
        document.digest,
        (*document.notices, *problems, *hidden),
    )


def _decode(data: bytes, shown: str) -> tuple[str, Notice | None]:
    """The text of a file, always decoded as UTF-8 (loader specification 5), and a notice of damage or None."""
    try:
        text, damage = decode(data, shown)
    except ContextError:
        text, damage = data.decode("utf-8", "replace"), None
    if "\0" in text:
        text = text.replace("\0", "\ufffd")
        damage = damage or Notice("invalid-text", "NUL characters are shown and exported as \ufffd", shown)
    return text, damage
