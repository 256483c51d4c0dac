"""Background work: the screen that shows it, its delays, and work that callers share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, Generic, Literal, Protocol, TypeVar

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

Severity = Literal["information", "warning", "error"]
Value = TypeVar("Value")


@contextmanager
def started(work: Coroutine[Any, Any, Value]) -> Iterator[asyncio.Task[Value]]:
    """Work beside that of the caller. It is canceled if the caller leaves before it ends."""
    task = asyncio.ensure_future(work)
    try:
        yield task
    finally:
        task.cancel()


class FirstFrame:
    """Holds background work until `drawn` is called, so that it does not delay the first frame."""

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

    def delay(self) -> float:
        """The seconds to wait before work for the key typed now, which counts for the next delay."""
        before, self._last = self._last, time.monotonic()
        return DEBOUNCE if self._last - before < _BURST else _FIRST


class Host(Protocol):
    """The main screen, or a replacement in tests."""

    def start(self, group: str, work: Callable[[], Awaitable[None]]) -> None:
        """Start work in the background. It cancels earlier work of the same group."""

    def notify(self, message: str, *, severity: Severity, timeout: float | None) -> None:
        """Show a message for some seconds."""

    def show(self) -> None:
        """Show the current state of the desk."""


class SharedWork(Generic[Value]):
    """Work on the newest subject. Once it is done, the next caller begins it again unless its result `is_kept`."""

    def __init__(self, *, is_kept: bool = False) -> None:
        self._is_kept = is_kept
        self._subject: object = None
        self._underway: asyncio.Future[Value] | None = None

    async def join(self, subject: object, begin: Callable[[], Coroutine[Any, Any, Value]]) -> Value:
        """The result of `begin`. Callers with an equal subject wait for the same work, which no caller can cancel."""
        underway = self._underway
        if underway is None or self._subject != subject or (underway.done() and not self._is_kept):
            underway = asyncio.ensure_future(begin())
            # It may end when nobody waits for it any more.
            underway.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._subject, self._underway = subject, underway
        return await asyncio.shield(underway)
