"""Values of a start: files, categories, and the capture behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ctxtui.agents.capture.kept import Capture

Sent = Literal["whole", "listed", "cut", "absent"]


@dataclass(frozen=True, slots=True)
class FileStart:
    """One file of a start: the tokens predicted and sent, and in which form.

    Without a capture, `sent` and `sent_tokens` are None.
    """

    path: str
    category: str
    expected: Sent
    predicted: int
    sent: Sent | None = None
    sent_tokens: int | None = None

    @property
    def differs(self) -> bool:
        return self.sent is not None and self.sent != self.expected


@dataclass(frozen=True, slots=True)
class Category:
    """A category of a start, with its tokens as predicted and as sent, None without a capture."""

    name: str
    predicted: int
    captured: int | None = None


@dataclass(frozen=True, slots=True)
class AgentStart:
    """One agent's start. `captured` is the sum over the captured categories, and so the size of the whole request.

    `left_out` says in words what `predicted` does not count, `verified` how the agent's rows were last checked.
    `is_stale` says that the program or a file has changed since the capture. `why` is the reason why a requested
    capture failed. `subagent` are the tokens of a subagent's first request by category, if one was captured.
    """

    id: str
    name: str
    predicted: int
    categories: tuple[Category, ...]
    files: tuple[FileStart, ...]
    left_out: str = ""
    verified: str = ""
    capture: Capture | None = None
    is_stale: bool = False
    why: str = ""
    subagent: Mapping[str, int] = field(default_factory=dict)

    @property
    def captured(self) -> int | None:
        if self.capture is None:
            return None
        return sum(each.captured or 0 for each in self.categories)

    @property
    def differing(self) -> tuple[FileStart, ...]:
        return tuple(each for each in self.files if each.differs)
