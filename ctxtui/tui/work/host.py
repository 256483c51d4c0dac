"""The interface of the screen for background work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, Protocol

Severity = Literal["information", "warning", "error"]


class Host(Protocol):
    """The main screen, or a replacement in tests."""

    def start(self, group: str, work: Callable[[], Awaitable[None]]) -> None:
        """Start work in the background. It cancels earlier work of the same group."""

    def notify(self, message: str, *, severity: Severity, timeout: float | None, markup: bool) -> None:
        """Show a message for some seconds."""

    def show(self) -> None:
        """Show the current state of the desk."""
