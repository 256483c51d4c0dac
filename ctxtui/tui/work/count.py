"""Counting: every file of the newest snapshot, with the totals updated from time to time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

from ctxtui.core.notices import Notice
from ctxtui.session.session import Session
from ctxtui.tui.work.host import Host
from ctxtui.workspace.count import count_all

_BETWEEN_TOTALS = 0.3


class Counting:
    """Counts in threads; `total` sums the counts so far, no more often than people can read them."""

    def __init__(self, host: Host, total: Callable[[], Awaitable[None]]) -> None:
        self.problems: tuple[Notice, ...] = ()
        self._host, self._total = host, total
        self._is_total_due = False
        self._stop = threading.Event()

    @property
    def failed(self) -> frozenset[str]:
        """The paths of files that cannot be read."""
        return frozenset(each.path for each in self.problems if each.code == "unreadable-file" and each.path)

    async def count(self, session: Session) -> None:
        """Count every file of a snapshot; this stops an earlier count."""
        self.stop()
        stop = self._stop = threading.Event()
        loop = asyncio.get_running_loop()

        def progress(_done: int, _of: int) -> None:
            loop.call_soon_threadsafe(self._total_soon, stop)

        workspace, counter = session.workspace, session.budget.counter
        problems = await asyncio.to_thread(count_all, workspace, counter, progress, stop=stop)
        if not stop.is_set():
            self.problems = tuple(problems)
            self._host.start("totals", self._total)

    def stop(self) -> None:
        """Stop counting."""
        self._stop.set()

    def _total_soon(self, stop: threading.Event) -> None:
        """Sum once for all files counted within a moment."""
        if not self._is_total_due and not stop.is_set():
            self._is_total_due = True
            self._host.start("totals-soon", self._wait_and_total)

    async def _wait_and_total(self) -> None:
        await asyncio.sleep(_BETWEEN_TOTALS)
        self._is_total_due = False
        self._host.start("totals", self._total)
