"""A counting process as its owner sees it: paths in, entries out."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TypeVar

from ctxtui.core import frames, own_process
from ctxtui.core.cache import Cache
from ctxtui.core.files import count_worker
from ctxtui.core.files.content import Stamp
from ctxtui.core.files.count_files import Pass
from ctxtui.core.notices import Notice
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.counts import Counts
from ctxtui.core.tokens.ledger import Entry

_COMMAND = ("-I", "-m", count_worker.__name__)
# The largest file takes some seconds, with the search for secrets.
PATIENCE = 60.0
"""The seconds after which a process that does not answer is given up."""
_GRACE = 2.0
# How often a worker is looked at in that time.
_LOOKS = 60

T = TypeVar("T")
Passed = Sequence[Pass] | Callable[[], Sequence[Pass]]
"""Functions that look at texts, or what gives them, called once a process has been started."""


class Lost(Exception):
    """The process cannot be started, ended, does not answer, or cannot count as it should."""


def cores() -> int:
    """The number of processors that this process may use."""
    if sys.version_info >= (3, 13):
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def can_fork() -> bool:
    """Whether one process can count on several cores."""
    return hasattr(os, "fork") and sys.platform != "win32"


class CountProcess:
    """Counts files below a root in a process of its own, with a number of workers; for several threads.

    The functions `also` look at every text as well, and `passes` is given what they found. Raises Lost if it cannot
    be started here.
    """

    def __init__(
        self,
        root: Path,
        ledger: Path | None,
        counter: TokenCounter,
        fast: bool,
        workers: int = 1,
        also: Passed = (),
        passes: Cache | None = None,
    ) -> None:
        self.is_fast = fast
        self.passes = passes
        self._is_whole = True
        self._workers: list[_Worker] = []
        # Ours are every other end; none of them is inherited by anybody else.
        pipes = [os.pipe() for _ in range(2 * (workers - 1))]
        theirs = [end for into, out in zip(pipes[::2], pipes[1::2], strict=True) for end in (into[0], out[1])]
        ours = [(into[1], out[0]) for into, out in zip(pipes[::2], pipes[1::2], strict=True)]
        try:
            self._process = own_process.start([*_COMMAND, *map(str, theirs)], inherited=theirs)
        except OSError as error:
            for end in (end for pair in ours for end in pair):
                os.close(end)
            raise Lost(str(error)) from error
        finally:
            for end in theirs:
                os.close(end)
        assert self._process.stdin
        assert self._process.stdout
        self.pid = self._process.pid
        self._workers.append(_Worker(self._process.stdin, self._process.stdout, self._kill))
        self._workers += [_Worker(os.fdopen(into, "wb"), os.fdopen(out, "rb"), self._kill) for into, out in ours]
        where = passes.directory if passes else None
        # To import what is given later takes a while, in which the process starts.
        looking = () if where is None else also() if callable(also) else also
        with suppress(Lost):
            self._workers[0].send(count_worker.order(root, ledger, counter, fast, where, looking))

    @property
    def workers(self) -> int:
        """How many batches are counted at the same time."""
        return len(self._workers)

    def count(self, paths: Sequence[str], worker: int = 0) -> list[tuple[str, Entry | Notice]]:
        """The counts of files as they are on disk, by one of the workers; raises Lost if it cannot tell."""
        try:
            files, found = self._workers[worker].ask(paths)
        except Lost:
            self._is_whole = False
            raise
        if self.passes:
            self.passes.give(found)
        return files

    def tokens(self, text: str) -> int:
        """The tokens of a text in the encoding of its counter; raises Lost if it cannot tell."""
        return self.tokens_of([text])[0]

    def tokens_of(self, texts: Sequence[str]) -> list[int]:
        """As `tokens`, of several texts in one go, which takes much less time."""
        try:
            return self._workers[0].tokens_of(texts)
        except Lost:
            self._is_whole = False
            raise

    def close(self) -> None:
        """End the process and its workers."""
        # While the encoder is built, it does not listen; and once it is lost, it ends no workers.
        if not (self._is_whole and self._workers[0].is_ready):
            self._kill()
        for worker in self._workers:
            worker.let_go()
        try:
            self._await_end()
        finally:
            for worker in self._workers:
                worker.close()

    def _await_end(self) -> None:
        try:
            self._process.wait(_GRACE)
        except BaseException as error:
            self._kill()
            self._process.wait()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise

    def _kill(self) -> None:
        own_process.kill(self._process)


class _Worker:
    """One who counts, at the other end of two pipes: one batch at a time, while the next one waits in the pipe."""

    def __init__(self, into: IO[bytes], out: IO[bytes], kill: Callable[[], None]) -> None:
        self.is_ready = False
        self._into, self._out = into, out
        self._kill = kill
        self._lost: Lost | None = None
        self._sending = threading.Lock()
        # Held until the answer to the batch that was sent last has been read: answers come in the order of batches.
        self._last = threading.Lock()
        # When the patience of each thread that waits ends.
        self._until: dict[int, float] = {}
        self._is_closed = threading.Event()
        self._watcher: threading.Thread | None = None

    def ask(self, paths: Sequence[str]) -> tuple[list[tuple[str, Entry | Notice]], dict[bytes, bytes]]:
        """The counts of files, and what was found in their texts; raises Lost, and then for all that follow."""
        return self._exchange(paths, lambda: self._answer(paths))

    def tokens_of(self, texts: Sequence[str]) -> list[int]:
        """The tokens of texts; raises Lost, and then for all that follow."""
        return self._exchange({count_worker.TEXTS: texts}, lambda: self._numbers(len(texts)))

    def _exchange(self, question: object, answer: Callable[[], T]) -> T:
        answered = threading.Lock()
        with answered:
            with self._sending, self._patience():
                self._try_sending(question)
                before, self._last = self._last, answered
            with before, self._patience():
                if self._lost is not None:
                    raise self._lost
                try:
                    self._await_start()
                    return answer()
                except (Lost, TypeError, ValueError) as error:
                    self._lost = Lost(str(error))
                    raise self._lost from error

    def _try_sending(self, question: object) -> None:
        # One that has ended may have told why before.
        with suppress(Lost):
            self.send(question)

    def _answer(self, paths: Sequence[str]) -> tuple[list[tuple[str, Entry | Notice]], dict[bytes, bytes]]:
        rows, found = self._receive(2)
        files = [_found(*row) for row in rows]
        if not isinstance(found, dict) or not all(type(each) is bytes for pair in found.items() for each in pair):
            raise Lost("the answer makes no sense")
        if sorted(path for path, _ in files) != sorted(paths):
            raise Lost("the answer is about other files")
        return files, found

    def _numbers(self, size: int) -> list[int]:
        numbers = self._receive(size)
        if any(type(number) is not int or number < 0 for number in numbers):
            raise Lost("the answer makes no sense")
        return numbers

    def send(self, value: object) -> None:
        """Write an order; raises Lost."""
        try:
            frames.write(self._into, value)
        except (OSError, ValueError) as error:
            raise Lost(str(error)) from error

    def let_go(self) -> None:
        """Ask for nothing more: then it ends."""
        with suppress(OSError):
            self._into.close()

    def close(self) -> None:
        """Close what is left of an ended one."""
        self._is_closed.set()
        self._out.close()

    @contextmanager
    def _patience(self) -> Iterator[None]:
        """A worker that does not answer for long is ended, and then there is nothing to read."""
        thread = threading.get_ident()
        self._until[thread] = time.monotonic() + PATIENCE
        if self._watcher is None:
            # One for all that follows: to start it takes longer than to count a line.
            self._watcher = threading.Thread(target=self._watch, daemon=True)
            self._watcher.start()
        try:
            yield
        finally:
            del self._until[thread]

    def _watch(self) -> None:
        while not self._is_closed.wait(PATIENCE / _LOOKS):
            if time.monotonic() > min(tuple(self._until.values()), default=math.inf):
                self._kill()
                return

    def _await_start(self) -> None:
        if not self.is_ready:
            file, problem = self._receive(2)
            # With `-I`, Python may find another ctxtui than the one that runs here.
            if file != count_worker.__file__:
                raise Lost("another ctxtui answered")
            if problem:
                raise Lost(problem)
            self.is_ready = True

    def _receive(self, length: int) -> list[Any]:
        """An answer, which must be a list of that length."""
        try:
            value = frames.read(self._out)
        except (OSError, EOFError, ValueError, TypeError) as error:
            raise Lost(str(error)) from error
        if not isinstance(value, list) or len(value) != length:
            raise Lost("the answer makes no sense")
        return value


def _found(path: str, *row: Any) -> tuple[str, Entry | Notice]:
    if len(row) == 1:
        return path, Notice("unreadable-file", row[0], path)
    times, digest, units, cuts, damage = row
    if type(digest) is not bytes or type(units) is not int:
        raise TypeError("the answer makes no sense")
    return path, Entry(Stamp(*times), digest, Counts.unpack(units, cuts), damage)
