"""Workers of a fleet: local processes or an existing cluster, connected, version-checked and quiet."""

from __future__ import annotations

import asyncio
import logging
import pickle
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, Final, NamedTuple, Self

import dask
from distributed import Client, LocalCluster, Security
from distributed.comm.core import connect
from distributed.config import initialize_logging

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.tuning import cores
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.open_at import exists
from ctxtui.core.disk.private import own_cache, private_folder
from ctxtui.core.disk.workers import worker_process
from ctxtui.core.documents.records.lock import alone_in
from ctxtui.fleet import worker
from ctxtui.fleet.cores import memory_for
from ctxtui.fleet.task import program
from ctxtui.fleet.worker import Post

# A worker must not import modules from the current folder, which may be a project's.
_COMMAND: Final = ("-m", worker.__name__)
_LOOK: Final = 0.1
# Seconds between attempts to replace workers that fail to start.
_LONGEST_PAUSE: Final = 5.0

_TIMEOUT: Final = 15.0
_LOCAL: Final = "127.0.0.1"
_SILENT: Final = logging.CRITICAL + 1
_NOWHERE: Final[Mapping[str, Any]] = {"handlers": ["nowhere"], "level": "CRITICAL", "propagate": False}
_SETTINGS: Final[Mapping[str, Any]] = {
    # This program reports the problems itself.
    "distributed.logging": {
        "version": 1,
        "disable_existing_loggers": False,
        "handlers": {"nowhere": {"class": "logging.NullHandler"}},
        "loggers": dict.fromkeys(("distributed", "distributed.client", "tornado", "bokeh", "asyncio"), _NOWHERE),
    },
    # No web pages about the cluster, no profiles of workers.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.system-monitor.disk": False,
    "distributed.diagnostics.nvml": False,
    # A batch that only waits on a worker would count as a suspect when another batch kills the worker.
    "distributed.scheduler.worker-saturation": 1.0,
    # Smaller batches find the repository that kills workers, so Dask need not retry.
    "distributed.scheduler.allowed-failures": 0,
}


class Keeper:
    """Keeps a number of worker processes running until its block ends."""

    def __init__(self, post: Post, count: int) -> None:
        self._post = pickle.dumps(post)
        self._count = count
        self._workers: list[worker_process.Process] = []
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._keep, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()
        for each in self._workers:
            worker_process.finish(each)

    def _keep(self) -> None:
        pause = _LOOK
        while True:
            ended = [each for each in self._workers if each.poll() is not None]
            for each in ended:
                self._workers.remove(each)
                worker_process.close(each)
            pause = min(pause * 2, _LONGEST_PAUSE) if ended else _LOOK
            with suppress(OSError):
                while len(self._workers) < self._count:
                    self._workers.append(_started(self._post))
            if self._is_over.wait(pause):
                return


def _started(post: bytes) -> worker_process.Process:
    process = worker_process.start(_COMMAND, answers=False)
    assert process.stdin
    with suppress(OSError):
        process.stdin.write(post)
        process.stdin.flush()
    return process


class Where(NamedTuple):
    """The workers: a scheduler's address with TLS files, or local processes.

    Without `workers`, there is one process per core.
    """

    scheduler: str = ""
    ca: str = ""
    cert: str = ""
    key: str = ""
    workers: int | None = None


@contextmanager
def connected(where: Where) -> Iterator[Client]:
    """A client of workers with the same program version.

    Raises ContextError: unavailable without workers or with other versions, invalid_request for files without
    certificates or keys.
    """
    with dask.config.set(_SETTINGS), ExitStack() as stack:
        initialize_logging(dask.config.config)
        if where.scheduler:
            yield stack.enter_context(_client_of(where))
        else:
            yield stack.enter_context(_client_here(where.workers or cores()))


@contextmanager
def _client_here(count: int) -> Iterator[Client]:
    """Local workers. Only holders of a key in memory can talk to them."""
    security = Security.temporary()
    with (
        _own_folder() as folder,
        LocalCluster(
            n_workers=0,
            threads_per_worker=1,
            host=f"tls://{_LOCAL}",
            scheduler_port=0,
            dashboard_address=None,
            scheduler_kwargs={"dashboard": False, "dashboard_address": f"{_LOCAL}:0"},
            silence_logs=_SILENT,
            security=security,
        ) as cluster,
        Keeper(Post(cluster.scheduler_address, security, folder, memory_for(count), _SETTINGS), count),
        Client(cluster, security=security, set_as_default=False) as client,
    ):
        yield client


@contextmanager
def _own_folder() -> Iterator[str]:
    """A folder for this run's workers. Folders of killed runs are removed."""
    place = private_folder(own_cache() / "workers")
    with ExitStack() as stack:
        with alone_in(place):
            for left in place.iterdir():
                # A running process holds the lock of its folder.
                with suppress(ContextError), alone_in(left, seconds=0):
                    rmtree(left, ignore_errors=True)
            folder = Path(mkdtemp(dir=place))
            stack.callback(rmtree, folder, ignore_errors=True)
            stack.enter_context(alone_in(folder, seconds=0))
        yield str(folder)


@contextmanager
def _client_of(where: Where) -> Iterator[Client]:
    shown, security = plain_line(where.scheduler), _security(where)
    try:
        # A client that never connected logs complaints when it closes, so probe the address first.
        asyncio.run(asyncio.wait_for(_knock(where.scheduler, security or Security()), 2 * _TIMEOUT))
        client = Client(where.scheduler, security=security, timeout=_TIMEOUT, set_as_default=False)
    except (TypeError, ValueError) as error:
        hint = "write tcp://HOST:PORT, or tls://HOST:PORT with --tls-ca, --tls-cert and --tls-key"
        raise ContextError("invalid_request", f"{shown} is not the address of a scheduler", hint=hint) from error
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
            raise ContextError("invalid_request", f"{file} does not exist", hint=hint)
    if not (where.ca and where.cert):
        raise ContextError("invalid_request", "TLS needs both --tls-ca and --tls-cert", hint=hint)
    security = Security(require_encryption=True, **{name: file for name, file in files.items() if file})
    try:
        security.get_connection_args("client")
    except (OSError, ValueError) as error:
        raise ContextError("invalid_request", "the files for TLS cannot be used together", hint=hint) from error
    return security


def _check_workers(client: Client, shown: str) -> None:
    """Wait for the first worker, then check the versions of all workers present."""
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
        raise unable(f"the worker {plain_line(str(worker))} {has or 'cannot import ctxtui'}{rest}")


def unable(what: str) -> ContextError:
    """The error for workers with another program version."""
    return ContextError("unavailable", what, hint=f"install ctxtui {program()} with the same Python on all workers")
