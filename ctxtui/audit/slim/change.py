"""Values of a plan: changes, and what they save."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, NamedTuple

from ctxtui.audit.types import Step
from ctxtui.core.base.notices import Notice

Kind = Literal["twin", "scope", "move", "switch"]

Loaded = Mapping[tuple[str, str], int]
"""The index in `MOMENTS` of the earliest load, by agent id and real path."""

_ID_BYTES = 3


class Saved(NamedTuple):
    """The start of one agent before and after a change, in tokens."""

    agent: str
    name: str
    before: int
    after: int

    @property
    def tokens(self) -> int:
        return self.before - self.after

    @property
    def grown(self) -> str:
        """The words for a start that grows, empty for others."""
        return f"{self.name} starts with {-self.tokens:,} more" if self.tokens < 0 else ""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of files that may save start tokens.

    `lost` is one sentence about possible losses. `is_safe`, if set, compares loads before and after. If it
    `affects_servers`, other MCP servers start. Once it is measured, `saved` are the agents, largest saving first,
    and `diff` is unified.
    """

    kind: Kind
    path: str
    title: str
    steps: tuple[Step, ...]
    lost: str
    is_safe: Callable[[Loaded, Loaded], bool] | None = None
    affects_servers: bool = False
    saved: tuple[Saved, ...] = ()
    diff: str = ""

    def keeps(self, before: Loaded, after: Loaded) -> bool:
        """Whether all loads stay, except those that the change is meant to end or delay. True without `is_safe`."""
        return self.is_safe is None or self.is_safe(before, after)

    @property
    def id(self) -> str:
        """A short id, such as `twin-1a2b3c`, of this change to these versions of the files."""
        digest = blake2b(repr(self.steps).encode("utf-8", "replace"), digest_size=_ID_BYTES)
        return f"{self.kind}-{digest.hexdigest()}"

    @property
    def in_words(self) -> str:
        """The saved tokens by agent."""
        return ", ".join(each.grown or f"{each.name} {each.tokens:,} of {each.before:,}" for each in self.saved)

    @property
    def tokens(self) -> int:
        """The largest saving of an agent, in tokens, or 0 without savings."""
        return max((each.tokens for each in self.saved), default=0)


@dataclass(frozen=True, slots=True)
class Plan:
    """Changes, largest saving first, and possible savings that need manual work, with reasons.

    Each change is measured alone, so savings of changes to the same text do not add up.
    """

    changes: tuple[Change, ...]
    by_hand: tuple[Notice, ...] = ()

    def joined(self, other: Plan) -> Plan:
        return Plan((*self.changes, *other.changes), (*self.by_hand, *other.by_hand))
