"""Count the files of the newest snapshot, and large data on request, and update the totals meanwhile."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence

from ctxtui.core.base.notices import Notice
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.session import Session
from ctxtui.tui.work.background import Host
from ctxtui.workspace.counting import count_all

_BETWEEN_TOTALS = 0.3
_UNCOUNTED = ("unreadable-file", "binary-file")


class Counting:
    """Counts in threads. `total` sums the counts so far, at a rate that people can read."""

    def __init__(self, host: Host, total: Callable[[], Awaitable[None]]) -> None:
        self.problems: tuple[Notice, ...] = ()
        self._host, self._total = host, total
        self._is_total_due = False
        self._stop = threading.Event()
        self._closed = threading.Event()

    @property
    def failed(self) -> frozenset[str]:
        """The paths of unreadable and binary files."""
        return frozenset(each.path for each in self.problems if each.code in _UNCOUNTED and each.path)

    async def count(self, session: Session) -> None:
        """Count every file of a snapshot except large data, and replace the problems. Stops an earlier count."""
        self._stop.set()
        stop = self._stop = threading.Event()
        problems = await self._count_files(session, stop)
        if not stop.is_set():
            self.problems = tuple(problems)
            self._host.start("totals", self._total)

    async def count_large(self, session: Session, wanted: Sequence[Reference]) -> None:
        """Count large data on request, and add its problems. Only `close` stops this."""
        problems = await self._count_files(session, self._closed, wanted)
        if not self._closed.is_set():
            self.problems = tuple(dict.fromkeys((*self.problems, *problems)))
            self._host.start("totals", self._total)

    async def _count_files(
        self, session: Session, stop: threading.Event, only: Sequence[Reference] | None = None
    ) -> list[Notice]:
        """Count in a thread, and sum meanwhile. Returns the problems."""
        loop = asyncio.get_running_loop()

        def progress(_done: int, _of: int) -> None:
            loop.call_soon_threadsafe(self._total_soon, stop)

        workspace, counter = session.workspace, session.budget.counter
        return await asyncio.to_thread(count_all, workspace, counter, progress, stop=stop, only=only)

    def close(self) -> None:
        self._stop.set()
        self._closed.set()

    def _total_soon(self, stop: threading.Event) -> None:
        """Sum after a moment, once for all files counted until then."""
        if not self._is_total_due and not stop.is_set():
            self._is_total_due = True
            self._host.start("totals-soon", self._wait_and_total)

    async def _wait_and_total(self) -> None:
        await asyncio.sleep(_BETWEEN_TOTALS)
        self._is_total_due = False
        self._host.start("totals", self._total)
