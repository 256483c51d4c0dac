"""Jobs in a process of their own: a hang, a crash or a lack of memory there harms nothing else."""

from __future__ import annotations

import pickle
import signal
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.workers import child as work_child
from ctxtui.core.disk.workers import worker_process
from ctxtui.core.disk.workers.child import late
from ctxtui.core.disk.workers.lifetime import killed_after

T = TypeVar("T")
R = TypeVar("R")

# The module is never imported from a folder that may be a project.
_COMMAND: Final = ("-m", work_child.__name__)
# A job ends itself when its time is over. A job that cannot is killed this many seconds later.
GRACE: Final = 15.0


class Lost(Exception):
    """A job without a result: its process ended, or the job raised. `reason` is text about a project."""

    def __init__(self, reason: str, may_work_again: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.may_work_again = may_work_again
        """Whether something else may have killed it."""


class WorkProcess:
    """Runs one job after another in a process, which starts on demand. For one thread.

    Another thread may `kill` it for good, including its job. `memory` is the limit in bytes, 0 for none. `grace` is
    the time in seconds between a job's own timeout and a kill.
    """

    def __init__(self, memory: int = 0, grace: float = GRACE) -> None:
        self._memory, self._grace = memory, grace
        self._process: worker_process.Process | None = None
        self._is_killed = False

    def run(self, work: Callable[[T], R], argument: T, seconds: float, tries: int = 1) -> R:
        """The result of `work(argument)` in the process. `work` is a module-level function. Both are pickled.

        If something else may have killed the process, another one gets the job, up to `tries` times. Raises Lost
        if the job raises or exceeds `seconds` and the grace, ContextError (unavailable) if no process can be started.
        """
        for _ in range(tries - 1):
            try:
                return self._run(work, argument, seconds)
            except Lost as lost:
                if not lost.may_work_again:
                    raise
        return self._run(work, argument, seconds)

    def _run(self, work: Callable[[T], R], argument: T, seconds: float) -> R:
        """`run` with one try. The process is ended after any failure."""
        process = self._process or self._start()
        if self._is_killed:
            self.close()
            raise Lost("its process was ended")
        try:
            with killed_after(seconds + self._grace, partial(worker_process.kill, process)) as is_late:
                assert process.stdin
                pickle.dump((work, argument), process.stdin)
                process.stdin.flush()
                answer: work_child.Answer = _answer(process)
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
        """Kill the process without waiting for its end. This `run` and all later runs raise Lost."""
        self._is_killed = True
        process = self._process
        if process is not None:
            worker_process.kill(process)

    def close(self) -> None:
        """End the process. The next `run` starts a new process."""
        process, self._process = self._process, None
        if process is not None:
            worker_process.finish(process)

    def _start(self) -> worker_process.Process:
        """Start the process, and check that this very program answers. Raises Lost or ContextError (unavailable)."""
        try:
            process = self._process = worker_process.start([*_COMMAND, str(self._memory)])
        except OSError as error:
            hint = "install ctxtui with pip"
            raise ContextError("unavailable", f"no process can be started: {error}", hint=hint) from error
        answer = None
        with suppress(EOFError, OSError, pickle.UnpicklingError):
            answer = _answer(process)
        # Python may find another ctxtui than this one.
        if answer == work_child.__file__:
            return process
        self.close()
        if answer is None and (process.returncode or 0) < 0:
            raise Lost(f"its process {_how(process.returncode)}", may_work_again=True)
        raise ContextError("unavailable", "another ctxtui answered, or none", hint="install ctxtui for this Python")


def _answer(process: worker_process.Process) -> Any:
    assert process.stdout
    return pickle.load(process.stdout)  # noqa: S301 - from our own process


def _how(status: int | None) -> str:
    if status is not None and status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"
