"""Sockets and host names of this machine."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ctxtui.core.base.errors import ContextError, invalid

HOST: Final = "127.0.0.1"
_BACKLOG: Final = 100
_LAST_PORT: Final = 65_535


def is_loopback(host: str) -> bool:
    """Whether a host is `localhost` or a loopback address. Other names are not resolved."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextmanager
def listening(port: int) -> Iterator[socket.socket]:
    """A loopback socket that listens until the block ends, on any free port if `port` is 0.

    Raises ContextError: invalid_request for a number that is no port, unavailable if the port is taken.
    """
    if not 0 <= port <= _LAST_PORT:
        raise invalid(f"not a port: {port}", hint=f"choose one from 0 to {_LAST_PORT}")
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            opened.bind((HOST, port))
            # Callers now wait instead of being refused.
            opened.listen(_BACKLOG)
        except OSError as error:
            raise ContextError("unavailable", f"cannot listen on port {port}", hint="choose another") from error
        yield opened
