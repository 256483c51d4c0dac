"""A counting process as its owner sees it: paths in, entries out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ctxtui.core.files import count_worker
from ctxtui.core.files.content import Stamp
from ctxtui.core.notices import Notice
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.counts import Counts
from ctxtui.core.tokens.ledger import Entry

# A program of its own, never a fork: the threads of the app hold locks.
_COMMAND = ("-I", "-m", count_worker.__name__)


class Lost(Exception):
    """The process cannot be started, ended, or cannot count as it should."""


def cores() -> int:
    """The number of processors that this process may use."""
    if sys.version_info >= (3, 13):
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class CountProcess:
    """Counts files below a root in a process of its own; for several threads, one batch at a time.

    Raises Lost if it cannot be started here.
    """

    def __init__(self, root: Path, ledger: Path | None, counter: TokenCounter, fast: bool) -> None:
        if not _is_python():
            raise Lost("there is no Python to start")
        self.is_fast = fast
        self._turn = threading.Lock()
        self._is_ready = False
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this package, in this Python
                [sys.executable, *_COMMAND],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            raise Lost(str(error)) from error
        self.pid = self._process.pid
        with suppress(Lost):
            self._send(count_worker.order(root, ledger, counter, fast))

    def count(self, paths: Sequence[str]) -> list[tuple[str, Entry | Notice]]:
        """The counts of files as they are on disk; raises Lost if the process cannot tell."""
        with self._turn:
            self._await_start()
            self._send(paths)
            answer = self._receive()
        return [_found(*row) for row in answer]

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        with self._process:
            pass

    def _await_start(self) -> None:
        if not self._is_ready:
            hello = self._receive()
            # With `-I`, Python may find another ctxtui than the one that runs here.
            if not isinstance(hello, list) or hello[:1] != [count_worker.__file__]:
                raise Lost("another ctxtui answered")
            if hello[1]:
                raise Lost(hello[1])
            self._is_ready = True

    def _send(self, value: object) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(json.dumps(value).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise Lost(str(error)) from error

    def _receive(self) -> Any:
        assert self._process.stdout
        try:
            return json.loads(self._process.stdout.readline())
        except (OSError, ValueError) as error:
            raise Lost(str(error)) from error


def _is_python() -> bool:
    """Whether the executable is Python: a frozen program, or one that embeds it, would start itself again."""
    name = Path(sys.executable or "").name.lower()
    return name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False)


def _found(path: str, *row: Any) -> tuple[str, Entry | Notice]:
    if len(row) == 1:
        return path, Notice("unreadable-file", row[0], path)
    times, digest, units, cuts, damage = row
    counts = Counts.unpack(units, bytes.fromhex(cuts))
    return path, Entry(Stamp(*times), bytes.fromhex(digest), counts, damage)
