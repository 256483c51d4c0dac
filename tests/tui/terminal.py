"""The real program on a real terminal: keys go in, raw bytes come out."""

import fcntl
import os
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import REPOSITORY

_PATIENCE = 20.0


class Terminal:
    """A pseudo-terminal of 120 columns and 35 lines."""

    def __init__(self) -> None:
        self.master, self.slave = os.openpty()
        termios.tcsetwinsize(self.slave, (35, 120))
        self.raw = b""

    def own(self) -> None:
        """Make it the controlling terminal of the process that calls."""
        # Whoever runs the tests may ignore this one, as `nohup` does, and children inherit that.
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)

    def read(self, seconds: float) -> bool:
        """Take what was drawn; tells whether there was something."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.master, 65_536)
        except OSError:
            return False
        self.raw += data
        return bool(data)

    def wait(self, holds: Callable[[bytes], bool], what: object = "") -> None:
        """Read until something holds of everything drawn since `mark`."""
        deadline = time.monotonic() + _PATIENCE
        while not holds(self.raw):
            assert time.monotonic() < deadline, (what, self.raw[-3_000:])
            self.read(0.1)

    def wait_for(self, text: str) -> None:
        """Read until a text has been drawn."""
        self.wait(lambda raw: text.encode() in raw, text)

    def type(self, text: str) -> None:
        """Press keys, and forget what was drawn before."""
        self.raw = b""
        os.write(self.master, text.encode())


@contextmanager
def ctxtui(
    *words: str, stdout: int | None = None, cwd: Path | None = None, **env: str
) -> Iterator[tuple[Terminal, subprocess.Popen[bytes]]]:
    """The program in a process of its own, with standard output on the terminal or elsewhere."""
    terminal = Terminal()
    variables = {key: value for key, value in os.environ.items() if key not in ("TMUX", "COLUMNS", "LINES")}
    variables |= {"TERM": "xterm-256color", "PYTHONPATH": str(REPOSITORY), "TEXTUAL_ANIMATIONS": "none"}
    process = subprocess.Popen(
        [sys.executable, "-m", "ctxtui.cli.__main__", *words],
        stdin=terminal.slave,
        stdout=terminal.slave if stdout is None else stdout,
        stderr=terminal.slave,
        start_new_session=True,
        preexec_fn=terminal.own,
        pass_fds=[terminal.slave],
        env=variables | env,
        cwd=cwd,
    )
    try:
        yield terminal, process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.wait(10)
        os.close(terminal.master)
        os.close(terminal.slave)


def ended(terminal: Terminal, process: subprocess.Popen[bytes]) -> int:
    """The exit status, once the program has ended; what it draws meanwhile is read."""
    deadline = time.monotonic() + _PATIENCE
    while process.poll() is None:
        assert time.monotonic() < deadline, terminal.raw[-3_000:]
        terminal.read(0.05)
    while terminal.read(0.05):
        pass
    return process.returncode
