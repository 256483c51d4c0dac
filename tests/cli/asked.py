"""A command on a terminal of its own, and the one key or word that it waits for."""

import fcntl
import os
import select
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_LONGEST = 20.0


def at_terminal(command: Sequence[str], folder: Path, shown_first: str, answer: bytes) -> tuple[int, str]:
    """Run a command, answer once a text is on the screen; status and screen."""
    master, slave = os.openpty()
    own: Any = {"start_new_session": True, "preexec_fn": lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)}
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, cwd=folder, **own) as process:
        os.close(slave)
        shown, answered, deadline = "", False, time.monotonic() + _LONGEST
        try:
            while select.select([master], [], [], max(0, deadline - time.monotonic()))[0]:
                shown += os.read(master, 65_536).decode()
                if shown_first in shown and not answered:
                    os.write(master, answer)
                    answered = True
        except OSError:  # EIO: the last writer has closed the terminal
            pass
        finally:
            os.close(master)
            if time.monotonic() >= deadline:
                process.kill()
    return process.returncode, shown.replace("\r\n", "\n")


def answered(folder: Path, answer: str, *words: str) -> tuple[int, str]:
    """Run a command of ours, answer its question; status and screen."""
    return at_terminal([sys.executable, "-m", "ctxtui.cli", *words], folder, "[y/N]", f"{answer}\n".encode())
