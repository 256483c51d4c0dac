"""Imports that agents skip."""

from __future__ import annotations

from typing import NamedTuple


class Unmet(NamedTuple):
    """A broken import: the importing file and line (from 1), the target, and the reason."""

    importer: str
    line: int
    target: str
    why: str
