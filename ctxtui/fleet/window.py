"""Keep cluster workers busy with a few batches at a time, and retry until each repository has a result."""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final

from distributed import Client, Future, KilledWorker

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.remote.address import is_address
from ctxtui.fleet.cluster import unable
from ctxtui.fleet.examine import FleetOrder
from ctxtui.fleet.outcome import failed
from ctxtui.fleet.task import Refused, examine_batch
from ctxtui.fleet.types import Member, Outcome

# A batch takes a second or two, much longer than sending it, and is cheap to repeat.
_MOST: Final = 8
_WEIGHT: Final = 600
# The time to fetch a repository is unknown in advance.
_REMOTE: Final = _WEIGHT // 2
# Listing takes this long even for an empty folder.
_LEAST: Final = 20
_SKIPPED: Final = frozenset({".git", "node_modules"})

# Batches per worker: no worker waits, and the cluster's memory stays small.
_AHEAD: Final = 2
_LOOK: Final = 0.5
_RENEW: Final = 5.0
# Seconds without any worker until the run ends.
_PATIENCE: Final = 60.0
# Repositories have limits of their own, so they rarely kill a worker. An existing cluster retries each attempt
# itself.
_TRIES_HERE, _TRIES_THERE = 12, 3
_AGAIN: Final = "what was found is kept; run the same command again to go on"

Batch = tuple[Member, ...]


def batches(members: Iterable[Member]) -> Iterator[tuple[Member, ...]]:
    """The repositories in order, in groups of similar work."""
    batch: list[Member] = []
    weight = 0
    for member in members:
        batch.append(member)
        weight += _weight(member)
        if len(batch) >= _MOST or weight >= _WEIGHT:
            yield tuple(batch)
            batch, weight = [], 0
    if batch:
        yield tuple(batch)


def _weight(member: Member) -> int:
    """The estimated work: the number of files, counted up to a full batch."""
    if is_address(member.place):
        return _REMOTE
    found = _LEAST
    folders = [Path(member.place)]
    while folders and found < _WEIGHT:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    found += 1
                    if found >= _WEIGHT:
                        break
                    if entry.name not in _SKIPPED and entry.is_dir(follow_symlinks=False):
                        folders.append(Path(entry.path))
        except OSError:
            continue
    return found


def examined(client: Client, members: Iterable[Member], order: FleetOrder) -> Iterator[list[Outcome]]:
    """Results as they arrive, at least one list (possibly empty) a second.

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
    """The running batches, and the batches that wait."""

    def __init__(self, client: Client, members: Iterable[Member], order: FleetOrder) -> None:
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
        """Give workers batches. Returns whether any work is left."""
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
        """The results of a batch, if one finishes soon."""
        try:
            future = self._done.get(timeout=_LOOK)
        except Empty:
            self._check()
            return []
        batch = self._running.pop(future)
        try:
            found = future.result()
        except KilledWorker:
            return self._split_suspects(batch, f"its workers were killed, {plural(self._tries, 'time')} in a row")
        except (CancelledError, OSError) as error:
            raise _gone() from error
        except ImportError as error:
            raise unable("a worker cannot import ctxtui") from error
        except Exception as error:  # noqa: BLE001 - what a cluster does to one batch must not end the run
            return self._split_suspects(batch, f"its worker failed: {type(error).__name__}: {error}")
        finally:
            future.release()
        if isinstance(found, Refused):
            raise unable(f"a worker {plain_line(found.reason)}")
        return list(found)

    def _split_suspects(self, batch: Batch, reason: str) -> list[Outcome]:
        """Split a batch to find the repository that kills workers. A repository that does so repeatedly fails."""
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
        """Cancel the running batches."""
        for future in self._running:
            future.release()
