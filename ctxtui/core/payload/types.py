"""The input and output of assembly: drafts, blocks and the payload."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from ctxtui.core.base.notices import Notice
from ctxtui.core.payload.formats import Label
from ctxtui.core.tokens.spans import Span
from ctxtui.core.tokens.whole import Whole

Over = Literal["cut", "fit", "fail"]
State = Literal["whole", "cut", "header", "dropped"]
Position = Literal["first", "last", "both"]
PROMPT_ID = "(prompt)"
TREE_ID = "(tree)"
Tree = Literal["picked", "all"]
"""Which files the tree block shows."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A document on its way into a payload: its label, its priority, its text.

    The lowest number of `priority` is kept longest, a `kept` draft always. `size` is the span of the text, `body`
    returns it, `secrets` is the number of its credentials. Without `fences`, it has no fenced code. `measured` caches
    sizes by format for drafts that outlive a payload. `narrower(count)` is a draft of the first sections, or None.
    """

    id: str
    label: Label
    priority: int
    kept: bool
    size: Span
    body: Callable[[], str]
    secrets: int = 0
    fences: bool = True
    measured: dict[object, tuple[int, int]] = field(default_factory=dict, compare=False)
    sections: int = 1
    narrower: Callable[[int], Draft | None] = lambda _count: None


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the payload: source header and text, with its exact token count.

    `tokens` includes the wrapping, `text_tokens` does not. Both are 0 for a dropped block. `wanted` and `wanted_text`
    are the counts before budgeting. `pieces` are header, body and footer, which saves a copy of a large body.
    """

    id: str
    source: str
    tokens: int
    text_tokens: int
    wanted: int
    wanted_text: int
    state: State = "whole"
    pinned: bool = False
    secrets: int = 0
    pieces: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "".join(self.pieces)


@dataclass(frozen=True)
class Payload:
    """The ordered blocks after budgeting, the ids of truncated and omitted documents, and the text in pieces.

    `tokens` is exactly `counter.count(text)`, `wanted` the count before budgeting, `text_tokens` the part without
    wrapping. `upper` is compared with the limit: `tokens`, or the upper end of an estimate. A layout has the same
    numbers and no pieces. If `tokens` is an estimate, `whole` is the best known count of the whole text.
    `missing` are the ids of picks that cannot be read.
    """

    pieces: tuple[str, ...]
    tokens: int
    wanted: int
    upper: int
    text_tokens: int
    units: int
    blocks: tuple[Block, ...]
    truncated: tuple[str, ...] = ()
    omitted: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    secrets: int = 0
    whole: Whole | None = None

    @cached_property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def best(self) -> int:
        """The best known number of tokens: that of the whole text if it was counted."""
        return self.tokens if self.whole is None else self.whole.tokens

    def data(self) -> Iterator[bytes]:
        """The text as UTF-8 in pieces, so that memory holds a large payload once."""
        return map(str.encode, self.pieces)


@dataclass(frozen=True, slots=True)
class Prompt:
    """The prompt block: a text, and its position before the documents, after them or both."""

    text: str
    position: Position = "last"
