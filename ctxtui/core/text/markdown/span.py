"""Stretches of a text."""

from __future__ import annotations

from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of a text in characters, from `start` up to `end`."""

    start: int
    end: int
