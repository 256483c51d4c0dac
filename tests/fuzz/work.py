"""One process's share: inputs of each door by number, what became of them, and crashes made small."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from tests.fuzz.door import Door, Input
from tests.fuzz.judging import Crash, Found, judge, tidy
from tests.fuzz.shrink import shrunk

_BATCHES_AN_HOUR: Final = 2_000
_TIDY_AFTER: Final = 300


@dataclass(frozen=True)
class Batch:
    """What some inputs of one door came to; `slowest` in seconds of processor time."""

    door: str
    inputs: int = 0
    checks: int = 0
    crashes: int = 0
    slowest: float = 0.0
    found: tuple[Found, ...] = ()

    def __add__(self, other: "Batch") -> "Batch":
        sums = {key: getattr(self, key) + getattr(other, key) for key in ("inputs", "checks", "crashes", "found")}
        return Batch(self.door, slowest=max(self.slowest, other.slowest), **sums)


@dataclass(frozen=True)
class Share:
    """The inputs that are one process's: from `first` on each `step`-th of a seed; `done` of each door already."""

    seed: int
    first: int
    step: int
    folder: Path
    done: Mapping[str, int]

    def number(self, door: str, done: int) -> int:
        return self.first + self.step * (self.done.get(door, 0) + done)


def make(door: Door, seed: int, at: int) -> Input:
    """The input of a number: the same for the same seed, whatever ran before."""
    return door.generate(Random(f"{seed}/{door.name}/{at}"))


def batches(
    doors: Mapping[str, Door], share: Share, until: float, starts: Callable[[str, int], None]
) -> Iterator[Batch]:
    """Batch after batch of the door that is most behind, until a moment of the monotonic clock.

    `starts` hears of each input before it is tried; each kind of crash is made small once.
    """
    done = dict.fromkeys(doors, 0)
    known: set[tuple[str, str]] = set()
    tried = 0
    while time.monotonic() < until:
        name = min(doors, key=lambda each: (share.done.get(each, 0) + done[each]) / doors[each].hourly)
        door, batch = doors[name], Batch(name)
        size = max(1, door.hourly // _BATCHES_AN_HOUR)
        for at in [share.number(name, done[name] + place) for place in range(size)]:
            starts(name, at)
            place = share.folder / f"p{at}"
            given = make(door, share.seed, at)
            outcome = judge(door, given, place)
            found: tuple[Found, ...] = ()
            if outcome.crash and (name, outcome.crash.signature) not in known:
                known.add((name, outcome.crash.signature))
                found = (smallest(door, given, Found(outcome.crash, at, given), place),)
            batch += Batch(name, 1, outcome.checks, int(outcome.crash is not None), outcome.seconds, found)
            tried += door.is_project
            if tried >= _TIDY_AFTER:
                tidy(share.folder)
                tried = 0
        done[name] += size
        yield batch


def smallest(door: Door, given: Input, found: Found, folder: Path) -> Found:
    """The same crash of a smaller input; what is slow or blocks is tried less often."""
    kinds: list[Crash] = [found.crash]

    def crashes(tried: Input) -> bool:
        crash = judge(door, tried, folder).crash
        if crash is None or crash.signature != found.crash.signature:
            return False
        kinds.append(crash)
        return True

    small = shrunk(given, crashes)
    return Found(kinds[-1], found.at, small)
