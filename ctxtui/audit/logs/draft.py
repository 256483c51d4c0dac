"""A start while its transcript is read, filled record by record."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from ctxtui.audit.logs.types import READ, SERVER, Billed, Calls, Sent, SentPart, Start, a_time

MAX_NAME: Final = 300
_MAX_SENT: Final = 16 * 1024 * 1024
_MAX_NAMES: Final = 20_000
_MAX_KINDS: Final = 200
_SERVER = re.compile(r"mcp__(.{1,100}?)__")
_NAME = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(slots=True)
class StartDraft:
    """The start that is being read from a transcript.

    `is_answered` is set when the first answer begins, because later text is not part of the first request. `is_copy`:
    the transcript repeats an earlier conversation. `is_subagent`: it belongs to a subagent of the conversation
    `owner`. `has_own`: some records belong to the conversation itself. `has_tools`: the definitions of tools are
    recorded. `broken` and `long` count lines left out.
    """

    id: str = ""
    owner: str = ""
    folder: str = ""
    version: str = ""
    model: str = ""
    time: datetime | None = None
    sent: list[Sent] = field(default_factory=list)
    billed: Billed | None = None
    calls: Calls = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    is_answered: bool = False
    is_copy: bool = False
    is_subagent: bool = False
    has_own: bool = False
    broken: int = 0
    long: int = 0
    has_tools: bool = False
    _characters_left: int = _MAX_SENT

    def send(self, kind: str, parts: Iterable[SentPart] = (), text: str = "") -> None:
        """Record a text of the first request under its kind. Does nothing once the first answer has begun."""
        if not self.is_answered:
            self.add(Sent(kind, tuple(parts), text))

    def add(self, sent: Sent) -> None:
        """Record text of the first request. If the total exceeds 16 MB, only count its kind as unknown."""
        size = len(sent.text) + sum(len(part.name) + len(part.text) for part in sent.parts)
        if size > self._characters_left:
            self.unknown[f"{sent.kind}: more than {_MAX_SENT // 2**20} MB"] += 1
            return
        self._characters_left -= size
        self.sent.append(sent)

    def call(self, kind: str, name: str) -> None:
        """Count a call. Empty and long names are dropped, and new names beyond 20,000."""
        if 0 < len(name) <= MAX_NAME and (len(self.calls) < _MAX_NAMES or (kind, name) in self.calls):
            self.calls[kind, name] += 1

    def read(self, path: str) -> None:
        self.call(READ, path.replace("\\", "/"))

    def call_servers_in(self, names: str) -> None:
        """Record the servers of all tools that a text names as `mcp__SERVER__TOOL`."""
        for server in _SERVER.findall(names):
            self.call(SERVER, server)

    def count_unknown(self, kind: str) -> None:
        """Count a record of an unknown type. New types beyond 200 are dropped."""
        if len(self.unknown) < _MAX_KINDS or kind in self.unknown:
            self.unknown[kind[:60] or "without a type"] += 1

    def set_time(self, time: object) -> None:
        """Record a time as that of the start, unless it has one already."""
        if self.time is None:
            self.time = a_time(time)

    def finished(self, fallback_time: datetime) -> Start:
        """The finished start. `fallback_time` is its time if no record has one."""
        return Start(
            self.id,
            self.time or fallback_time,
            self.folder,
            self.version,
            self.model,
            tuple(self.sent),
            self.billed,
            dict(self.calls),
        )


Feed = Callable[[StartDraft, dict[str, Any]], None]


def server_name(name: str) -> str:
    """The server name as it is written in names of tools."""
    return _NAME.sub("_", name)


_ENTRY = re.compile(r"^- (.*)$", re.MULTILINE)
_COLONS = 8


def entries_in(text: str, names: Iterable[str] = ()) -> list[SentPart]:
    """The entries of a list, `- NAME: DESCRIPTION` or `- NAME`, each with its text.

    Descriptions may contain lines that look like entries. If `names` are given, in order, only they begin an entry.
    """
    places = {name: place for place, name in enumerate(names)}
    begins: list[tuple[int, str]] = []
    last = -1
    for match in _ENTRY.finditer(text):
        if not places:
            begins.append((match.start(), re.split(r": |:$", match[1], maxsplit=1)[0].strip()))
            continue
        name = next((name for name in _prefixes(match[1]) if places.get(name, -1) > last), None)
        if name is not None:
            begins.append((match.start(), name))
            last = places[name]
    ends = [*(start for start, _ in begins), len(text)][1:]
    return [
        SentPart(name, text[start:end].rstrip("\n")) for (start, name), end in zip(begins, ends, strict=True) if name
    ]


def _prefixes(line: str) -> Iterator[str]:
    """Possible names in a line, longest first, because names may contain colons."""
    yield line
    words = line[: 2 * MAX_NAME].split(":")[: _COLONS + 1]
    for count in range(len(words) - 1, 0, -1):
        yield ":".join(words[:count])
