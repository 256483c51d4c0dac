"""A value that a thread makes once, however often those who wait for it are cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Once(Generic[Value]):
    """The value made for one object, the newest that was asked about."""

    def __init__(self) -> None:
        self._of: object = None
        self._making: asyncio.Future[Value] | None = None

    def is_ready(self, of: object) -> bool:
        """Whether the value for an object is made."""
        return self._of is of and self._making is not None and self._making.done()

    async def get(self, of: object, make: Callable[[], Value]) -> Value:
        """The value for an object; a caller who is cancelled leaves it to the next one, still being made."""
        making = self._making
        if making is None or self._of is not of:
            making = asyncio.ensure_future(asyncio.to_thread(make))
            self._of, self._making = of, making
        return await asyncio.shield(making)
