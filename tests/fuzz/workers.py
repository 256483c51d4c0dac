"""Processes that throw inputs at the doors until the time is up; one that hangs or dies is a crash, and replaced."""

import multiprocessing
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Final

from tests.fuzz.doors import DOORS
from tests.fuzz.judging import Crash, Found, settle
from tests.fuzz.work import Batch, Share, batches, make

_STUCK_SECONDS: Final = 240.0
_SHARED_MEMORY: Final = Path("/dev/shm")
_spawn: Final = multiprocessing.get_context("spawn")


@dataclass
class Result:
    """What came of all inputs by door, and one crash of each kind."""

    tallies: dict[str, Batch] = field(default_factory=dict)
    found: dict[tuple[str, str], Found] = field(default_factory=dict)

    def add(self, batch: Batch) -> list[Found]:
        """Count a batch; gives the kinds of crashes that are new."""
        self.tallies[batch.door] = self.tallies.get(batch.door, Batch(batch.door)) + batch
        fresh = {(batch.door, each.crash.signature): each for each in batch.found}
        fresh = {kind: each for kind, each in fresh.items() if kind not in self.found}
        self.found |= fresh
        return list(fresh.values())


def attack(names: Sequence[str], seed: int, seconds: float, jobs: int, on_crash: Callable[[Found], None]) -> Result:
    """Throw inputs at the doors for some time, in so many processes."""
    result = Result()
    until = time.monotonic() + seconds
    base = _SHARED_MEMORY if _SHARED_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="ctxtui-fuzz-", dir=base) as folder:
        shares = [Share(seed, number, jobs, Path(folder) / str(number), {}) for number in range(jobs)]
        running = [_Process(names, share, until) for share in shares]
        while running:
            for process in list(running):
                for batch in process.heard():
                    for found in result.add(batch):
                        on_crash(found)
                if process.is_over():
                    running.remove(process)
                    if time.monotonic() < until:
                        running.append(process.successor())
            wait([process.pipe for process in running], timeout=0.5)
    return result


class _Process:
    """One worker, watched: what it works at stands in shared memory, its batches come through a pipe."""

    def __init__(self, names: Sequence[str], share: Share, until: float) -> None:
        self._names, self._share, self._until = list(names), share, until
        self._now = _spawn.Array("q", [-1, -1])
        self._counts: Counter[str] = Counter(share.done)
        self._looked: tuple[float, list[int]] = (time.monotonic(), [-1, -1])
        self.pipe, other = _spawn.Pipe(duplex=False)
        self._process = _spawn.Process(target=_run, args=(self._names, share, until, self._now, other), daemon=True)
        self._process.start()
        other.close()

    def heard(self) -> list[Batch]:
        """The batches that came in, and one for a crash that ended the process."""
        came: list[Batch] = []
        try:
            while not self.pipe.closed and self.pipe.poll():
                came.append(self.pipe.recv())
        except (EOFError, OSError):
            self.pipe.close()
            self._process.join()
        for batch in came:
            self._counts[batch.door] += batch.inputs
        return came + self._ending()

    def _ending(self) -> list[Batch]:
        now = list(self._now[:])
        if now != self._looked[1]:
            self._looked = (time.monotonic(), now)
        is_stuck = time.monotonic() - self._looked[0] > _STUCK_SECONDS
        if is_stuck and self._process.is_alive():
            self._process.kill()
            return []
        if not self.is_over() or self._process.exitcode == 0:
            return []
        if self._process.exitcode == 1:
            raise RuntimeError("a worker failed, not what it tried; see above")
        name, at = self._names[now[0]], now[1]
        self._counts[name] = (at - self._share.first) // self._share.step + 1
        signature = "hangs" if is_stuck else f"ends the process with {self._process.exitcode}"
        crash = Crash(name, signature, f"input {at} of seed {self._share.seed}")
        return [Batch(name, 1, 0, 1, 0.0, (Found(crash, at, make(DOORS[name], self._share.seed, at)),))]

    def is_over(self) -> bool:
        """Whether it has ended and everything that it sent was heard."""
        return self.pipe.closed

    def successor(self) -> "_Process":
        """Another process that goes on behind the input that ended this one."""
        return _Process(self._names, replace(self._share, done=dict(self._counts)), self._until)


def _run(names: Sequence[str], share: Share, until: float, now: Any, pipe: Connection) -> None:
    settle(share.folder)
    positions = {name: place for place, name in enumerate(names)}

    def starts(name: str, at: int) -> None:
        now[:] = [positions[name], at]

    for batch in batches({name: DOORS[name] for name in names}, share, until, starts):
        pipe.send(batch)
    pipe.close()
