"""Values read from transcripts: text and bill of a start, and later calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, NamedTuple

INSTRUCTIONS: Final = "files"
"""Text of instruction files. Parts are named by path."""
SKILLS: Final = "skills"
"""The list of skills and commands. Parts are entries."""
AGENTS: Final = "agents"
"""The list of subagents. Parts are entries."""
TOOLS: Final = "tool names"
"""Deferred tools. Parts are their names."""
SERVERS: Final = "servers"
"""Instructions of MCP servers. Parts are named by server."""
HOOKS: Final = "hooks"
"""Output of hooks."""
REMINDERS: Final = "reminders"
"""Other additions of the agent: date, environment, git state, modes."""
PROMPT: Final = "prompt"
"""Text and attachments of the user."""
SYSTEM: Final = "system prompt"
"""The agent's own prompt, if recorded."""
DEFINITIONS: Final = "tools"
"""Tool definitions, if recorded."""

FIXED: Final = frozenset({SYSTEM, DEFINITIONS})
"""The kinds that are the agent's own."""

_LINE_KINDS = frozenset({AGENTS, TOOLS})

SKILL: Final = "skill"
SUBAGENT: Final = "subagent"
SERVER: Final = "server"
READ: Final = "read"


class SentPart(NamedTuple):
    """A named piece of sent text: a file by its absolute path, a list entry, a server."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Sent:
    """A kind of text in the first request: its `parts`, and the whole `text`, empty if the rest of it is unknown."""

    kind: str
    parts: tuple[SentPart, ...] = ()
    text: str = ""

    def tokens(self, count: Callable[[str], int]) -> int:
        """The tokens of the whole text, or of the parts if it is unknown. List entries are joined as lines."""
        if self.kind in _LINE_KINDS and not self.text:
            return count("\n".join(part.text for part in self.parts))
        return count(self.text) if self.text else sum(count(part.text) for part in self.parts)


class Billed(NamedTuple):
    """The tokens of the first request by price: plain input, cache writes, cache reads."""

    input: int
    cache_write: int = 0
    cache_read: int = 0

    @property
    def total(self) -> int:
        return sum(self)


Calls = Counter[tuple[str, str]]
"""The number of calls or reads by kind (`skill`, `subagent`, `server`, `read`) and name."""


@dataclass(frozen=True, slots=True)
class Start:
    """A conversation: the text and bill of its first request, and all of its calls.

    `folder` is the working directory. `calls` include calls of subagents. `billed` is None without a recorded
    request.
    """

    id: str
    time: datetime
    folder: str
    version: str = ""
    model: str = ""
    sent: tuple[Sent, ...] = ()
    billed: Billed | None = None
    calls: Mapping[tuple[str, str], int] = field(default_factory=dict)

    def of(self, kind: str) -> list[Sent]:
        """The text sent of a kind, empty if none was recorded."""
        return [each for each in self.sent if each.kind == kind]


@dataclass(frozen=True, slots=True)
class Skipped:
    """The numbers of lines and transcripts that were skipped.

    Lines are `broken` JSON, too `long`, or of `unknown` types. Transcripts are `resumed` (copies of earlier
    conversations), `empty` (without a request), `unread` (beyond the limits) or `refused` (links, compressed, without
    permission).
    """

    broken: int = 0
    long: int = 0
    unknown: Mapping[str, int] = field(default_factory=dict)
    resumed: int = 0
    empty: int = 0
    unread: int = 0
    refused: int = 0


@dataclass(frozen=True, slots=True)
class Transcripts:
    """The starts of one agent, newest first, and its skipped input.

    `place` is the folder searched, empty if no user folder is known. `besides` counts calls in conversations whose
    start was not read, such as continued conversations. `read` counts transcripts.
    """

    agent: str
    place: str
    starts: tuple[Start, ...] = ()
    besides: Mapping[tuple[str, str], int] = field(default_factory=dict)
    read: int = 0
    skipped: Skipped = field(default_factory=Skipped)


def a_time(value: object) -> datetime | None:
    """An ISO 8601 time in UTC, which is assumed without an offset, or None for anything else."""
    if not isinstance(value, str) or len(value) > 40:
        return None
    try:
        time = datetime.fromisoformat(value)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
