"""A captured request against the table of agents: which text of which file was sent, and in which form."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from ctxtui.agents import AgentContext, Charge
from ctxtui.agents.capture.categories import (
    AGENTS,
    CATEGORIES,
    MEMORY,
    SKILLS,
    Hit,
    sections,
    tokens_by_category,
)
from ctxtui.agents.capture.launches import Launch
from ctxtui.agents.capture.wires import TOOL, Part
from ctxtui.agents.project.configuration import parse_data
from ctxtui.agents.project.frontmatter import find_block, read_lines, read_yaml
from ctxtui.agents.types import AT_START
from ctxtui.audit.starts.types import Category, FileStart, Sent
from ctxtui.core.tokens.counter import TokenCounter

_OF_KIND: Final = {"skill": SKILLS, "command": SKILLS, "agent": AGENTS}
# Characters: shorter texts are found by chance.
_LEAST_TEXT: Final = 24
_LEAST_DESCRIPTION: Final = 12
_DESCRIPTION: Final = 60
_HEADINGS: Final = re.compile(r"^#+[ \t].*$", re.MULTILINE)
_HEADING_SIGNS: Final = re.compile(r"^#+\s+")
# Lines with an import become the imported text, and some agents escape or trim a line.
_MOST_LINES_LOST: Final = 0.1

Read = Callable[[str], str | None]


def compare_capture(
    parts: Sequence[Part],
    launch: Launch | None,
    context: AgentContext | None,
    others: Mapping[str, str],
    read: Read,
    counter: TokenCounter,
) -> tuple[tuple[Category, ...], tuple[FileStart, ...]]:
    """Compare a captured request with the table of agents: tokens by category, and files sent or expected.

    The categories add up to the request. `others` are further files by path, each with its category for other agents.
    """
    known = sections(parts, launch)
    lists = [hit for hit, category in known if category != MEMORY and _is_list_of_names(hit, parts)]
    request = _Request(parts, lists, [_searchable(part) for part in parts], counter)
    found = list(_files(request, context, others, read))
    claimed = [(each.hit, file.category) for file, each in found if each.hit]
    tokens = tokens_by_category(parts, [*claimed, *known], counter, _tools_of_servers(context))
    predicted = predicted_categories(context)
    categories = (Category(name, predicted.get(name, 0), tokens[name]) for name in CATEGORIES)
    files = (replace(file, sent=each.form, sent_tokens=each.tokens) for file, each in found)
    return (
        tuple(each for each in categories if each.predicted or each.captured),
        tuple(each for each in files if each.predicted or each.sent != "absent"),
    )


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


def _tools_of_servers(context: AgentContext | None) -> re.Pattern[str] | None:
    """A pattern of the names that tools of the project's MCP servers have for this agent, or None without servers."""
    servers = context.agent.servers if context else None
    parts = context.uncounted if context else ()
    names = [re.sub(r"[^\w-]", "_", name) for part in parts if part.what == "MCP server" for name in part.names]
    if servers is None or not names:
        return None
    server, tool = f"(?:{'|'.join(map(re.escape, names))})", ".+"
    return re.compile(re.escape(servers.tool).replace(r"\{server\}", server).replace(r"\{tool\}", tool))


def _is_list_of_names(hit: Hit, parts: Sequence[Part]) -> bool:
    """Whether the text at `hit` is a list of names on one line, without descriptions."""
    text = parts[hit.part].text[hit.start : hit.end]
    return "\n" not in text and "\\n" not in text and "<" not in text


class _SentForm(NamedTuple):
    """The form in which a file was sent, its place in the request, and its tokens."""

    form: Sent = "absent"
    hit: Hit | None = None
    tokens: int = 0


@dataclass(slots=True)
class _Request:
    """The parts of a request. `plain` are their texts to search for descriptions, `lists` its lists of bare names.

    `claimed` are places that files have taken, so that no text counts for two files.
    """

    parts: Sequence[Part]
    lists: Sequence[Hit]
    plain: Sequence[str]
    counter: TokenCounter
    claimed: list[Hit] = field(default_factory=list)

    def first_free(self, text: str, least: int) -> Hit | None:
        """The first place of `text` that no file has claimed, or None. Texts below `least` characters give None."""
        for place, part in enumerate(self.parts) if len(text) >= least else ():
            start = part.text.find(text)
            while start >= 0:
                if self.is_free(hit := Hit(place, start, start + len(text))):
                    return hit
                start = part.text.find(text, start + 1)
        return None

    def is_free(self, hit: Hit) -> bool:
        return not any(
            each.part == hit.part and each.start < hit.end and hit.start < each.end for each in self.claimed
        )


