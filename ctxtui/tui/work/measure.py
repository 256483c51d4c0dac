"""The figures of a session and the price of its payload, computed in threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Final

from ctxtui.core.base.cancel import stopping
from ctxtui.core.base.errors import ContextError
from ctxtui.session.figures import Figures, figures, refined, unmeasured_figures
from ctxtui.session.session import Session
from ctxtui.tui.work.background import started

SOON = 0.3
"""Seconds after which users wonder whether the app received their key."""
_BETWEEN: Final = 1.0
"""Seconds between two reports of progress."""


async def measured(
    session: Session,
    failed: frozenset[str],
    known: Figures | None,
    shown: Callable[[], Figures],
    show: Callable[[Figures], None],
) -> Figures:
    """The figures of a session. If they take long, `show` gets first the marks of the picks, then the progress.

    `failed` are the paths that cannot be read. `known` lends its totals, `shown` returns the figures on the screen.
    Raises ContextError if layout fails.
    """
    with stopping() as check:
        searched = 0

        def count_search() -> None:
            nonlocal searched
            searched += 1
            check()

        with started(asyncio.to_thread(figures, session, failed, known, count_search)) as task:
            await asyncio.wait({task}, timeout=SOON)
            if not task.done():
                show(await asyncio.to_thread(unmeasured_figures, session, shown(), check))
            while not task.done():
                await asyncio.wait({task}, timeout=_BETWEEN)
                percent = min(99, searched * 100 // max(1, len(session.picks)))
                if not task.done() and percent != shown().searched:
                    show(replace(shown(), searched=percent))
            new = await task
            # Counting goes on meanwhile.
            return replace(new, totals=shown().totals) if known and new.totals is known.totals else new


async def refine(session: Session, estimated: Figures, shown: Callable[[], Figures]) -> Figures:
    """The figures with the whole payload counted, and the totals of `shown`. `estimated` itself if it is exact."""
    with stopping() as check:
        try:
            new = await asyncio.to_thread(refined, session, estimated, check)
            return new if new is estimated else replace(new, totals=shown().totals)
        except ContextError:
            # An export reports the error.
            return estimated


def price_of(session: Session, current: Figures) -> Decimal | None:
    """The price of the payload in dollars, None if no model is chosen. Call it in a thread."""
    model, layout = session.budget.model, current.layout
    if not model or layout is None:
        return None
    # Only a chosen model needs the price data.
    from ctxtui.core.tokens.models import find_model  # noqa: PLC0415

    return find_model(model).dollars(layout.best)
