"""The values read from transcripts: what one start sent, what it was billed, and what was called after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, NamedTuple

INSTRUCTIONS: Final = "files"
"""Text of instruction files; the parts are named by path."""
SKILLS: Final = "skills"
"""The list of skills and commands; the parts are its entries."""
AGENTS: Final = "agents"
"""The list of subagents; the parts are its entries."""
TOOLS: Final = "tool names"
"""The names of deferred tools; the parts are the names."""
SERVERS: Final = "servers"
"""The instructions of MCP servers; the parts are named by server."""
HOOKS: Final = "hooks"
"""What hooks added."""
REMINDERS: Final = "reminders"
"""What else the agent added: date, environment, state of git, modes."""
PROMPT: Final = "prompt"
"""What the user wrote or attached."""
SYSTEM: Final = "system prompt"
"""The agent's own prompt, as recorded."""
DEFINITIONS: Final = "tools"
"""The definitions of tools, as recorded."""

FIXED: Final = frozenset({SYSTEM, DEFINITIONS})
"""The kinds that belong to the agent, not to the project, the user or the conversation."""

_LINES = frozenset({AGENTS, TOOLS})

SKILL: Final = "skill"
SUBAGENT: Final = "subagent"
SERVER: Final = "server"
READ: Final = "read"


class Part(NamedTuple):
    """A named piece of what was sent: a file by its absolute path, an entry of a list, a server."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Sent:
    """Text of one kind in the first request.

    `text` is the text as it was rendered for the model if the transcript has it; else it is empty, and what
    was written around the `parts` is unknown.
    """

    kind: str
    parts: tuple[Part, ...] = ()
    text: str = ""

    def tokens(self, count: Callable[[str], int]) -> int:
        """The tokens of the whole text, or of the parts if that is not known; entries of a list are lines."""
        if self.kind in _LINES and not self.text:
            return count("\n".join(part.text for part in self.parts))
        return count(self.text) if self.text else sum(count(part.text) for part in self.parts)


class Billed(NamedTuple):
    """The tokens of the first request by price: plain input, written to the cache, read from it."""

    input: int
    cache_write: int = 0
    cache_read: int = 0

    @property
    def total(self) -> int:
        """All tokens of the request."""
        return sum(self)


Calls = Counter[tuple[str, str]]
"""How often something was called or read, by kind (`skill`, `subagent`, `server`, `read`) and name."""


@dataclass(frozen=True, slots=True)
class Start:
    """One conversation from its beginning: what was sent and billed first, and what was called in all of it.

    `folder` is the working directory, `calls` include those of its subagents. `billed` is None if no request
    was recorded.
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
        """What was sent of one kind; empty if nothing was recorded."""
        return [each for each in self.sent if each.kind == kind]


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was not used, and how much of it.

    Of lines: `broken` JSON, too `long`, records of `unknown` types. Of transcripts: copies of earlier
    conversations (`resumed`), `empty` ones without a request, `unread` ones beyond the bounds, and `refused`
    ones: links, compressed, without permission.
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
    """What was read of one agent: its starts, newest first, where it was looked for, and what was skipped.

    `place` is empty if no folder of the user is known. `besides` is what was called in conversations whose start
    is not among them, such as continued ones.
    """

    agent: str
    place: str
    starts: tuple[Start, ...] = ()
    besides: Mapping[tuple[str, str], int] = field(default_factory=dict)
    read: int = 0
    skipped: Skipped = field(default_factory=Skipped)


def a_time(value: object) -> datetime | None:
    """A time with its offset from ISO 8601; None for anything else."""
    if not isinstance(value, str) or len(value) > 40:
        return None
    try:
        time = datetime.fromisoformat(value)
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
