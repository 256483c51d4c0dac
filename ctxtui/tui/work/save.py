"""Save the selection to the state folder in a thread."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ctxtui.session.saved.autosave import Autosave
from ctxtui.session.session import Session


class Saver:
    """Writes one selection at a time in order. `newest` is the selection not written yet."""

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
        if self.newest is not None:
            self._thread.submit(self._autosave.save, *self.newest)
            self.newest = None
        self._thread.shutdown()