def _files(
    request: _Request, context: AgentContext | None, others: Mapping[str, str], read: Read
) -> Iterator[tuple[FileStart, _SentForm]]:
    """Each file and its form in the request. Predicted files come first, to claim text that other files share."""
    charges: dict[str, list[Charge]] = {}
    for charge in context.charges if context else ():
        charges.setdefault(charge.path, []).append(charge)
    expected = {path: max(each, key=lambda charge: charge.start_tokens) for path, each in charges.items()}
    for path, charge in sorted(expected.items(), key=lambda each: not each[1].start_tokens):
        tokens = sum(each.start_tokens for each in charges[path])
        file = FileStart(path, category_of(charge), _expected(charge) if tokens else "absent", tokens)
        if tokens or charge.use == "read":
            yield file, _claim_sent_form(request, file, charge, read(path) or "")
    for path, category in others.items():
        if path not in expected:
            file = FileStart(path, category, "absent", 0)
            yield file, _claim_sent_form(request, file, None, read(path) or "")


def _claim_sent_form(request: _Request, file: FileStart, charge: Charge | None, text: str) -> _SentForm:
    found = _claim_predicted_entry(request, charge)
    if not found and file.category == MEMORY:
        found = _claim_file_text(request, charge, text)
    return found or _claim_entry(request, file.path, text, charge) or _SentForm()


def _claim_predicted_entry(request: _Request, charge: Charge | None) -> _SentForm | None:
    """The line that the table predicts for a file in a list, as it is or within JSON. None if it is missing."""
    if charge is None or charge.entry is None:
        return None
    line = charge.entry.text.strip()
    for each in dict.fromkeys((line, json.dumps(line, ensure_ascii=False)[1:-1])):
        if hit := request.first_free(each, _LEAST_DESCRIPTION):
            request.claimed.append(hit)
            return _SentForm("listed", hit, charge.entry.tokens)
    return None


def _claim_file_text(request: _Request, charge: Charge | None, text: str) -> _SentForm | None:
    """A file found as the table predicts it, whole, without frontmatter, or line by line. None if it is missing."""
    body = _without_frontmatter(text)
    predicted = charge.text(text) if charge and charge.kept is not None else text
    for each in dict.fromkeys((predicted, text, body)):
        if hit := request.first_free(each.strip(), _LEAST_TEXT):
            request.claimed.append(hit)
            is_cut = len(each.strip()) < len(body.strip()) and bool(charge and charge.lost)
            tokens = request.counter.count(each) if each != predicted or not charge else charge.tokens or 0
            return _SentForm("cut" if is_cut else "whole", hit, tokens)
    return _claim_lines(request, _without_frontmatter(predicted), charge.tokens if charge else None)


def _claim_lines(request: _Request, body: str, predicted: int | None) -> _SentForm | None:
    """A file found line by line, since agents drop comments and expand imports. None if less than half is there."""
    lines = [line.strip() for line in body.splitlines() if line.strip() and not line.lstrip().startswith("<!--")]
    size = sum(map(len, lines))
    for place, part in enumerate(request.parts) if size >= _LEAST_TEXT else ():
        cursor, found, sent = 0, list[Hit](), list[str]()
        for line in lines:
            at = part.text.find(line, cursor)
            if at >= 0 and request.is_free(hit := Hit(place, at, at + len(line))):
                cursor = hit.end
                found.append(hit)
                sent.append(line)
        # Short lines alone are found anywhere.
        if sum(map(len, sent)) < max(_LEAST_TEXT, size / 2):
            continue
        # Lines alone are claimed: between them, imported text belongs to other files.
        request.claimed += found
        hit = Hit(place, found[0].start, cursor)
        plain = [line for line in lines if "@" not in line]
        lost = len([line for line in plain if line not in sent]) / max(len(plain), 1)
        if lost <= _MOST_LINES_LOST:
            return _SentForm("whole", hit, predicted or request.counter.count(body))
        return _SentForm("cut", hit, request.counter.count("\n".join(sent)))
    return None


