"""Notices: problems of the input, and how they were handled."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from ctxtui.core.base.batches import grouped

# Codes that inform: none asks the user to change a file.
INFORMING: Final = frozenset(
    "beyond-budget binary-file binary-files deleted empty-query entry-replaced fast-engine growth-unchecked"
    " interrupted large-left-out log-bounded no-cross-domain no-detection-file no-domain-index no-grammar"
    " no-loading-protocol no-outline no-such-file no-tasks not-counted not-listed nothing-read out-of-scope"
    " reference-only related-files secret-file shallow-history submodule too-complex-to-outline too-large"
    " too-large-to-outline untracked".split()
)

# Why a file has no sections.
UNREAD: Final = frozenset(("too-complex-to-outline", "too-large-to-outline"))


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning about content: a stable code, a message, a path relative to the project, and a line from 1."""

    code: str
    message: str
    path: str | None = None
    line: int | None = None

    @property
    def is_problem(self) -> bool:
        """Whether something is wrong, not merely worth knowing."""
        return self.code not in INFORMING

    @property
    def place(self) -> str:
        """The path and line as `PATH:LINE`. Unknown parts are left out."""
        return (self.path or "") + ("" if self.line is None else f":{self.line}")

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


OnNotice = Callable[[Notice], None]


def collecting(on_notice: OnNotice) -> tuple[list[Notice], OnNotice]:
    """An empty list, and a receiver that adds each notice to it and then calls `on_notice`."""
    notices: list[Notice] = []

    def tell(notice: Notice) -> None:
        notices.append(notice)
        on_notice(notice)

    return notices, tell


def by_kind(notices: Iterable[Notice]) -> list[list[Notice]]:
    """Group notices by code, in order of first appearance, problems before mere information (`is_problem`)."""
    kinds = grouped((notice.code, notice) for notice in notices)
    return sorted(kinds.values(), key=lambda kind: not kind[0].is_problem)


def log_notice(notice: Notice) -> None:
    """The default receiver: a warning of the logger `ctxtui`."""
    import logging  # noqa: PLC0415 - commands and the app receive notices themselves

    logging.getLogger("ctxtui").warning("%s [%s]", notice, notice.code)
