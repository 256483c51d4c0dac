"""The selections of a session: remembered for undo, and saved."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ctxtui.session.saved.autosave import Autosave
from ctxtui.session.selection import Selection
from ctxtui.session.session import Session

_KEPT = 500


class History:
    """Remembers selections, which include budget, prompt and format. `undo` and `redo` return None at the end."""

    def __init__(self) -> None:
        self._past: list[Selection] = []
        self._future: list[Selection] = []

    def remember(self, selection: Selection) -> None:
        self._past = [*self._past[-_KEPT:], selection]
        self._future = []

    def undo(self, current: Selection) -> Selection | None:
        if not self._past:
            return None
        self._future.append(current)
        return self._past.pop()

    def redo(self, current: Selection) -> Selection | None:
        if not self._future:
            return None
        self._past.append(current)
        return self._future.pop()


class Saver:
    """Writes one session at a time in order. `newest` is the session to write, with its recipe's name and version."""

    def __init__(self, root: Path) -> None:
        self.newest: tuple[Session, str | None, str] | None = None
        self._autosave = Autosave(root)
        self._thread = ThreadPoolExecutor(1, "save")
        self._thread.submit(self._autosave.tidy)

    async def write(self) -> None:
        """Write the newest selection with its recipe. Raises ContextError as `Autosave.save` does."""
        newest = self.newest
        if newest is None:
            return
        await asyncio.get_running_loop().run_in_executor(self._thread, self._autosave.save, *newest)
        if self.newest is newest:
            self.newest = None

    def close(self) -> None:
        """Write the newest selection, and wait for it. Errors are lost."""
        if self.newest is not None:
            self._thread.submit(self._autosave.save, *self.newest)
            self.newest = None
        self._thread.shutdown()
