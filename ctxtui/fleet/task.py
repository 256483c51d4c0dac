"""What a worker of a cluster does: a batch of repositories, one after another, in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from queue import Empty, SimpleQueue
from typing import Final, NamedTuple

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.workers.process import Lost, WorkProcess
from ctxtui.fleet.examine import Order, examine
from ctxtui.fleet.outcome import failed
from ctxtui.fleet.types import Member, Outcome
from ctxtui.version import __version__

# What kills a process is rarely the repository: that has limits of its own.
_TRIES: Final = 3
# The processes of this worker that have nothing to do: one for each thread at most, and they end with the worker.
_free: Final[SimpleQueue[WorkProcess]] = SimpleQueue()


class Refused(NamedTuple):
    """A worker cannot do what it should, no matter which repository; `reason` follows its name."""

    reason: str


def program() -> str:
    """The version of this program."""
    return __version__


def examine_batch(members: Sequence[Member], order: Order) -> list[Outcome] | Refused:
    """What the audit finds in some repositories; refused if another version of the program gave the order."""
    if order.program != program():
        return Refused(f"runs ctxtui {program()}, and this is {order.program}")
    process = _process()
    try:
        return [_examined(process, member, order) for member in members]
    except ContextError as error:
        return Refused(f"cannot start a process: {error.message}")
    finally:
        _free.put(process)


def examined(asked: tuple[Member, Order]) -> Outcome:
    """As `examine`, for the process that does it."""
    return examine(*asked)


def _examined(process: WorkProcess, member: Member, order: Order) -> Outcome:
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
    """The bytes that one thread of this worker may use, 0 for any."""
    from distributed import get_worker  # noqa: PLC0415 - an extra

    worker = get_worker()
    return (worker.memory_manager.memory_limit or 0) // max(1, worker.state.nthreads)