def _claim_entry(request: _Request, path: str, text: str, charge: Charge | None) -> _SentForm | None:
    """The entry of a file in a list, found by its name and description, or in a list of bare names, or None."""
    name = charge.entry.name if charge and charge.entry else _entry_name(path)
    hits = (
        *_described_entries(request, path, text, dict.fromkeys((name, _entry_name(path)))),
        *_names_in_lists(request, name),
    )
    for hit in filter(request.is_free, hits):
        request.claimed.append(hit)
        return _SentForm("listed", hit, request.counter.count(request.parts[hit.part].text[hit.start : hit.end]))
    return None


def _described_entries(request: _Request, path: str, text: str, names: Iterable[str]) -> Iterator[Hit]:
    """Entries under one of the names in parts that have the file's description or beginning."""
    body = _without_frontmatter(text)
    texts = (_description(path, text), _HEADINGS.sub("", body), _HEADING_SIGNS.sub("", body.strip()))
    beginnings = [each[:_DESCRIPTION] for each in map(_collapsed, texts) if len(each) >= _LEAST_DESCRIPTION]
    for place, plain in enumerate(request.plain):
        if any(each in plain for each in beginnings):
            part = request.parts[place]
            hits = [Hit(place, *found) for found in _entry_ranges(part, names, path)]
            # An agent may have an entry of its own with this name.
            yield from sorted(hits, key=lambda hit: not any(each in _plain_text_at(part, hit) for each in beginnings))


def _plain_text_at(part: Part, hit: Hit) -> str:
    return _collapsed(html.unescape(part.text[hit.start : hit.end]))


def _names_in_lists(request: _Request, name: str) -> Iterator[Hit]:
    for place, start, end in request.lists:
        found = re.compile(rf"(?<![\w/-]){re.escape(name)}(?![\w/-])").search(request.parts[place].text, start, end)
        if found:
            yield Hit(place, found.start(), found.end())


def _entry_ranges(part: Part, names: Iterable[str], path: str) -> Iterator[tuple[int, int]]:
    """The character ranges of list entries for one of the names or the path: XML blocks, lines and table rows."""
    word = f"(?:{'|'.join(map(re.escape, names))})"
    # In the JSON of a tool, line ends are escaped, and a quote ends the text.
    edge, end = (r"(?:^|\\n)", r"(?=\\n|\x22|$)") if part.place == TOOL else ("^", "$")
    for pattern, flags in (
        (rf"<(\w+)>\s*<name>\s*{word}\s*</name>.*?</\1>", re.DOTALL),
        (rf"^\|.*{re.escape(path)}.*$", re.MULTILINE),
        (rf"{edge}[ \t]*(?:[-*][ \t]+)?\**(?:[\w-]+:)?{word}\**:.*?{end}(?:\n[ \t]+\w+: .*)*", re.MULTILINE),
    ):
        yield from (found.span() for found in re.finditer(pattern, part.text, flags))


def _entry_name(path: str) -> str:
    folder, _, file = path.rpartition("/")
    return folder.rpartition("/")[2] if file == "SKILL.md" else file.partition(".")[0]


def _without_frontmatter(text: str) -> str:
    block = find_block(text)
    return text if block is None else text[block.body :]


def _description(path: str, text: str) -> str:
    """The description of a skill, command or agent, in frontmatter or data, empty without one."""
    block = find_block(text)
    data = parse_data(path, text)
    if block:
        values = read_yaml(block.text)
        # Of frontmatter that is not YAML, agents take the value on the line of its key.
        at_edge = (line for line in block.text.split("\n") if not line[:1].isspace())
        data = values.meta if values else read_lines("\n".join(at_edge))
    found = data.get("description")
    return found if isinstance(found, str) else ""


def _collapsed(text: str) -> str:
    return " ".join(text.split())


def _searchable(part: Part) -> str:
    """The text of a part without escapes and line breaks, to search for descriptions."""
    text = part.text
    if part.place == TOOL:
        with suppress(ValueError, RecursionError):
            text = "\n".join(_strings(json.loads(text)))
    return _collapsed(html.unescape(text))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)
