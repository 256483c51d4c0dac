"""An existing Dask cluster: connected, version-checked and quiet."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import dask
from distributed import Client, Security
from distributed.comm.core import connect
from distributed.config import initialize_logging

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.open_at import exists
from ctxtui.fleet.types import Where
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


def program() -> str:
    return __version__


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
