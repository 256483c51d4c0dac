"""A least-recently-used cache with a bound on the total weight of its values."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Memo(Generic[Key, Value]):
    """Values by key. If their total by `weigh` exceeds `bound`, the least recently used are dropped. Thread-safe.

    The newest value stays, however heavy. The weight of a value must not change.
    """

    def __init__(self, bound: int, weigh: Callable[[Value], int] = lambda _value: 1) -> None:
        self._bound = bound
        self._weigh = weigh
        self._weight = 0
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: Key) -> Value | None:
        """The cached value, None without one. Finding a value does not count as its use."""
        with self._lock:
            return self._values.get(key)

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The cached value of a key, or the result of `make`. Threads may make the same value at the same time."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            if key not in self._values:
                self._values[key] = value
                self._weight += self._weigh(value)
                while self._weight > self._bound and len(self._values) > 1:
                    _, forgotten = self._values.popitem(last=False)
                    self._weight -= self._weigh(forgotten)
        return value
