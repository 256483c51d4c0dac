"""Shared work: done once for all callers, even if some of them are cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class SharedWork(Generic[Value]):
    """The work on the subject asked about last. Once done, the next caller begins it again unless it `is_kept`."""

    def __init__(self, *, is_kept: bool = False) -> None:
        self._is_kept = is_kept
        self._of: object = None
        self._underway: asyncio.Future[Value] | None = None

    async def join(self, of: object, begin: Callable[[], Coroutine[Any, Any, Value]]) -> Value:
        """The result for a subject. All callers for an equal subject wait for the same work."""
        underway = self._underway
        if underway is None or self._of != of or (underway.done() and not self._is_kept):
            underway = asyncio.ensure_future(begin())
            # It may end when nobody waits for it any more.
            underway.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._of, self._underway = of, underway
        return await asyncio.shield(underway)
