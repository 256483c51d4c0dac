"""What the process that starts an agent is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

GIVEN: Final = ("PATH", "LANG", "TERM", "SHELL", "HOME", "TMPDIR")
"""The variables that every agent gets."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to start and where. Words, variables and files may contain `{url}`, `{root}` and the like.

    `changed` are files of the project and of the made home, with their new text, or None to remove one. `copied` are
    files of the user's home by their places in the made one. `paths` are the project's files, for a copy.
    """

    words: tuple[str, ...]
    root: str
    cwd: str
    scratch: str
    is_separate: bool
    seconds: float
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    changed: Mapping[str, str | None] = field(default_factory=dict)
    copied: Mapping[str, str] = field(default_factory=dict)
    paths: tuple[str, ...] = ()
