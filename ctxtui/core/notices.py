"""Notices: problems of some input, and how they were handled."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Notice:
    """One warning about content: a stable code, a message for people, and where it was found.

    `path` is relative to the project if there is one; `line` counts from 1.
    """

    code: str
    message: str
    path: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        place = self.path or ""
        if self.line is not None:
            place += f":{self.line}"
        return f"{place}: {self.message}" if place else self.message


OnNotice = Callable[[Notice], None]


def log_notice(notice: Notice) -> None:
    """The default receiver: the logger `ctxtui`, as a warning."""
    logging.getLogger("ctxtui").warning("%s [%s]", notice, notice.code)
