"""Count the files of the newest snapshot, and large data on request, and measure a session: figures and price."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from ctxtui.core.base.cancel import stopping
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.figures import Figures, figures, marks, refined
from ctxtui.session.session import Session
from ctxtui.tui.work.background import Host
from ctxtui.workspace.counting import count_all

_BETWEEN_TOTALS = 0.3
_UNCOUNTED = ("unreadable-file", "binary-file")

SOON = 0.3
"""Seconds after which users wonder whether the app received their key."""
_BETWEEN: Final = 1.0
"""Seconds between two reports of progress."""


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
        return frozenset(each.path for each in self.problems if each.code in _UNCOUNTED and each.path)

    async def count(self, session: Session) -> None:
        """Count every file of a snapshot except large data. Stops an earlier count."""
        self._stop.set()
        stop = self._stop = threading.Event()
        problems = await self._counted(session, stop)
        if not stop.is_set():
            self.problems = tuple(problems)
            self._host.start("totals", self._total)

    async def count_some(self, session: Session, wanted: Sequence[Reference]) -> None:
        """Count large data on request. Newer snapshots and requests do not stop this."""
        problems = await self._counted(session, self._closed, wanted)
        if not self._closed.is_set():
            self.problems = tuple(dict.fromkeys((*self.problems, *problems)))
            self._host.start("totals", self._total)

    async def _counted(
        self, session: Session, stop: threading.Event, only: Sequence[Reference] | None = None
    ) -> list[Notice]:
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


async def measured(
    session: Session,
    failed: frozenset[str],
    known: Figures | None,
    shown: Callable[[], Figures],
    show: Callable[[Figures], None],
) -> Figures:
    """The figures of a session. If they take long, `show` gets first the marks of the picks, then the progress.

    `known` lends its totals, `shown` returns the figures on the screen. Raises ContextError if layout fails.
    """
    with stopping() as check:
        searched = 0

        def counted() -> None:
            nonlocal searched
            searched += 1
            check()

        task = asyncio.ensure_future(asyncio.to_thread(figures, session, failed, known, counted))
        try:
            await asyncio.wait({task}, timeout=SOON)
            if not task.done():
                show(await asyncio.to_thread(marks, session, shown(), check))
            while not task.done():
                await asyncio.wait({task}, timeout=_BETWEEN)
                percent = min(99, searched * 100 // max(1, len(session.picks)))
                if not task.done() and percent != shown().searched:
                    show(replace(shown(), searched=percent))
            new = await task
            # Counting goes on meanwhile.
            return replace(new, totals=shown().totals) if known and new.totals is known.totals else new
        finally:
            task.cancel()


async def refine(session: Session, of: Figures, shown: Callable[[], Figures]) -> Figures:
    """The figures with the whole payload counted, if its size was an estimate, and the totals of `shown`."""
    with stopping() as check:
        try:
            new = await asyncio.to_thread(refined, session, of, check)
            return new if new is of else replace(new, totals=shown().totals)
        except ContextError:
            # An export reports the error.
            return of


def price_of(session: Session, of: Figures) -> Decimal | None:
    """The price of the payload in dollars, None if no model is chosen. Call it in a thread."""
    model, layout = session.budget.model, of.layout
    if not model or layout is None:
        return None
    # Only a chosen model needs the price data.
    from ctxtui.core.tokens.models import find_model  # noqa: PLC0415

    return find_model(model).dollars(layout.best)
