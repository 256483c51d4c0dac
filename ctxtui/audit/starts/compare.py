"""A captured request against the table of agents: which text of which file was sent, and in which category."""

from __future__ import annotations

import html
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ctxtui.agents import AgentContext, Charge
from ctxtui.agents.capture.launches import CATEGORIES, Launch
from ctxtui.agents.capture.wires import SYSTEM, TOOL, Part
from ctxtui.agents.frontmatter import find_block
from ctxtui.agents.types import AT_START
from ctxtui.audit.starts.types import Category, FileStart, Sent
from ctxtui.core.tokens.counter import TokenCounter

MEMORY, SKILLS, AGENTS, OTHER = "memory files", "skills", "agents", "other"
_PROMPT, _BUILT_IN, _MCP = "system prompt", "built-in tools", "MCP tools"
_OF_KIND: Final = {"skill": SKILLS, "command": SKILLS, "agent": AGENTS}
_MCP_NAME: Final = re.compile(r"mcp_")

# Characters: shorter texts are found by chance.
_LEAST_TEXT: Final = 24
_LEAST_DESCRIPTION: Final = 12
_DESCRIPTION: Final = 60
_TOP: Final = 4000
_DESCRIBED: Final = re.compile(
    r"""^["']?description["']?\s*[:=]\s*["']?(?:[|>][-+]?\s*\n\s*)?(.*?)["']?$""", re.MULTILINE
)
_HEADINGS: Final = re.compile(r"^#+[ \t].*$", re.MULTILINE)
_HEADING_SIGNS: Final = re.compile(r"^#+\s+")
# Lines with an import become the imported text, and some agents escape or trim a line.
_MOST_LINES_LOST: Final = 0.1


class Hit(NamedTuple):
    """A stretch of one part that belongs to a file."""

    part: int
    start: int
    end: int


@dataclass(slots=True)
class _Request:
    """The parts of a request with what was claimed of them, so that two files never claim one text."""

    parts: Sequence[Part]
    lists: Sequence[Hit] = ()
    claimed: list[Hit] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.plain = [_plain(part) for part in self.parts]

    def find(self, text: str, least: int) -> Hit | None:
        """The first unclaimed place of a text."""
        if len(text) < least:
            return None
        for place, part in enumerate(self.parts):
            start = part.text.find(text)
            while start >= 0:
                hit = Hit(place, start, start + len(text))
                if not self.is_claimed(hit):
                    return hit
                start = part.text.find(text, start + 1)
        return None

    def claim(self, hit: Hit) -> Hit:
        self.claimed.append(hit)
        return hit

    def is_claimed(self, hit: Hit) -> bool:
        return any(each.part == hit.part and each.start < hit.end and hit.start < each.end for each in self.claimed)


def compared(
    parts: Sequence[Part],
    launch: Launch | None,
    context: AgentContext | None,
    others: Mapping[str, str],
    read: Callable[[str], str | None],
    counter: TokenCounter,
) -> tuple[tuple[Category, ...], tuple[FileStart, ...]]:
    """The categories of a request, which add up to its tokens, and the files of the project in it.

    `others` are further files of agents, by path, with the category that their kind has elsewhere.
    """
    sections = list(_sections(parts, launch))
    request = _Request(parts, [hit for hit, category in sections if category != MEMORY and _is_names(hit, parts)])
    files = list(_files(request, context, others, read, counter))
    predicted = predicted_categories(context)
    tokens = dict.fromkeys(CATEGORIES, 0)
    for place, part in enumerate(parts):
        for name, count in _divided(place, part, sections, files, counter):
            tokens[name] += count
    categories = (Category(name, predicted.get(name, 0), tokens[name]) for name in CATEGORIES)
    shown = tuple(each for each in categories if each.predicted or each.captured)
    return shown, tuple(each.file for each in files if each.file.predicted or each.file.sent != "absent")


def predicted_files(context: AgentContext) -> tuple[FileStart, ...]:
    """The files of a start as the table of agents predicts them."""
    found: dict[str, FileStart] = {}
    for charge in context.charges:
        if charge.start_tokens:
            before = found[charge.path].predicted if charge.path in found else 0
            tokens = before + charge.start_tokens
            found[charge.path] = FileStart(charge.path, category_of(charge), _expected(charge), tokens)
    return tuple(found.values())


def predicted_categories(context: AgentContext | None) -> dict[str, int]:
    tokens: dict[str, int] = {}
    for file in predicted_files(context) if context else ():
        tokens[file.category] = tokens.get(file.category, 0) + file.predicted
    return tokens


def category_of(charge: Charge) -> str:
    return _OF_KIND.get(charge.row.kind, MEMORY)


