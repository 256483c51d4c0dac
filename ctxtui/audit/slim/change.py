"""The values of a plan: drafts of changes, and changes with the tokens that they save as measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, NamedTuple

from ctxtui.audit.types import Step
from ctxtui.core.base.notices import Notice

Kind = Literal["twin", "scope", "move", "describe", "number"]

Loaded = Mapping[tuple[str, str], int]
"""When agents load files: the position of the earliest moment in `MOMENTS`, by agent id and real path."""

_ID_BYTES = 3


@dataclass(frozen=True, slots=True)
class Draft:
    """A change that is not measured yet.

    `lost` is one sentence on what could be lost. `is_safe` compares what agents load before and after, and says
    whether the change does only what it should. One that `must_save` is left out if no agent saves a token. Of
    drafts with the same `choice` the one that saves most is kept.
    """

    kind: Kind
    path: str
    title: str
    steps: tuple[Step, ...]
    lost: str
    is_safe: Callable[[Loaded, Loaded], bool] = lambda _before, _after: True
    must_save: bool = True
    choice: str = ""

    @property
    def id(self) -> str:
        """The identity of the change: it differs for another version of the files."""
        digest = blake2b(repr(self.steps).encode("utf-8", "replace"), digest_size=_ID_BYTES)
        return f"{self.kind}-{digest.hexdigest()}"


class Saved(NamedTuple):
    """The start of one agent before and after a change, in tokens."""

    agent: str
    name: str
    before: int
    after: int

    @property
    def tokens(self) -> int:
        """The tokens saved; negative if the start becomes larger."""
        return self.before - self.after


@dataclass(frozen=True, slots=True)
class Change:
    """A change of files that saves tokens at the start of agents, or mends what loaders plan with.

    `saved` are the agents whose start it changes, the largest saving first; `diff` is unified.
    """

    draft: Draft
    saved: tuple[Saved, ...]
    diff: str

    @property
    def id(self) -> str:
        """The identity of the change, for this version of the files."""
        return self.draft.id

    @property
    def kind(self) -> Kind:
        """The kind of the change."""
        return self.draft.kind

    @property
    def path(self) -> str:
        """The file that the change is about, relative to the project."""
        return self.draft.path

    @property
    def title(self) -> str:
        """What the change does, in a few words."""
        return self.draft.title

    @property
    def lost(self) -> str:
        """What could be lost."""
        return self.draft.lost

    @property
    def tokens(self) -> int:
        """The most tokens that it saves one agent; 0 if it saves none."""
        return max((each.tokens for each in self.saved), default=0)


@dataclass(frozen=True, slots=True)
class Plan:
    """Changes, those that save most first, and what could save tokens but must be changed by hand, with reasons.

    Each change is measured alone: two that concern the same text do not save the sum.
    """

    changes: tuple[Change, ...]
    by_hand: tuple[Notice, ...] = ()
