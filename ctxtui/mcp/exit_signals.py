"""Signals as an event: the server shuts down in order or, if it cannot, anyway."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

_WATCHED: Final = (signal.SIGINT, signal.SIGTERM)
_GRACE_SECONDS: Final = 3.0
INTERRUPTED: Final = 130


@dataclass(slots=True)
class Stopping:
    """Set by a signal; `status` is the exit status: 130 after ^C, 0 after an orderly request."""

    event: asyncio.Event = field(default_factory=asyncio.Event)
    status: int = 0


@contextmanager
def watched() -> Iterator[Stopping]:
    """SIGINT and SIGTERM as an event of the running loop; only the main thread receives any."""
    stopping = Stopping()
    if threading.current_thread() is not threading.main_thread():
        yield stopping
        return
    loop = asyncio.get_running_loop()

    def receive(number: int, _frame: FrameType | None) -> None:
        stopping.status = INTERRUPTED if number == signal.SIGINT else 0
        loop.call_soon_threadsafe(stopping.event.set)
        _exit_later(stopping.status)

    before = {number: signal.signal(number, receive) for number in _WATCHED}
    try:
        yield stopping
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _exit_later(status: int) -> None:
    """End the process even if a peer that does not read, or a call in a thread, blocks it."""
    timer = threading.Timer(_GRACE_SECONDS, os._exit, (status,))
    timer.daemon = True
    timer.start()
