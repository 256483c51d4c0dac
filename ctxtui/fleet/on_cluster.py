"""Audit repositories on an existing Dask cluster: one task each, a few at a time, retried until each has a result."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple

import dask
from distributed import Client, Future, KilledWorker, Security, get_worker
from distributed.comm.core import connect
from distributed.config import initialize_logging

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.open_at import exists
from ctxtui.core.disk.workers.process import Lost, WorkProcess
from ctxtui.fleet.examine import FleetOrder, examine
from ctxtui.fleet.outcome import failed
from ctxtui.fleet.types import Member, Outcome, Where
from ctxtui.version import __version__

_TIMEOUT: Final = 15.0
_NOWHERE: Final[Mapping[str, Any]] = {"handlers": ["nowhere"], "level": "CRITICAL", "propagate": False}
_SETTINGS: Final[Mapping[str, Any]] = {
    # This program reports the problems itself.
    "distributed.logging": {
        "version": 1,
        "disable_existing_loggers": False,
        "handlers": {"nowhere": {"class": "logging.NullHandler"}},
        "loggers": dict.fromkeys(("distributed", "distributed.client", "tornado", "bokeh", "asyncio"), _NOWHERE),
    },
}
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


@contextmanager
def connected(where: Where) -> Iterator[Client]:
    """A client of a cluster whose workers have the same program version.

    Raises ContextError: unavailable without workers or with other versions, invalid_request for files without
    certificates or keys.
    """
    with dask.config.set(_SETTINGS):
        initialize_logging(dask.config.config)
        with _client_of(where) as client:
            yield client


@contextmanager
def _client_of(where: Where) -> Iterator[Client]:
    shown, security = plain_line(where.scheduler), _security(where)
    try:
        # A client that never connected logs complaints when it closes, so probe the address first.
        asyncio.run(asyncio.wait_for(_knock(where.scheduler, security or Security()), 2 * _TIMEOUT))
        client = Client(where.scheduler, security=security, timeout=_TIMEOUT, set_as_default=False)
    except (TypeError, ValueError) as error:
        hint = "write tcp://HOST:PORT, or tls://HOST:PORT with --tls-ca, --tls-cert and --tls-key"
        raise invalid(f"{shown} is not the address of a scheduler", hint=hint) from error
    except MemoryError as error:
        # Another service's first bytes may read as the length of a message.
        hint = "name the scheduler's own port, not the one of its pages"
        raise ContextError("unavailable", f"what answers at {shown} is not a scheduler", hint=hint) from error
    except OSError as error:
        hint = "check the address; a scheduler that wants TLS needs --tls-ca, --tls-cert and --tls-key"
        raise ContextError("unavailable", f"no scheduler answers at {shown}", True, hint) from error
    with client:
        _check_workers(client, shown)
        yield client


async def _knock(address: str, security: Security) -> None:
    """Raise OSError if nothing answers at an address, ValueError or TypeError if it is invalid."""
    comm = await connect(address, timeout=_TIMEOUT, **security.get_connection_args("client"))
    comm.abort()


def _security(where: Where) -> Security | None:
    """The certificates and key for TLS, or None without them."""
    files = {"tls_ca_file": where.ca, "tls_client_cert": where.cert, "tls_client_key": where.key}
    if not any(files.values()):
        return None
    hint = "--tls-ca, --tls-cert and --tls-key name files in PEM format"
    for file in filter(None, files.values()):
        if not exists(file):
            raise invalid(f"{file} does not exist", hint=hint)
    if not (where.ca and where.cert):
        raise invalid("TLS needs both --tls-ca and --tls-cert", hint=hint)
    security = Security(require_encryption=True, **{name: file for name, file in files.items() if file})
    try:
        security.get_connection_args("client")
    except (OSError, ValueError) as error:
        raise invalid("the files for TLS cannot be used together", hint=hint) from error
    return security


def program() -> str:
    """The version of ctxtui where this runs: workers run it to tell theirs."""
    return __version__


def _check_workers(client: Client, shown: str) -> None:
    """Wait for the first worker, then check the versions of all workers. `shown` is the scheduler in messages.

    Raises ContextError (unavailable) without workers after `_TIMEOUT`, and for another version.
    """
    try:
        client.wait_for_workers(1, timeout=_TIMEOUT)
    except TimeoutError as error:
        hint = f"start some: dask worker {shown}"
        raise ContextError("unavailable", f"the scheduler {shown} has no workers", True, hint) from error
    answers = client.run(program, on_error="return")
    wrong = {worker: answer for worker, answer in answers.items() if answer != program()}
    if wrong:
        worker, answer = next(iter(wrong.items()))
        has = f"runs ctxtui {plain_line(answer)}, and this is {program()}" if isinstance(answer, str) else ""
        rest = f", and {plural(len(wrong) - 1, 'more worker')} likewise" if len(wrong) > 1 else ""
        raise _unusable_workers(f"the worker {plain_line(str(worker))} {has or 'cannot import ctxtui'}{rest}")


def _unusable_workers(what: str) -> ContextError:
    return ContextError("unavailable", what, hint=f"install ctxtui {program()} with the same Python on all workers")


class Refused(NamedTuple):
    """A worker cannot work for any repository. `reason` continues a sentence after its name."""

    reason: str


def examine_on_worker(member: Member, order: FleetOrder) -> Outcome | Refused:
    """Audit a repository in a subprocess of a worker. Refused if the order comes from another program version."""
    if order.program != program():
        return Refused(f"runs ctxtui {program()}, and this is {order.program}")
    process = _free_process()
    try:
        return process.run(partial(examine, order=order), member, order.seconds, _TRIES)
    except Lost as lost:
        return failed(member, f"{lost.reason}, {_TRIES} times" if lost.may_work_again else lost.reason)
    except ContextError as error:
        return Refused(f"cannot start a process: {error.message}")
    finally:
        _free.put(process)


def _free_process() -> WorkProcess:
    """A free subprocess, else a new one with the memory limit of one thread of this worker."""
    try:
        return _free.get_nowait()
    except Empty:
        worker = get_worker()
        return WorkProcess((worker.memory_manager.memory_limit or 0) // max(1, worker.state.nthreads))


def on_cluster(client: Client, members: Iterable[Member], order: FleetOrder) -> Iterator[Outcome]:
    """Results as they arrive. Raises ContextError (unavailable) if the scheduler or all workers are gone.

    A worker with another version that joins later ends the run, too.
    """
    tasks = _Tasks(client, members, order)
    try:
        while tasks.fill():
            outcome = tasks.take()
            if outcome is not None:
                yield outcome
    finally:
        tasks.close()


def _lost_scheduler() -> ContextError:
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
        self._size = 1
        self._renewed = self._seen = float("-inf")

    def fill(self) -> bool:
        """Give free workers tasks. Returns whether any task is running."""
        self._require_scheduler()
        self._renew_size()
        while len(self._running) < self._size:
            member = self._again.popleft() if self._again else next(self._next, None)
            if member is None:
                break
            future = self._client.submit(examine_on_worker, member, self._order, pure=False)
            self._running[future] = member
            future.add_done_callback(self._done.put)
        return bool(self._running)

    def _renew_size(self) -> None:
        """Adapt the number of tasks to the threads of the cluster, every few seconds.

        Raises ContextError (unavailable) if the scheduler is gone, or all workers for `_PATIENCE` seconds.
        """
        now = time.monotonic()
        if now - self._renewed < _RENEW:
            return
        try:
            threads = sum(self._client.nthreads().values())
        except OSError as error:
            raise _lost_scheduler() from error
        self._renewed = now
        if threads or self._seen == float("-inf"):
            self._seen = now
        if now - self._seen > _PATIENCE:
            raise ContextError("unavailable", "the cluster has no workers left", True, hint=_AGAIN)
        if threads:
            self._size = _AHEAD * threads

    def _require_scheduler(self) -> None:
        if self._client.status != "running":
            raise _lost_scheduler()

    def take(self) -> Outcome | None:
        """A result, if one arrives soon, else None. A task whose worker was lost is tried again."""
        try:
            future = self._done.get(timeout=_LOOK)
        except Empty:
            self._require_scheduler()
            return None
        member = self._running.pop(future)
        try:
            found: Outcome | Refused = future.result()
        except KilledWorker:
            return self._retry_or_fail(member, f"its workers were killed, {plural(_TRIES, 'time')} in a row")
        except (CancelledError, OSError) as error:
            raise _lost_scheduler() from error
        except ImportError as error:
            raise _unusable_workers("a worker cannot import ctxtui") from error
        except Exception as error:  # noqa: BLE001 - what a cluster does to one task must not end the run
            return self._retry_or_fail(member, f"its worker failed: {type(error).__name__}: {error}")
        finally:
            future.release()
        if isinstance(found, Refused):
            raise _unusable_workers(f"a worker {plain_line(found.reason)}")
        return found

    def _retry_or_fail(self, member: Member, reason: str) -> Outcome | None:
        self._killed[member] += 1
        if self._killed[member] == _TRIES:
            return failed(member, reason)
        self._again.append(member)
        return None

    def close(self) -> None:
        """Cancel the running tasks."""
        for future in self._running:
            future.release()
