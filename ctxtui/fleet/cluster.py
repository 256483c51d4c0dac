"""The workers of a fleet: processes of this machine, or those of a cluster that exists; connected, checked, quiet."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, Final, NamedTuple

import dask
from distributed import Client, LocalCluster, Security
from distributed.comm.core import connect
from distributed.config import initialize_logging
from platformdirs import user_cache_path

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.tuning import cores
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.open_at import exists
from ctxtui.core.disk.private import private_folder
from ctxtui.core.documents.records.lock import alone_in
from ctxtui.fleet.cores import memory_for
from ctxtui.fleet.keeper import Keeper
from ctxtui.fleet.task import program
from ctxtui.fleet.worker import Post

_TIMEOUT: Final = 15.0
_LOCAL: Final = "127.0.0.1"
_SILENT: Final = logging.CRITICAL + 1
_NOWHERE: Final[Mapping[str, Any]] = {"handlers": ["nowhere"], "level": "CRITICAL", "propagate": False}
_SETTINGS: Final[Mapping[str, Any]] = {
    # Our own words say what is wrong.
    "distributed.logging": {
        "version": 1,
        "disable_existing_loggers": False,
        "handlers": {"nowhere": {"class": "logging.NullHandler"}},
        "loggers": dict.fromkeys(("distributed", "distributed.client", "tornado", "bokeh", "asyncio"), _NOWHERE),
    },
    # No pages about the cluster, no samples of what workers do.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.system-monitor.disk": False,
    "distributed.diagnostics.nvml": False,
    # A batch that waits on a worker counts as a suspect if another one kills the worker.
    "distributed.scheduler.worker-saturation": 1.0,
    # Which repository of a batch kills workers is found out here, by smaller batches.
    "distributed.scheduler.allowed-failures": 0,
}


class Where(NamedTuple):
    """Where the workers are: the address of a scheduler, with files for TLS; else processes of this machine.

    Without a number of `workers`, there is one for each core.
    """

    scheduler: str = ""
    ca: str = ""
    cert: str = ""
    key: str = ""
    workers: int | None = None


@contextmanager
def connected(where: Where) -> Iterator[Client]:
    """A client of workers that run this version of the program.

    Raises ContextError: unavailable if there are none or if they run another version, invalid_request for files
    that do not hold certificates or keys.
    """
    with dask.config.set(_SETTINGS), ExitStack() as stack:
        initialize_logging(dask.config.config)
        if where.scheduler:
            yield stack.enter_context(_client_of(where))
        else:
            yield stack.enter_context(_client_here(where.workers or cores()))


@contextmanager
def _client_here(count: int) -> Iterator[Client]:
    """Workers of our own; only who has the key, which is in memory alone, can talk to them."""
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
    """A folder of this run's workers; those that killed runs left are removed."""
    place = private_folder(user_cache_path("ctxtui") / "workers")
    with ExitStack() as stack:
        with alone_in(place):
            for left in place.iterdir():
                # Who runs holds the lock of its folder.
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
        # A client that was never connected complains at its end.
        asyncio.run(asyncio.wait_for(_knock(where.scheduler, security or Security()), 2 * _TIMEOUT))
        client = Client(where.scheduler, security=security, timeout=_TIMEOUT, set_as_default=False)
    except (TypeError, ValueError) as error:
        hint = "write tcp://HOST:PORT, or tls://HOST:PORT with --tls-ca, --tls-cert and --tls-key"
        raise ContextError("invalid_request", f"{shown} is not the address of a scheduler", hint=hint) from error
    except MemoryError as error:
        # What is not a scheduler may begin with words that read as the length of a message.
        hint = "name the scheduler's own port, not the one of its pages"
        raise ContextError("unavailable", f"what answers at {shown} is not a scheduler", hint=hint) from error
    except OSError as error:
        hint = "check the address; a scheduler that wants TLS needs --tls-ca, --tls-cert and --tls-key"
        raise ContextError("unavailable", f"no scheduler answers at {shown}", True, hint) from error
    with client:
        _check_workers(client, shown)
        yield client


async def _knock(address: str, security: Security) -> None:
    """Raise OSError if no one answers at an address, ValueError or TypeError if it cannot be one."""
    comm = await connect(address, timeout=_TIMEOUT, **security.get_connection_args("client"))
    comm.abort()


def _security(where: Where) -> Security | None:
    """The certificates and the key for TLS; None without them."""
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
    """Wait for the first worker, and ask all that are there for their version."""
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
    """The error for workers that cannot do what this program asks for."""
    return ContextError("unavailable", what, hint=f"install ctxtui {program()} with the same Python on all workers")
