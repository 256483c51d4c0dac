"""The repositories of a fleet on the workers of a cluster: few at a time, each until there is an answer for it."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from queue import Empty, SimpleQueue
from typing import Any, Final

from distributed import Client, Future, KilledWorker

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.fleet.batches import batches
from ctxtui.fleet.cluster import unable
from ctxtui.fleet.examine import Order
from ctxtui.fleet.outcome import failed
from ctxtui.fleet.task import Refused, examine_batch
from ctxtui.fleet.types import Member, Outcome

# Enough that no worker waits for the next one; the rest stays here, so that the cluster never knows much.
_AHEAD: Final = 2
_LOOK: Final = 0.5
_RENEW: Final = 5.0
# Seconds without any worker after which the run ends.
_PATIENCE: Final = 60.0
# What a repository may take is limited elsewhere, so it rarely is to blame for the end of a worker. A cluster that
# exists tries a few times itself each time.
_TRIES_HERE, _TRIES_THERE = 12, 3
_AGAIN: Final = "what was found is kept; run the same command again to go on"

Batch = tuple[Member, ...]


def examined(client: Client, members: Iterable[Member], order: Order) -> Iterator[list[Outcome]]:
    """What the workers find, as it comes; at least once a second, if only to say that there is nothing new.

    Raises ContextError (unavailable) if the scheduler or all workers are gone.
    """
    window = _Window(client, members, order)
    try:
        while window.fill():
            yield window.take()
    finally:
        window.close()


def _gone() -> ContextError:
    return ContextError("unavailable", "the scheduler is gone", True, hint=_AGAIN)


class _Window:
    """The batches that workers have, and those that come next."""

    def __init__(self, client: Client, members: Iterable[Member], order: Order) -> None:
        self._client, self._order = client, order
        self._next = batches(members)
        self._again: deque[Batch] = deque()
        self._killed: Counter[Batch] = Counter()
        self._running: dict[Future[Any], Batch] = {}
        self._done: SimpleQueue[Future[Any]] = SimpleQueue()
        self._size = 0
        self._tries = _TRIES_THERE if client.cluster is None else _TRIES_HERE
        self._renewed = self._seen = float("-inf")

    def fill(self) -> bool:
        """Give workers as much as they can have; whether anything is left to wait for."""
        self._check()
        self._renew()
        while len(self._running) < self._size:
            batch = self._again.popleft() if self._again else next(self._next, None)
            if batch is None:
                break
            future = self._client.submit(examine_batch, batch, self._order, pure=False)
            self._running[future] = batch
            future.add_done_callback(self._done.put)
        return bool(self._running)

    def _renew(self) -> None:
        now = time.monotonic()
        if now - self._renewed < _RENEW:
            return
        try:
            threads = sum(self._client.nthreads().values())
        except OSError as error:
            raise _gone() from error
        self._renewed = now
        if threads or self._seen == float("-inf"):
            self._seen = now
        if now - self._seen > _PATIENCE:
            raise ContextError("unavailable", "the cluster has no workers left", True, hint=_AGAIN)
        self._size = max(self._size if not threads else 0, _AHEAD * threads, 1)

    def _check(self) -> None:
        if self._client.status != "running":
            raise _gone()

    def take(self) -> list[Outcome]:
        """What one batch brought, if one is done soon."""
        try:
            future = self._done.get(timeout=_LOOK)
        except Empty:
            self._check()
            return []
        batch = self._running.pop(future)
        try:
            found = future.result()
        except KilledWorker:
            return self._killers(batch, f"its workers were killed, {plural(self._tries, 'time')} in a row")
        except (CancelledError, OSError) as error:
            raise _gone() from error
        except ImportError as error:
            raise unable("a worker cannot import ctxtui") from error
        except Exception as error:  # noqa: BLE001 - what a cluster does to one batch must not end the run
            return self._killers(batch, f"its worker failed: {type(error).__name__}: {error}")
        finally:
            future.release()
        if isinstance(found, Refused):
            raise unable(f"a worker {plain_line(found.reason)}")
        return list(found)

    def _killers(self, batch: Batch, reason: str) -> list[Outcome]:
        """Find out which of a batch kills workers; one alone that does so repeatedly is given up for a reason."""
        if len(batch) > 1:
            middle = len(batch) // 2
            self._again.extend((batch[:middle], batch[middle:]))
            return []
        self._killed[batch] += 1
        if self._killed[batch] < self._tries:
            self._again.append(batch)
            return []
        return [failed(batch[0], reason)]

    def close(self) -> None:
        """Ask for nothing more."""
        for future in self._running:
            future.release()
