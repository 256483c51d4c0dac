"""When background work runs: after the first frame, and once the keys pause."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

FRAME: Final = 0.02
"""Seconds until a shown value is drawn: a little more than Textual waits between two frames."""

DEBOUNCE: Final = 0.06
"""Seconds, below what people notice."""

PAUSE: Final = 0.3
"""Seconds without a key before work that only a user needs who stays at a row."""

# Seconds: enough for the frame that answers the key itself, and for several changes by one key.
_FIRST: Final = 0.016
# Keys at shorter intervals (seconds) are a burst: a key held down, or typing.
_BURST: Final = 0.1


class FirstFrame:
    def __init__(self) -> None:
        self._drawn = asyncio.Event()
        self.drawn = self._drawn.set

    def then(self, work: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        """A function that waits for the first frame before it does the work."""

        async def later() -> None:
            await self._drawn.wait()
            await work()

        return later


class Pace:
    """The delay of work for a key: short for a single key, longer in a burst, so that work waits for its pause."""

    def __init__(self) -> None:
        self._last = float("-inf")

    def wait(self) -> float:
        """The seconds to wait before work for the key typed now: fewer for a single key than in a burst."""
        before, self._last = self._last, time.monotonic()
        return DEBOUNCE if self._last - before < _BURST else _FIRST
