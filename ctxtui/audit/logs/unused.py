"""Skills, commands, subagents and servers that every start pays for, and whether they are used."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final

from ctxtui.audit.logs import types
from ctxtui.audit.logs.draft import server_name
from ctxtui.audit.logs.predict import Predicted
from ctxtui.audit.logs.types import SentPart, Start

MIN_STARTS: Final = 10
MIN_DAYS: Final = 7
"""A verdict needs this many starts that sent the item, over this many days."""

USED: Final = "used"
UNUSED: Final = "unused"
TOO_FEW: Final = "too few starts"

_TOOL = "mcp__"
_SKILL = "SKILL.md"

Thing = tuple[str, str]
"""The kind and name of a callable item."""
Called = Mapping[Thing, int]


@dataclass(frozen=True, slots=True)
class Use:
    """A skill, command, subagent or server that a start pays for.

    `tokens` are from the newest start that sent it. `sent_in` and `used_in` count starts. `days` lie between the
    first and the last start that sent it. `besides` says whether a conversation without a known start used it, such
    as a continued conversation. `path` is the project's file, None elsewhere.
    """

    kind: str
    name: str
    path: str | None
    tokens: int
    sent_in: int
    used_in: int
    days: int
    last_used: datetime | None
    besides: bool = False

    @property
    def verdict(self) -> str:
        """Used, unused, or too few starts to say."""
        if self.used_in or self.besides:
            return USED
        return UNUSED if self.sent_in >= MIN_STARTS and self.days >= MIN_DAYS else TOO_FEW


def find_uses(
    starts: Sequence[Start],
    predicted: Iterable[Predicted],
    count: Callable[[str], int],
    besides: Called = MappingProxyType({}),
) -> list[Use]:
    """The items that the starts, newest first, sent: unused ones first, then by tokens. `predicted` has paths."""
    paths = {(each.kind, each.name): each.charge.path for each in predicted}
    sent: dict[Thing, list[tuple[Start, str]]] = {}
    for start in starts:
        for thing, text in dict(_sent_things(start, paths)).items():
            sent.setdefault(thing, []).append((start, text))
    files = {thing: paths.get((_LISTS[thing[0]], thing[1])) for thing in sent}
    # Agents also open skill files directly.
    ways = {thing: {thing, *_opened_file(thing, path)} for thing, path in files.items()}
    ends = {end for each in ways.values() for kind, end in each if kind == types.READ}
    called = [(start, _called(start.calls, ends)) for start in starts]
    others = _called(besides, ends)
    uses = []
    for thing, found in sent.items():
        used = [start for start, calls in called if not ways[thing].isdisjoint(calls)]
        days = (found[0][0].time - found[-1][0].time).days
        last = used[0].time if used else None
        is_besides = not ways[thing].isdisjoint(others)
        uses.append(Use(*thing, files[thing], count(found[0][1]), len(found), len(used), days, last, is_besides))
    order = (UNUSED, TOO_FEW, USED)
    return sorted(uses, key=lambda use: (order.index(use.verdict), -use.tokens, use.kind, use.name))


_LISTS: Final = {types.SKILL: types.SKILLS, types.SUBAGENT: types.AGENTS, types.SERVER: types.SERVERS}


def _sent_things(start: Start, paths: Mapping[Thing, str]) -> Iterator[tuple[Thing, str]]:
    """The skills, subagents and servers that a start sent, each with its text."""
    for part in _parts(start, types.SKILLS):
        yield (types.SKILL, part.name), part.text
    for part in _parts(start, types.AGENTS):
        # Other subagents are built into the agent.
        if (types.AGENTS, part.name) in paths:
            yield (types.SUBAGENT, part.name), part.text
    servers: dict[str, list[str]] = {}
    for part in _parts(start, types.SERVERS):
        servers.setdefault(server_name(part.name), []).append(part.text)
    for part in (*_parts(start, types.TOOLS), *_parts(start, types.DEFINITIONS)):
        server, separator, _ = part.name.removeprefix(_TOOL).partition("__")
        if part.name.startswith(_TOOL) and separator:
            servers.setdefault(server, []).append(part.text)
    for server, texts in servers.items():
        yield (types.SERVER, server), "\n".join(texts)


def _parts(start: Start, kind: str) -> list[SentPart]:
    return [part for each in start.of(kind) for part in each.parts if part.name]


def _opened_file(thing: Thing, path: str | None) -> Iterator[Thing]:
    """The use of a skill by opening its file, as the end of the file's path. None for other things.

    `path` is the file in the project, if it is there.
    """
    kind, name = thing
    end = f"/{path}" if path else f"/{name.rpartition(':')[2]}/{_SKILL}"
    if kind == types.SKILL and end.endswith(_SKILL):
        yield types.READ, end


def _called(calls: Called, ends: set[str]) -> frozenset[Thing]:
    """The things called, and each of the `ends` of paths with which an opened file ends."""
    longest = max(map(len, ends), default=0)
    opened = (f"/{name}"[-longest:] for kind, name in calls if kind == types.READ and name.endswith(_SKILL))
    read = ends.intersection(path[at.start() :] for path in opened for at in re.finditer("/", path))
    things = ((kind, server_name(name) if kind == types.SERVER else name) for kind, name in calls)
    return frozenset((*things, *((types.READ, end) for end in read)))
