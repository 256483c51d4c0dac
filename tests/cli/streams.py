"""Commands in this process, with their standard streams on a terminal, in a file, or on a full disk."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread
from typing import NamedTuple
from unittest.mock import patch

from ctxtui.cli.__main__ import main

Refused = Callable[..., str]


class Ran(NamedTuple):
    status: int
    out: bytes
    err: bytes


def status_of(words: Sequence[str]) -> int:
    """What `main` returns, or argparse exits with."""
    try:
        return main(words)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0


def in_pipe(words: Sequence[str], folder: Path) -> Ran:
    """Run with both streams in files, as behind pipes."""
    places = folder / "stdout", folder / "stderr"
    with _as_streams(*(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) for place in places)):
        status = status_of(words)
    return Ran(status, *(place.read_bytes() for place in places))


def on_terminal(words: Sequence[str]) -> Ran:
    """Run with each stream on a real terminal of its own; what arrived there."""
    out, err = _Screen(), _Screen()
    with _as_streams(out.slave, err.slave):
        status = status_of(words)
    return Ran(status, out.shown(), err.shown())


def with_stdout(words: Sequence[str], out: int, folder: Path) -> Ran:
    """Run with standard output on a descriptor, which is closed, and standard error in a file."""
    place = folder / "stderr"
    with _as_streams(out, os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)):
        status = status_of(words)
    return Ran(status, b"", place.read_bytes())


@contextmanager
def _as_streams(out: int, err: int) -> Iterator[None]:
    """Standard output and error on two descriptors, as Python sets them up, closed at the end."""
    with ExitStack() as stack:
        streams = [
            stack.enter_context(open(fd, "w", encoding="utf-8", errors=how))
            for fd, how in ((out, "strict"), (err, "backslashreplace"))
        ]
        with patch.object(sys, "stdout", streams[0]), patch.object(sys, "stderr", streams[1]):
            yield


class _Screen:
    """A terminal whose other end is read all the time, so that it never fills."""

    def __init__(self) -> None:
        self._master, self.slave = os.openpty()
        self._raw = b""
        self._reading = Thread(target=self._read, daemon=True)
        self._reading.start()

    def shown(self) -> bytes:
        """Everything written, once the other end is closed; the terminal's own CR before LF taken out."""
        self._reading.join(10)
        assert not self._reading.is_alive()
        os.close(self._master)
        return self._raw.replace(b"\r\n", b"\n")

    def _read(self) -> None:
        try:
            while data := os.read(self._master, 65_536):
                self._raw += data
        except OSError:  # EIO: the last writer has closed the terminal
            pass
