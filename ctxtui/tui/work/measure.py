"""Measuring: the figures of a session and the price of its payload, computed in threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from decimal import Decimal

from ctxtui.core.cancel import stopping
from ctxtui.core.errors import ContextError
from ctxtui.session.figures import Figures, figures, marks, refined
from ctxtui.session.session import Session

SOON = 0.3
"""Seconds after which users wonder whether the app received their key."""


async def measured(
    session: Session,
    failed: frozenset[str],
    known: Figures | None,
    shown: Callable[[], Figures],
    show: Callable[[Figures], None],
) -> Figures:
    """The figures of a session; if they take long, the marks of the picks are shown before them.

    The totals are taken from `known` figures. Raises ContextError if the payload cannot be laid out.
    """
    with stopping() as check:
        task = asyncio.ensure_future(asyncio.to_thread(figures, session, failed, known, check))
        try:
            await asyncio.wait({task}, timeout=SOON)
            if not task.done():
                show(await asyncio.to_thread(marks, session, shown(), check))
            return await task
        finally:
            task.cancel()


async def refine(session: Session, of: Figures) -> Figures:
    """The figures once the whole payload has been counted, if its size was only estimated."""
    with stopping() as check:
        try:
            return await asyncio.to_thread(refined, session, of, check)
        except ContextError:
            # An export reports what it refuses.
            return of


async def price_of(session: Session, of: Figures) -> Decimal | None:
    """The price of the payload in dollars; None if no model is chosen."""
    model, layout = session.budget.model, of.layout
    if not model or layout is None:
        return None
    tokens = layout.whole.tokens if layout.whole else layout.tokens
    return await asyncio.to_thread(_price, model, tokens)


def _price(model: str, tokens: int) -> Decimal | None:
    # Importing price data takes a quarter of a second; only a chosen model needs them.
    from ctxtui.core.tokens.models import find_model  # noqa: PLC0415

    return find_model(model).dollars(tokens)
