"""Pages of View, laid out as strips by pure functions in a thread."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from rich.theme import Theme
from textual.strip import Strip

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.plain import plain
from ctxtui.core.base.wording import noun, plural
from ctxtui.core.payload.types import Payload
from ctxtui.core.text.code.highlights import Highlight, Kind, highlights
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.markdown.scan import has_headings, is_markdown, match_key
from ctxtui.core.text.markdown.tasks import BLOCKED, DONE, TODO
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.session.outlines import outline_tokens
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.names import fit_end
from ctxtui.workspace.tree import Node

if TYPE_CHECKING:
    from rich.markdown import MarkdownElement

Changed = Sequence[tuple[int, int]]
"""The first and last line of each change, counted from 1."""

_ITEM: Final = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ ]+(?:\[[ xX]\][ ]+)?")
MAX_SHOWN: Final = 400_000
"""The most characters of a page."""
# Characters. Rendering takes three milliseconds for a thousand.
_MAX_RENDERED: Final = 60_000

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")

PLAIN = Style()
DIM = Style(dim=True)
BOLD = Style(bold=True)
HEADING = Style(bold=True, underline=False, color="cyan")
WARN = Style(color="yellow")
CHANGED = Style(color="green")
SYNTAX: Final[Mapping[Kind, Style]] = {
    "comment": Style(dim=True, italic=True),
    "string": Style(color="green"),
    "number": Style(color="magenta"),
    "keyword": Style(color="blue", bold=True),
    "type": Style(color="cyan"),
    "name": Style(bold=True),
}


@dataclass(frozen=True, slots=True)
class Laid:
    """A page to show: title, remark at the right, lines, the line to scroll to, and whether all lines are there."""

    title: str
    remark: str
    lines: list[Strip]
    at: int | None = None
    is_whole: bool = True


def wrap(text: str, width: int, style: Style = PLAIN) -> list[Strip]:
    """One line of untrusted text, made harmless, in strips of at most `width` columns.

    Later strips are indented like the line, or like the text of its list item.
    """
    clean = _clean(text)
    if cell_len(clean) <= width:
        return [Strip([Segment(clean, style)])]
    width, body = max(1, width), clean.lstrip()
    indent = " " * min(len(clean) - len(body), width // 2)
    # Wrapped list items continue below their text, not below their mark.
    mark = _ITEM.match(body)
    hanging = indent + " " * (len(mark[0]) if mark is not None and len(mark[0]) < width // 4 else 0)
    return [Strip([Segment(piece, style)]) for piece in shown.wrapped(indent + body, width, hanging)]


def text_page(
    session: Session, node: Node, reference: Reference, width: int, rendered: bool, changed: Changed, enough: int
) -> Laid:
    """The text of a document or one of its parts: Markdown rendered or raw, code with the `changed` lines marked.

    At most MAX_SHOWN characters, with lines and tokens as a remark. Markdown is rendered up to the first heading
    behind `enough` characters, long Markdown not at all.
    """
    document, counter = session.workspace.document(reference), session.budget.counter
    title, start, end = reference.path, 0, len(document.text)
    if node.part is None:
        tokens = shown.number(session.workspace.tokens(reference, counter), counter)
        outline = outline_tokens(document, counter, session.workspace.reader.cache)
        if outline is not None:
            tokens = f"{tokens}, outline {shown.number(outline, counter)}"
    else:
        position = document.position(node.part.slug)
        if position is None:
            return message_page(node.title, ["This section no longer exists."], width)
        part = document.parts[position]
        tokens = shown.number(session.workspace.reader.part_sizes(document, counter)[position], counter)
        title = " / ".join([title, *(each.name for each in document.lineage(part))])
        start, end = part.start, part.end
    text = document.text[start : min(end, start + MAX_SHOWN)]
    first = document.text.count("\n", 0, start) + 1
    last = first + document.text.count("\n", start, max(start, end - 1))
    remark = f"lines {first}-{last}, {tokens}"
    rest = ""
    if not has_headings(document.path):
        lines = _code(document, text, start, width, changed)
    elif rendered and len(text) <= _MAX_RENDERED and is_markdown(document.path):
        body = max(0, document.body_start - start)
        cut = next((each.start - start for each in document.parts if each.start - start >= enough), len(text))
        text, rest = text[:cut], text[cut:]
        lines = _raw(document, text[:body], start, width) + render_markdown(text[body:], width)
    else:
        lines = _raw(document, text, start, width)
    if end - start > MAX_SHOWN:
        lines += wrap(f"… only {MAX_SHOWN:,} characters are shown; the export has them all", width, WARN)
    return Laid(title, remark, lines, is_whole=not rest)


def _code(document: Document, text: str, start: int, width: int, changed: Changed) -> list[Strip]:
    """Lines for `text`, which begins at character `start` of a document: line numbers, change marks, syntax."""
    first = document.text.count("\n", 0, start)
    found = highlights(document.path, document.text)
    lines = _lines(text)
    digits = len(str(first + len(lines)))
    room = max(1, width - digits - 2)
    marked = {number for begin, end in changed for number in range(begin, end + 1)}
    strips: list[Strip] = []
    for number, line in enumerate(lines, first):
        colored = Strip(list(_segments(line, found.get(number, ()))))
        pieces = colored.divide([*_breaks(colored.text, room), colored.cell_length])
        mark = Segment("▎ ", CHANGED) if number + 1 in marked else Segment("  ")
        for place, piece in enumerate(pieces):
            gutter = f"{number + 1 if place == 0 else '':>{digits}}"
            strips.append(Strip([Segment(gutter, DIM), mark, *piece]))
    return strips


def _breaks(line: str, room: int) -> Iterator[int]:
    """The columns, from 0, where a line of code breaks to fit `room`: behind spaces, in words only if too wide."""
    begin = at = 0
    for word in re.findall(r"\S+\s*|\s+", line) if cell_len(line) > room else ():
        if begin < at and at + cell_len(word.rstrip()) > begin + room:
            yield (begin := at)
        at += cell_len(word)
        while at > begin + room:
            yield (begin := begin + room)


def _segments(line: str, found: Sequence[Highlight]) -> Iterator[Segment]:
    """A line in harmless segments, colored by the highlights `found`, whose ranges count bytes of UTF-8."""
    data, at = line.encode("utf-8", "surrogatepass"), 0
    for start, end, kind in (*found, (len(data), len(data), None)):
        yield Segment(_clean(data[at:start].decode("utf-8", "replace")), PLAIN)
        yield Segment(_clean(data[start:end].decode("utf-8", "replace")), SYNTAX[kind] if kind else PLAIN)
        at = end


def _clean(line: str) -> str:
    """One line of untrusted text, made harmless."""
    return plain(line).replace("\n", " ").replace("\t", "    ")


def _raw(document: Document, text: str, start: int, width: int) -> list[Strip]:
    """Lines for `text`, which begins at character `start` of a document: headings bold, frontmatter and code dim."""
    scan, body = document.scan, document.body_start
    headings = {heading.line for heading in scan.headings}
    lines: list[Strip] = []
    offset = start
    for line in _LINE.findall(text):
        number = scan.lines.at(offset - body) if offset >= body else -1
        style = DIM if number < 0 or number in scan.code else HEADING if number in headings else PLAIN
        lines += wrap(line.rstrip("\r\n"), width, style)
        offset += len(line)
    return lines


def render_markdown(text: str, width: int) -> list[Strip]:
    """Rendered Markdown, in lines of at most `width` columns."""
    # Takes a while to import, and the tree comes first.
    from rich.markdown import Heading, Markdown  # noqa: PLC0415

    class LeftHeading(Heading):
        """A heading at the left, where headings of raw texts are."""

        def __rich_console__(self, *_: object) -> Iterator[Text]:
            self.text.justify = "left"
            yield self.text

    class Left(Markdown):
        elements: ClassVar[dict[str, type[MarkdownElement]]] = {**Markdown.elements, "heading_open": LeftHeading}

    headings = Theme({f"markdown.h{level}": HEADING for level in range(1, 7)})
    console = Console(width=width, file=io.StringIO(), force_terminal=True, color_system="truecolor", theme=headings)
    lines = console.render_lines(Left(plain(text), code_theme="ansi_dark", hyperlinks=False), pad=False)
    return [Strip(line) for line in dropwhile(lambda line: not any(each.text.strip() for each in line), lines)]


def reference_page(session: Session, node: Node, width: int) -> Laid:
    reference = node.reference
    if reference is None:
        return Laid(node.title, "", [])
    rows = _fields(session, reference)
    label = max(cell_len(name) for name, _ in rows) + 2
    lines: list[Strip] = []
    for name, value in rows:
        for place, piece in enumerate(wrap(value, max(8, width - label))):
            head = Segment(" " * label) if place else Segment(set_cell_size(name, label), DIM)
            lines.append(Strip([head, *piece]))
    lines += [Strip([]), *_declared_sections(session, reference, width), *_items(session, reference, width)]
    return Laid(reference.path, "", lines)


def _fields(session: Session, reference: Reference) -> list[tuple[str, str]]:
    """The names and values of a document's metadata, without empty values."""
    details, counter = reference.details, session.budget.counter
    try:
        tokens = shown.number(session.workspace.tokens(reference, counter), counter)
    except ContextError as error:
        tokens = f"unknown: {error.message}"
    loads = (load for load in session.workspace.loads if load.path == reference.path)
    links = details.cross_domain_triggers
    rows = [
        ("id", reference.id),
        ("path", reference.path),
        ("source", reference.source),
        ("title", reference.title),
        ("domain", details.domain or ""),
        ("type", details.type or ""),
        ("strategy", reference.strategy or ""),
        ("tokens", f"{tokens} ({counter.name}) with frontmatter"),
        ("declared", f"{details.declared_tokens:,}" if details.declared_tokens is not None else ""),
        ("tags", ", ".join(details.tags)),
        ("detection", ", ".join(details.detection_triggers)),
        ("links", f"{', '.join(links)}   (enter follows)" if links else ""),
        *(
            ("loaded by" if place == 0 else "", f"{load.agent_name}: {load.moment} ({load.reason})")
            for place, load in enumerate(loads)
        ),
    ]
    known = {"id", "domain", "title", "type", "estimatedTokens", "loadingStrategy", "sections", "tags"}
    known |= {"crossDomainTriggers", "detectionTriggers"}
    rows += [(str(key), str(value)) for key, value in details.values.items() if key not in known]
    return [(shown.line(name), value) for name, value in rows if value]


