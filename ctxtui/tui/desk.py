"""The desk: what other screens need of the work on the main screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ctxtui.core.errors import ContextError
from ctxtui.session.session import Session
from ctxtui.workspace.workspace import Scope


class Desk(Protocol):
    """Holds the session and changes it."""

    @property
    def session(self) -> Session | None:
        """The session; None until the project is open."""
        ...

    def attempt(self, make: Callable[[Session], Session]) -> None:
        """Change the session to what a function makes of it; its errors become messages."""

    def complain(self, error: ContextError) -> None:
        """Show an error with its remedy."""

    async def refresh_workspace(self, scope: Scope | None = None) -> bool:
        """Take a new snapshot if something differs; tells whether something does."""
        ...
