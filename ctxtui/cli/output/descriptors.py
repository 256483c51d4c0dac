"""The standard descriptors 0 to 2. Imports nothing that a command needs."""

from __future__ import annotations

import os

STANDARD = (0, 1, 2)


def fill_closed() -> None:
    """Open /dev/null for closed descriptors. Otherwise the next opened file would take their number."""
    for fd in STANDARD:
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
