"""Processes of this package, started with this Python and ended with all of their children.

Never a fork: the threads of this process hold locks.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

Process = subprocess.Popen[bytes]


def is_python() -> bool:
    """Whether the executable is Python. A frozen or embedding program would start itself again."""
    name = Path(sys.executable or "").name.lower()
    return name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False)


def python(*words: str) -> list[str]:
    """The command that starts this Python without imports from the current folder, which may be a project."""
    return [sys.executable, "-P", *words]


def start(
    words: Sequence[str],
    answers: bool = True,
    inherited: Sequence[int] = (),
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Process:
    """Start Python with the arguments `words`, a pipe to its input and, if it `answers`, a pipe from its output.

    `inherited` are file descriptors that stay open. Folder and environment are those of this process by default.
    Raises OSError if no process can be started.
    """
    if not is_python():
        raise OSError("there is no Python to start")
    return subprocess.Popen(  # noqa: S603 - this package, in this Python
        python(*words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE if answers else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=inherited,
        cwd=folder,
        env=environment,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        process_group=0 if _has_groups() else None,
    )


def kill(process: Process) -> None:
    """Kill a process and its children, unless it has ended: then its id may belong to another process."""
    if process.returncode is None:
        with suppress(OSError):
            if _has_groups():
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()


def finish(process: Process) -> None:
    """Kill a process and its children, wait for its end, and close its pipes."""
    kill(process)
    process.wait()
    close_pipes(process)


def close_pipes(process: Process) -> None:
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()


def _has_groups() -> bool:
    return hasattr(os, "killpg")
