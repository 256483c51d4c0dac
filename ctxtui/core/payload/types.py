"""The values around a payload: drafts go in, blocks and the payload come out."""

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
    """One document on its way into a payload: its label, its place under a budget, its text.

    `size` is the text's span, `body` returns the text itself, `secrets` counts the credentials in it. Without
    `fences`, it has no fenced code.
    `measured` caches the draft's sizes in a format, for drafts that live longer than a payload.
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


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of the payload: source header and text, with its own exact count in tokens.

    `tokens` covers the wrapping, `text_tokens` the text alone; both are 0 for a dropped block. `wanted` and
    `wanted_text` are both before budgeting. The text is kept as what is before the body, the body and what follows
    it, so that a large one is not copied.
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
        """The header and the text, as they are in the payload."""
        return "".join(self.pieces)


@dataclass(frozen=True)
class Payload:
    """The ordered blocks after budgeting, with what was truncated, omitted or missing, and the text in pieces.

    `tokens` is exactly `counter.count(text)`; `wanted` the same before budgeting; `text_tokens` the part
    that is not wrapping. `upper` is the number compared with the limit: `tokens`, or an estimate's upper end.
    A layout has the same numbers without text: it has no pieces. If `tokens` is an estimate, `whole` is what is known
    about the whole text.
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
        """The whole text."""
        return "".join(self.pieces)

    def data(self) -> Iterator[bytes]:
        """The text as UTF-8, piece by piece: a large payload is in memory once."""
        return map(str.encode, self.pieces)


@dataclass(frozen=True, slots=True)
class Prompt:
    """The prompt block: a text, and whether it is before the documents, after them or both."""

    text: str
    position: Position = "last"