def _declared_sections(session: Session, reference: Reference, width: int) -> Iterable[Strip]:
    """A table of the sections in the frontmatter with declared and counted tokens. Empty without any."""
    declared = {match_key(section.name): section for section in reference.details.sections}
    if not declared:
        return
    try:
        document = session.workspace.document(reference)
        sizes = session.workspace.reader.part_sizes(document, session.budget.counter)
    except ContextError:
        return
    label = session.budget.counter.label
    yield Strip([Segment("declared sections".ljust(max(20, width - 24)), DIM), Segment(f"declared {label:>7}", DIM)])
    exact = {match_key(part.name): size for part, size in zip(document.parts, sizes, strict=True) if part.level}
    for key, section in declared.items():
        claim = "" if section.estimated_tokens is None else f"{section.estimated_tokens:,}"
        size = shown.number(exact[key], session.budget.counter) if key in exact else "no such heading"
        name = set_cell_size(fit_end(shown.line(section.name), max(8, width - 26)), max(20, width - 24))
        style = PLAIN if key in exact else WARN
        yield Strip([Segment(f"{name}{claim:>8} {size:>7}", style)])


def _items(session: Session, reference: Reference, width: int) -> Iterator[Strip]:
    """Lines about a document: its task counts by status, the tasks not yet done, the dated sections, newest first."""
    try:
        document = session.workspace.document(reference)
    except ContextError:
        return
    counts = Counter(task.status for task in document.tasks)
    if counts:
        told = ", ".join(f"{counts[status]} {status}" for status in (TODO, BLOCKED, DONE) if counts[status])
        yield from [Strip([]), Strip([Segment(f"tasks: {told}", DIM)])]
    for task in document.tasks:
        if task.status != DONE:
            tags = "".join(f" #{tag}" for tag in task.tags)
            style = WARN if task.status == BLOCKED else PLAIN
            yield from wrap(f"  {task.status:<8}{task.title}{tags}", width, style)
    dated = sorted(
        ((date, part.name) for date, part in zip(document.section_dates, document.parts, strict=True) if date),
        reverse=True,
    )
    if dated:
        yield from [Strip([]), Strip([Segment(f"dated sections: {len(dated)}", DIM)])]
    for date, name in dated:
        yield from wrap(f"  {date}  {name.replace(date, '', 1).strip(' :-–—')}", width)