def _expected(charge: Charge) -> Sent:
    if charge.moment in AT_START and charge.tokens:
        return "cut" if charge.lost else "whole"
    return "listed" if charge.start_tokens else "absent"


class _Found(NamedTuple):
    file: FileStart
    hit: Hit | None


def _files(
    request: _Request,
    context: AgentContext | None,
    others: Mapping[str, str],
    read: Callable[[str], str | None],
    counter: TokenCounter,
) -> Iterator[_Found]:
    """The files that are predicted, then all others: a text that two of them share belongs to the predicted one."""
    charges: dict[str, list[Charge]] = {}
    for charge in context.charges if context else ():
        charges.setdefault(charge.path, []).append(charge)
    expected = {path: max(each, key=lambda charge: charge.start_tokens) for path, each in charges.items()}
    for path, charge in sorted(expected.items(), key=lambda each: not each[1].start_tokens):
        tokens = sum(each.start_tokens for each in charges[path])
        before = FileStart(path, category_of(charge), _expected(charge) if tokens else "absent", tokens)
        if tokens or charge.use == "read":
            yield _found(request, before, charge, read(path) or "", counter)
    for path, category in others.items():
        if path not in expected:
            yield _found(request, FileStart(path, category, "absent", 0), None, read(path) or "", counter)


def _found(request: _Request, file: FileStart, charge: Charge | None, text: str, counter: TokenCounter) -> _Found:
    sent, hit, tokens = _sent(request, file, charge, text, counter)
    return _Found(FileStart(file.path, file.category, file.expected, file.predicted, sent, tokens), hit)


def _sent(
    request: _Request, file: FileStart, charge: Charge | None, text: str, counter: TokenCounter
) -> tuple[Sent, Hit | None, int]:
    """In which form a file was sent, where, and with how many tokens."""
    entry = charge.entry.text.strip() if charge and charge.entry else ""
    for each in dict.fromkeys((entry, json.dumps(entry, ensure_ascii=False)[1:-1])) if entry else ():
        if hit := request.find(each, _LEAST_DESCRIPTION):
            return "listed", request.claim(hit), charge.entry.tokens if charge and charge.entry else 0
    if file.category == MEMORY:
        whole = _whole(request, charge, text, counter)
        if whole:
            return whole
    named = _listed(request, file.path, text, charge)
    if named:
        request.claim(named)
        return "listed", named, counter.count(request.parts[named.part].text[named.start : named.end])
    return "absent", None, 0


def _whole(
    request: _Request, charge: Charge | None, text: str, counter: TokenCounter
) -> tuple[Sent, Hit | None, int] | None:
    body = _body(text)
    predicted = charge.text(text) if charge and charge.kept is not None else text
    for each in dict.fromkeys((predicted, text, body)):
        hit = request.find(each.strip(), _LEAST_TEXT)
        if hit:
            is_cut = len(each.strip()) < len(body.strip()) and bool(charge and charge.lost)
            tokens = counter.count(each) if each != predicted or not charge else charge.tokens or 0
            return ("cut" if is_cut else "whole"), request.claim(hit), tokens
    return _by_lines(request, _body(predicted), counter, charge.tokens if charge else None)


def _by_lines(
    request: _Request, body: str, counter: TokenCounter, predicted: int | None
) -> tuple[Sent, Hit | None, int] | None:
    """A text that is found line by line: comments are gone, imports are expanded, the end is cut."""
    lines = [line.strip() for line in body.splitlines() if line.strip() and not line.lstrip().startswith("<!--")]
    if sum(map(len, lines)) < _LEAST_TEXT:
        return None
    for place, part in enumerate(request.parts):
        cursor, found, sent = 0, list[Hit](), list[str]()
        for line in lines:
            at = part.text.find(line, cursor)
            if at >= 0 and not request.is_claimed(hit := Hit(place, at, at + len(line))):
                cursor = hit.end
                found.append(hit)
                sent.append(line)
        # Short lines alone are found anywhere.
        if sum(map(len, sent)) < max(_LEAST_TEXT, sum(map(len, lines)) / 2):
            continue
        # Lines alone are claimed: between them, imported text belongs to other files.
        request.claimed += found
        hit = Hit(place, found[0].start, cursor)
        plain = [line for line in lines if "@" not in line]
        lost = len([line for line in plain if line not in sent]) / max(len(plain), 1)
        if lost <= _MOST_LINES_LOST:
            return "whole", hit, predicted or counter.count(body)
        return "cut", hit, counter.count("\n".join(sent))
    return None


