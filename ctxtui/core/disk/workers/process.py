"""A process of its own for work on a project: what hangs, crashes or eats memory there harms nothing else."""

from __future__ import annotations

import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, TypeVar

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.workers import child as work_child
from ctxtui.core.disk.workers import own_process
from ctxtui.core.disk.workers.child import late

T = TypeVar("T")
R = TypeVar("R")

# No module comes from a folder that may be a project's.
_COMMAND: Final = ("-m", work_child.__name__)
# What a project takes ends itself when its time is over; only what cannot is killed, this many seconds later.
GRACE: Final = 15.0


class Lost(Exception):
    """The process ended or was ended before it had an answer; `reason` says how, in words about a project."""

    def __init__(self, reason: str, may_work_again: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.may_work_again = may_work_again
        """Whether something else may have killed it."""


class WorkProcess:
    """Works on one thing after another in a process that is started when it is needed; for one thread.

    Another thread may `kill` it, which ends what is under way, for good.

    `memory` is the most that it may use, in bytes, 0 for any; `grace` are the seconds after which one is killed that
    does not end when its time is over.
    """

    def __init__(self, memory: int = 0, grace: float = GRACE) -> None:
        self._memory, self._grace = memory, grace
        self._process: own_process.Process | None = None
        self._is_killed = False

    def run(self, work: Callable[[T], R], argument: T, seconds: float) -> R:
        """What a function of a module returns for an argument, both of which can be pickled.

        Raises Lost if there is no answer within the seconds and the grace, and ContextError (unavailable) if no
        process can be started.
        """
        process = self._process or self._start()
        if self._is_killed:
            self.close()
            raise Lost("its process was ended")
        try:
            with _patience(process, seconds + self._grace) as is_late:
                answer = _asked(process, (work, argument))
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            self.close()
            if is_late.is_set():
                raise Lost(late(seconds)) from error
            raise Lost(f"its process {_how(process.returncode)}", may_work_again=True) from error
        except BaseException:
            self.close()
            raise
        if answer.is_spent:
            self.close()
        if answer.error:
            raise Lost(answer.error)
        value: R = answer.value
        return value

    def kill(self) -> None:
        """End the process at once, without waiting for its end: a `run` under way raises Lost, as all later ones."""
        self._is_killed = True
        process = self._process
        if process is not None:
            own_process.kill(process)

    def close(self) -> None:
        """End the process; the next `run` starts another one."""
        process, self._process = self._process, None
        if process is not None:
            own_process.finish(process)

    def _start(self) -> own_process.Process:
        try:
            process = self._process = own_process.start([*_COMMAND, str(self._memory)])
        except OSError as error:
            hint = "install ctxtui with pip"
            raise ContextError("unavailable", f"no process can be started: {error}", hint=hint) from error
        with suppress(EOFError, OSError, pickle.UnpicklingError):
            # Python may find another ctxtui than the one that runs here.
            if _answer(process) == work_child.__file__:
                return process
        self.close()
        raise ContextError("unavailable", "another ctxtui answered, or none", hint="install ctxtui for this Python")


@contextmanager
def _patience(process: own_process.Process, seconds: float) -> Iterator[threading.Event]:
    """A process that has no answer after that time is killed, and then there is nothing to read."""
    is_late = threading.Event()

    def end() -> None:
        is_late.set()
        own_process.kill(process)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield is_late
    finally:
        timer.cancel()
        # Once it is waited for, its id may become that of another one.
        timer.join()


def _asked(process: own_process.Process, order: tuple[Callable[[Any], Any], Any]) -> work_child.Answer:
    assert process.stdin
    pickle.dump(order, process.stdin)
    process.stdin.flush()
    answer: work_child.Answer = _answer(process)
    return answer


def _answer(process: own_process.Process) -> Any:
    assert process.stdout
    return pickle.load(process.stdout)  # noqa: S301 - from our own process


def _how(status: int | None) -> str:
    if status is not None and status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"
