"""A shared future: a thread makes a value once, even if waiting callers are cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class SharedFuture(Generic[Value]):
    """The value made for one object, the latest that was asked about."""

    def __init__(self) -> None:
        self._of: object = None
        self._making: asyncio.Future[Value] | None = None

    async def get(self, of: object, make: Callable[[], Value]) -> Value:
        """The value for an object. If a caller is cancelled, the value is still made for the next."""
        making = self._making
        if making is None or self._of is not of:
            making = asyncio.ensure_future(asyncio.to_thread(make))
            self._of, self._making = of, making
        return await asyncio.shield(making)
