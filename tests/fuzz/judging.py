"""One input at one door: what held, how long it took, and the crash if there was one; bounded in time and memory."""

import os
import resource
import shutil
import signal
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.fuzz.door import Broken, Check, Door, Input

# Of processor time, for an input of less than 100 kB.
SLOW_SECONDS: Final = 5.0
_SMALL: Final = 100_000
_MOST_SECONDS: Final = 20.0
# How often is looked whether an input still runs.
TICK_SECONDS = 2.5
_IDLE_SECONDS: Final = 0.005
_IDLE_TICKS: Final = 4
_MEMORY: Final = 1024**3
_HOMES: Final = ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")


class TooSlow(BaseException):
    """Raised in the middle of what takes too long; no door can catch it."""


@dataclass(frozen=True)
class Crash:
    """What went wrong: `signature` is the same for all inputs that hit one bug."""

    door: str
    signature: str
    trace: str


@dataclass(frozen=True)
class Found:
    """A crash, the number of the input that caused it, and the smallest input that does."""

    crash: Crash
    at: int
    given: Input


@dataclass(frozen=True)
class Outcome:
    """What came of one input; `seconds` of processor time, `checks` that held."""

    checks: int
    seconds: float
    crash: Crash | None


def judge(door: Door, given: Input, folder: Path) -> Outcome:
    """Put an input through a door. The folder is where a project is written; it is removed again."""
    check = Check(folder)
    start = time.process_time()
    crash = None
    try:
        with _alarm(start), _memory():
            door.run(given, check)
    except (Exception, TooSlow) as error:  # noqa: BLE001 - whatever is raised is what is looked for
        crash = Crash(door.name, _signature(error), "".join(traceback.format_exception(error, limit=-12)))
    seconds = time.process_time() - start
    if crash is None and seconds > SLOW_SECONDS and size_of(given) < _SMALL:
        crash = Crash(door.name, "slow", f"{seconds:.1f} s for {size_of(given):,} characters")
    shutil.rmtree(folder, ignore_errors=True)
    return Outcome(check.count, seconds, crash)


def size_of(given: Input) -> int:
    if isinstance(given, str):
        return len(given)
    return sum(len(each) for each in given.values() if isinstance(each, bytes))


def _signature(error: BaseException) -> str:
    if isinstance(error, TooSlow):
        return "waits" if "waits" in str(error) else "slow"
    if isinstance(error, Broken):
        return f"broken: {error.what}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/ctxtui/" in frame.filename]
    place = f"{frames[-1].filename.rpartition('/ctxtui/')[2]}:{frames[-1].name}" if frames else "the test itself"
    return f"{type(error).__name__} in {place}"


@contextmanager
def _alarm(start: float) -> Iterator[None]:
    """Raise TooSlow in what runs on, or waits, for too long."""
    seen, idle = start, 0

    def look(*_: object) -> None:
        nonlocal seen, idle
        now = time.process_time()
        idle = idle + 1 if now - seen < _IDLE_SECONDS else 0
        seen = now
        if now - start > _MOST_SECONDS:
            raise TooSlow(f"still running after {now - start:.0f} s of processor time")
        if idle >= _IDLE_TICKS:
            raise TooSlow("waits for something that does not come")

    signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, TICK_SECONDS, TICK_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def _memory() -> Iterator[None]:
    """Let an input take a gigabyte more than there is in use; beyond that it gets a MemoryError."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + _MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def settle(folder: Path) -> None:
    """Give this process a home of its own."""
    for name in _HOMES:
        os.environ[name] = str(folder / "home" / name)


def tidy(folder: Path) -> None:
    """Forget what the inputs left in caches."""
    shutil.rmtree(folder / "home", ignore_errors=True)
