"""Delay work until the first frame with the tree is drawn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

FRAME: Final = 0.02
"""Seconds until a shown value is drawn: a little more than Textual waits between two frames."""


class FirstFrame:
    def __init__(self) -> None:
        self._drawn = asyncio.Event()
        self.drawn = self._drawn.set

    def then(self, work: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
        """The same work, after the first frame."""

        async def later() -> None:
            await self._drawn.wait()
            await work()

        return later
