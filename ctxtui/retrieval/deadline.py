"""Deadlines and cancellation of a search."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ctxtui.retrieval.contract import RetrievalError


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Stop:
    """The end of a search: a time of the monotonic clock, a check for cancellation, or a call of `now()`."""

    deadline: float | None = None
    is_cancelled: Callable[[], bool] = _never
    _switch: threading.Event = field(default_factory=threading.Event)

    @staticmethod
    def after(seconds: float | None, is_cancelled: Callable[[], bool] | None = None) -> Stop:
        """Stop this many seconds from now, or when `is_cancelled` returns True."""
        return Stop(None if seconds is None else time.monotonic() + seconds, is_cancelled or _never)

    def now(self) -> None:
        self._switch.set()

    def is_due(self) -> bool:
        late = self.deadline is not None and time.monotonic() >= self.deadline
        return late or self._switch.is_set() or self.is_cancelled()

    def check(self) -> None:
        """Raise RetrievalError (timeout) if it is time to stop."""
        if self.is_due():
            raise too_late()


def too_late() -> RetrievalError:
    return RetrievalError("timeout", "the retrieval took too long", hint="files indexed so far are kept")
