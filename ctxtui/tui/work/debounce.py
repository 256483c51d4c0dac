"""Delays of work for keys, so that fast typing starts it once."""

from __future__ import annotations

import time
from typing import Final

DEBOUNCE: Final = 0.06
"""Seconds, below what people notice."""

# Seconds: enough for the frame that answers the key itself, and for several changes by one key.
_FIRST: Final = 0.016
# Keys at shorter intervals (seconds) are a burst: a key held down, or typing.
_BURST: Final = 0.1


class Pace:
    """The delay of work for a key: short for a single key, and in a burst until it pauses."""

    def __init__(self) -> None:
        self._last = float("-inf")

    def wait(self) -> float:
        """Seconds to wait from now on. Called for each key."""
        before, self._last = self._last, time.monotonic()
        return DEBOUNCE if self._last - before < _BURST else _FIRST