def output_page(payload: Payload, id_: str | None, width: int, counter: TokenCounter) -> Laid:
    """The exported text, scrolled to the block `id_`. Beyond MAX_SHOWN characters, this or the first block alone."""
    at = None
    lines: list[Strip] = []
    size = len(payload.text)
    remark = f"{shown.of_payload(payload, counter)} {noun(payload.best, 'token')}, {plural(size, 'character')}"
    if size > MAX_SHOWN:
        blocks = [block for block in payload.blocks if block.id == id_] or list(payload.blocks[:1])
        for block in blocks:
            lines += plain_lines(block.text[:MAX_SHOWN], width)
        return Laid("Output", f"{remark}, one block shown", lines)
    text = payload.text
    marker = next((block.text for block in payload.blocks if block.id == id_ and block.text), None)
    place = text.find(marker) if marker else -1
    if place > 0:
        lines = plain_lines(text[:place], width)
        at = max(0, len(lines) - 1)
        text = text[place:]
    lines += plain_lines(text, width)
    return Laid("Output", remark, lines, at)


def plain_lines(text: str, width: int) -> list[Strip]:
    """Untrusted text, made harmless, in strips of at most `width` columns."""
    return [strip for line in _lines(text) for strip in wrap(line, width)]


def _lines(text: str) -> list[str]:
    """The lines of a text without their ends. An end of the last line begins no other."""
    lines = text.split("\n")
    return [line.rstrip("\r") for line in (lines if lines[-1] else lines[:-1])]


# Colors of the lines of a diff, by their beginnings.
_OF_DIFF: Final = {
    ("+++ ", "--- ", "diff "): BOLD,
    ("@@ ",): Style(color="cyan"),
    ("+",): Style(color="green"),
    ("-",): Style(color="red"),
}


def diff_lines(text: str, width: int) -> list[Strip]:
    """An untrusted diff, made harmless and colored, in strips of at most `width` columns."""
    strips: list[Strip] = []
    for line in _lines(text):
        style = next((style for begins, style in _OF_DIFF.items() if line.startswith(begins)), PLAIN)
        strips += wrap(line, width, style)
    return strips


def message_page(title: str, lines: Sequence[str], width: int) -> Laid:
    """A few trusted lines, for states without text."""
    return Laid(title, "", [strip for line in lines for strip in wrap(line, width, DIM)])
