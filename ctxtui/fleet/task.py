"""The task of a cluster worker: a batch of repositories, one at a time, in a subprocess."""

from __future__ import annotations

from collections.abc import Sequence
from queue import Empty, SimpleQueue
from typing import Final, NamedTuple

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.workers.process import Lost, WorkProcess
from ctxtui.fleet.examine import FleetOrder, examine
from ctxtui.fleet.outcome import failed
from ctxtui.fleet.types import Member, Outcome
from ctxtui.version import __version__

# A repository rarely kills a process, because the audit has limits, so retry.
_TRIES: Final = 3
# Idle subprocesses of this worker, at most one per thread. They end with the worker.
_free: Final[SimpleQueue[WorkProcess]] = SimpleQueue()


class Refused(NamedTuple):
    """A worker cannot work for any repository. `reason` continues a sentence after its name."""

    reason: str


def program() -> str:
    return __version__


def examine_batch(members: Sequence[Member], order: FleetOrder) -> list[Outcome] | Refused:
    """Audit some repositories. Refused if the order comes from another program version."""
    if order.program != program():
        return Refused(f"runs ctxtui {program()}, and this is {order.program}")
    process = _process()
    try:
        return [_examined(process, member, order) for member in members]
    except ContextError as error:
        return Refused(f"cannot start a process: {error.message}")
    finally:
        _free.put(process)


def examined(asked: tuple[Member, FleetOrder]) -> Outcome:
    """`examine` as a function of one argument, for the subprocess."""
    return examine(*asked)


def _examined(process: WorkProcess, member: Member, order: FleetOrder) -> Outcome:
    reason = ""
    for _ in range(_TRIES):
        try:
            return process.run(examined, (member, order), order.seconds)
        except Lost as lost:
            reason = lost.reason
            if not lost.may_work_again:
                break
    else:
        reason = f"{reason}, {_TRIES} times"
    return failed(member, reason)


def _process() -> WorkProcess:
    try:
        return _free.get_nowait()
    except Empty:
        return WorkProcess(_memory())


def _memory() -> int:
    """The memory limit of one thread of this worker in bytes, or 0 without a limit."""
    from distributed import get_worker  # noqa: PLC0415 - an extra

    worker = get_worker()
    return (worker.memory_manager.memory_limit or 0) // max(1, worker.state.nthreads)
