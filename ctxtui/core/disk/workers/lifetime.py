"""The lifetime of subprocesses: they end with this process, even if it is killed, or when their time is over."""

from __future__ import annotations

import atexit
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, TypeAlias

# After the end of its input, the shell kills the processes of the last line.
_SCRIPT: Final = 'while read -r line; do last=$line; done; [ -z "$last" ] || kill -s KILL -- $last'
_SECONDS: Final = 1.0

_Start: TypeAlias = Callable[[], subprocess.Popen[bytes]]


class _Guard:
    """A shell that outlives this process just long enough to end its subprocesses."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: list[int] = []
        self._shell: subprocess.Popen[bytes] | None = None
        self._owner = 0
        atexit.register(self.close)

    def update_processes(self, begun: int | None = None, ended: int | None = None) -> None:
        """Tell the guard, started if needed, which process began or ended. A negative number stands for a group."""
        with self._lock:
            if self._owner != os.getpid():
                # A child of this process needs a guard of its own.
                self._owner, self._shell, self._running = os.getpid(), None, []
            if begun is not None:
                self._running.append(begun)
            if ended in self._running:
                self._running.remove(ended)
            line = b" ".join(b"%d" % each for each in self._running) + b"\n"
            shell = self._running_shell()
            with suppress(OSError):
                if shell.stdin:
                    shell.stdin.write(line)

    def _running_shell(self) -> subprocess.Popen[bytes]:
        if self._shell is None or self._shell.poll() is not None:
            self._shell = subprocess.Popen(  # noqa: S603 - a fixed script
                ["/bin/sh", "-c", _SCRIPT],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                env={},
                # A signal from the terminal must end this process first.
                start_new_session=True,
            )
        return self._shell

    def close(self) -> None:
        """End the guard, which kills the processes that still run."""
        with self._lock:
            if self._shell is not None and self._owner == os.getpid() and self._shell.stdin:
                with suppress(OSError, subprocess.TimeoutExpired):
                    self._shell.stdin.close()
                    self._shell.wait(_SECONDS)


_guard = _Guard()


@contextmanager
def not_outliving(start: _Start, group: bool = False) -> Iterator[subprocess.Popen[bytes]]:
    """The process that `start` returns, which is killed (with `group`, its group too) if this process ends meanwhile.

    On Windows, the process outlives this one.
    """
    if os.name != "posix":
        yield start()
        return
    # The guard comes first: in the time that a shell takes to start, this process may be killed.
    _guard.update_processes()
    process = start()
    guarded = -process.pid if group else process.pid
    _guard.update_processes(begun=guarded)
    try:
        yield process
    finally:
        _guard.update_processes(ended=guarded)


@contextmanager
def killed_after(seconds: float, kill: Callable[[], object]) -> Iterator[threading.Event]:
    """Call `kill` for a process if the block takes over `seconds`, so that its output ends. Then the event is set."""
    is_late = threading.Event()

    def end() -> None:
        is_late.set()
        kill()

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield is_late
    finally:
        timer.cancel()
        # After the wait for a process, its id may belong to another one.
        timer.join()
