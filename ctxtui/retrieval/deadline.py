"""The deadline and cancellation of a search."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from ctxtui.retrieval.contract import RetrievalError


class Stop:
    """The end of a search: some seconds from now, when `is_cancelled` returns True, or a call of `now()`."""

    def __init__(self, seconds: float | None, is_cancelled: Callable[[], bool] | None = None) -> None:
        self._deadline = math.inf if seconds is None else time.monotonic() + seconds
        self._is_cancelled = is_cancelled or (lambda: False)

    def now(self) -> None:
        self._deadline = -math.inf

    def is_due(self) -> bool:
        return time.monotonic() >= self._deadline or self._is_cancelled()

    def check(self) -> None:
        """Raise RetrievalError (timeout) if it is time to stop."""
        if self.is_due():
            raise too_late()


def too_late() -> RetrievalError:
    return RetrievalError("timeout", "the retrieval took too long", hint="files indexed so far are kept")
