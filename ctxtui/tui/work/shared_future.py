"""Shared futures: a value is made once for all callers, even if some of them are cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

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


class SharedWork(Generic[Value]):
    """The work underway on one subject. Once it is done, the next caller begins it again."""

    def __init__(self) -> None:
        self._of: object = None
        self._underway: asyncio.Future[Value] | None = None

    async def join(self, of: object, begin: Callable[[], Coroutine[Any, Any, Value]]) -> Value:
        """The result for a subject. All callers for an equal subject wait for the same work."""
        underway = self._underway
        if underway is None or self._of != of or underway.done():
            underway = asyncio.ensure_future(begin())
            # It may end when nobody waits for it any more.
            underway.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._of, self._underway = of, underway
        return await asyncio.shield(underway)
