"""The descriptors that every program is given. Imports nothing that a command needs."""

from __future__ import annotations

import os

STANDARD = (0, 1, 2)


def fill_closed() -> None:
    """Put /dev/null where the caller closed a descriptor, else the next file to be opened would land there."""
    for fd in STANDARD:
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
