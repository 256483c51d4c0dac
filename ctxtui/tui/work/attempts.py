"""Changes of the session that may fail: made in a thread if they concern many documents, undone, and saved."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from ctxtui.core.base.errors import ContextError
from ctxtui.session.saved.autosave import Autosave
from ctxtui.session.selection import Selection
from ctxtui.session.session import Session
from ctxtui.tui.work.host import Host

_KEPT = 500
Make = Callable[[Session], Session]

AT_ONCE = 5_000
"""Changes of more documents take noticeably long."""


class Attempts:
    """Makes one change after the other. `change` receives the result, `complain` the error.

    `show` is called before and after a change in a thread.
    """

    def __init__(
        self,
        host: Host,
        session: Callable[[], Session | None],
        change: Callable[[Session], None],
        complain: Callable[[ContextError], None],
        show: Callable[[], None],
    ) -> None:
        self._host, self._session, self._change, self._complain = host, session, change, complain
        self._show = show
        self._busy = asyncio.Lock()
        self._begun = 0

    @property
    def is_under_way(self) -> bool:
        return self._busy.locked()

    def make(self, make: Make, documents: int) -> None:
        """Change the session, at once if few documents are concerned and no earlier change is in progress."""
        session = self._session()
        if documents > AT_ONCE or self._busy.locked():
            self._begun += 1
            self._host.start(f"change {self._begun}", partial(self._later, make))
        elif session is not None:
            try:
                self._change(make(session))
            except ContextError as error:
                self._complain(error)

    async def _later(self, make: Make) -> None:
        async with self._busy:
            self._show()
            await self._made(make)
        self._show()

    async def _made(self, make: Make) -> None:
        while (session := self._session()) is not None:
            try:
                new = await asyncio.to_thread(_indexed, make, session)
            except ContextError as error:
                self._complain(error)
                return
            # Changes made meanwhile, such as a new snapshot, are not lost.
            if self._session() is session:
                self._change(new)
                return


def _indexed(make: Make, session: Session) -> Session:
    """The result of `make`, with its index of picks built."""
    new = make(session)
    new.selection.find("")
    return new


class History:
    """Remembers selections, which include budget, prompt and format."""

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
