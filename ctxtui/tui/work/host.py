"""The host: what background work needs of the screen that it is done for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, Protocol

Severity = Literal["information", "warning", "error"]


class Host(Protocol):
    """The main screen, or whatever a test puts in its place."""

    def start(self, group: str, work: Callable[[], Awaitable[None]]) -> None:
        """Work in the background; what was started before for the same group ends."""

    def notify(self, message: str, *, severity: Severity, timeout: float | None, markup: bool) -> None:
        """Show a message for some seconds."""

    def show(self) -> None:
        """Show what the desk holds now."""