def _listed(request: _Request, path: str, text: str, charge: Charge | None) -> Hit | None:
    """The entry of a file in a list: by its name and the beginning of a text, or in a list of names by its name."""
    name = charge.entry.name if charge and charge.entry else _name(path)
    body = _collapsed(_HEADINGS.sub("", _body(text)))
    heading = _collapsed(_HEADING_SIGNS.sub("", _body(text).strip()))
    beginnings = (each[:_DESCRIPTION] for each in (_collapsed(_described(text)), body, heading))
    wanted = [each for each in beginnings if len(each) >= _LEAST_DESCRIPTION]
    for place, plain in enumerate(request.plain):
        if any(each in plain for each in wanted):
            hit = _entry(request.parts[place].text, place, dict.fromkeys((name, _name(path))), path)
            if hit and not request.is_claimed(hit):
                return hit
    for place, start, end in request.lists:
        found = re.compile(rf"(?<![\w/-]){re.escape(name)}(?![\w/-])").search(request.parts[place].text, start, end)
        if found and not request.is_claimed(hit := Hit(place, found.start(), found.end())):
            return hit
    return None


def _entry(text: str, place: int, names: Iterable[str], path: str) -> Hit | None:
    """The stretch of a list entry: a block of XML, a line, a row of a table."""
    word = f"(?:{'|'.join(map(re.escape, names))})"
    for pattern in (
        rf"<(\w+)>\s*<name>\s*{word}\s*</name>.*?</\1>",
        rf"^\|.*{re.escape(path)}.*$",
        rf"(?:^|\\n)[ \t]*(?:[-*][ \t]+)?\**(?:[\w-]+:)?{word}\**:.*?(?=\\n|\x22,|$)",
    ):
        found = re.search(pattern, text, re.DOTALL if pattern.startswith("<") else re.MULTILINE)
        if found:
            return Hit(place, found.start(), found.end())
    return None


def _name(path: str) -> str:
    folder, _, file = path.rpartition("/")
    return folder.rpartition("/")[2] if file == "SKILL.md" else file.partition(".")[0]


def _body(text: str) -> str:
    block = find_block(text)
    return text if block is None else text[block.body :]


def _described(text: str) -> str:
    found = _DESCRIBED.search(text, 0, _TOP)
    return found[1] if found else ""


def _collapsed(text: str) -> str:
    return " ".join(text.split())


def _plain(part: Part) -> str:
    """A part in which descriptions are found however they were escaped or broken into lines."""
    text = part.text
    if part.place == TOOL:
        with suppress(ValueError, RecursionError):
            text = "\n".join(_strings(json.loads(text)))
    return _collapsed(html.unescape(text))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def _sections(parts: Sequence[Part], launch: Launch | None) -> Iterator[tuple[Hit, str]]:
    """The stretches of a request that a launch assigns to categories."""
    for category, patterns in launch.sections.items() if launch else ():
        for pattern in patterns:
            for place, part in enumerate(parts):
                for found in re.finditer(pattern, part.text, re.DOTALL):
                    yield Hit(place, found.start(), found.end()), category


def _is_names(hit: Hit, parts: Sequence[Part]) -> bool:
    """Whether a stretch is a list of names on one line, without descriptions."""
    text = parts[hit.part].text[hit.start : hit.end]
    return "\n" not in text and "\\n" not in text and "<" not in text


def _divided(
    place: int, part: Part, sections: Sequence[tuple[Hit, str]], files: Sequence[_Found], counter: TokenCounter
) -> Iterator[tuple[str, int]]:
    """The tokens of one part by category. They are differences of counts of beginnings, so they add up."""
    claimed = [(each.hit, each.file.category) for each in files if each.hit and each.hit.part == place]
    own = [(hit, category) for hit, category in sections if hit.part == place]
    owners = _owners([*claimed, *own], len(part.text), _usual(part))
    counts = [0, *counter.counts([part.text[:end] for end, _ in owners])]
    for (_, category), before, after in zip(owners, counts, counts[1:], strict=False):
        yield category, after - before


def _owners(stretches: Sequence[tuple[Hit, str]], length: int, usual: str) -> list[tuple[int, str]]:
    """The category up to each offset. Where stretches overlap, the widest decides."""
    edges = sorted({0, length, *(edge for hit, _ in stretches for edge in (hit.start, hit.end))})
    ordered = sorted(stretches, key=lambda each: each[0].end - each[0].start)
    owners = [usual] * max(len(edges) - 1, 0)
    for hit, category in ordered:
        first, last = bisect_right(edges, hit.start) - 1, bisect_right(edges, hit.end) - 1
        owners[first:last] = [category] * (last - first)
    merged: list[tuple[int, str]] = []
    for end, owner in zip(edges[1:], owners, strict=True):
        if merged and merged[-1][1] == owner:
            merged.pop()
        merged.append((end, owner))
    return merged


def _usual(part: Part) -> str:
    if part.place == TOOL:
        return _MCP if _MCP_NAME.match(part.name) else _BUILT_IN
    return _PROMPT if part.place == SYSTEM else OTHER
