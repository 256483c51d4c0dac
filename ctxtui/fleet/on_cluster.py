"""Audit repositories on a cluster: one task each, a few at a time, retried until each has a result."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple

from distributed import Client, Future, KilledWorker, get_worker

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.workers.process import Lost, WorkProcess
from ctxtui.fleet.cluster import program, unable
from ctxtui.fleet.examine import FleetOrder, examine
from ctxtui.fleet.outcome import failed
from ctxtui.fleet.types import Member, Outcome

# Tasks for each thread of a worker: none waits, and the cluster's memory stays small.
_AHEAD: Final = 4
_LOOK: Final = 0.5
_RENEW: Final = 5.0
# Seconds without any worker until the run ends.
_PATIENCE: Final = 60.0
# A repository rarely kills a process, because the audit has limits, so retry. Dask retries a killed worker, too.
_TRIES: Final = 3
_AGAIN: Final = "what was found is kept; run the same command again to go on"
# Idle subprocesses of this worker, at most one per thread. They end with the worker.
_free: Final[SimpleQueue[WorkProcess]] = SimpleQueue()


class Refused(NamedTuple):
    """A worker cannot work for any repository. `reason` continues a sentence after its name."""

    reason: str


def examine_there(member: Member, order: FleetOrder) -> Outcome | Refused:
    """Audit a repository in a subprocess of a worker. Refused if the order comes from another program version."""
    if order.program != program():
        return Refused(f"runs ctxtui {program()}, and this is {order.program}")
    process = _process()
    try:
        return _examined(process, member, order)
    except ContextError as error:
        return Refused(f"cannot start a process: {error.message}")
    finally:
        _free.put(process)


def _examined(process: WorkProcess, member: Member, order: FleetOrder) -> Outcome:
    try:
        return process.run(partial(examine, order=order), member, order.seconds, _TRIES)
    except Lost as lost:
        return failed(member, f"{lost.reason}, {_TRIES} times" if lost.may_work_again else lost.reason)


def _process() -> WorkProcess:
    """A subprocess with the memory limit of one thread of this worker."""
    try:
        return _free.get_nowait()
    except Empty:
        worker = get_worker()
        return WorkProcess((worker.memory_manager.memory_limit or 0) // max(1, worker.state.nthreads))


def on_cluster(client: Client, members: Iterable[Member], order: FleetOrder) -> Iterator[Outcome]:
    """Results as they arrive. Raises ContextError (unavailable) if the scheduler or all workers are gone."""
    tasks = _Tasks(client, members, order)
    try:
        while tasks.fill():
            outcome = tasks.take()
            if outcome is not None:
                yield outcome
    finally:
        tasks.close()


def _gone() -> ContextError:
    return ContextError("unavailable", "the scheduler is gone", True, hint=_AGAIN)


class _Tasks:
    """The tasks that the scheduler knows, and the repositories that wait."""

    def __init__(self, client: Client, members: Iterable[Member], order: FleetOrder) -> None:
        self._client, self._order = client, order
        self._next = iter(members)
        self._again: deque[Member] = deque()
        self._killed: Counter[Member] = Counter()
        self._running: dict[Future[Any], Member] = {}
        self._done: SimpleQueue[Future[Any]] = SimpleQueue()
        self._size = 0
        self._renewed = self._seen = float("-inf")

    def fill(self) -> bool:
        """Give workers tasks. Returns whether any work is left."""
        self._check()
        self._renew()
        while len(self._running) < self._size:
            member = self._again.popleft() if self._again else next(self._next, None)
            if member is None:
                break
            future = self._client.submit(examine_there, member, self._order, pure=False)
            self._running[future] = member
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

    def take(self) -> Outcome | None:
        """A result, if one arrives soon."""
        try:
            future = self._done.get(timeout=_LOOK)
        except Empty:
            self._check()
            return None
        member = self._running.pop(future)
        try:
            found: Outcome | Refused = future.result()
        except KilledWorker:
            return self._retried(member, f"its workers were killed, {plural(_TRIES, 'time')} in a row")
        except (CancelledError, OSError) as error:
            raise _gone() from error
        except ImportError as error:
            raise unable("a worker cannot import ctxtui") from error
        except Exception as error:  # noqa: BLE001 - what a cluster does to one task must not end the run
            return self._retried(member, f"its worker failed: {type(error).__name__}: {error}")
        finally:
            future.release()
        if isinstance(found, Refused):
            raise unable(f"a worker {plain_line(found.reason)}")
        return found

    def _retried(self, member: Member, reason: str) -> Outcome | None:
        self._killed[member] += 1
        if self._killed[member] == _TRIES:
            return failed(member, reason)
        self._again.append(member)
        return None

    def close(self) -> None:
        """Cancel the running tasks."""
        for future in self._running:
            future.release()
