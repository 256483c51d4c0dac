"""Runs what is measured in processes of its own, each with a home of its own."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

from tests.bench.probes import STARTED

PROGRAM = (sys.executable, "-m", "ctxtui.cli")
_TICKS = os.sysconf("SC_CLK_TCK")
_LOOK_EVERY = 0.02  # seconds between two looks at the memory of a process


@dataclass(frozen=True, slots=True)
class Run:
    """A whole process from start to exit: seconds by the clock and of the processors, and most bytes of memory."""

    wall: float
    cpu: float
    peak: int
    output: bytes = b""

    def __str__(self) -> str:
        return f"{self.wall:.2f} s, processor {self.cpu:.2f} s, {self.peak / 1e6:.0f} MB"

    @property
    def raw(self) -> dict[str, object]:
        return {name: value for name, value in asdict(self).items() if name != "output"}


def middle(runs: Sequence[Run]) -> Run:
    """The run whose time by the clock is the median."""
    return sorted(runs, key=lambda run: run.wall)[len(runs) // 2]


@contextmanager
def fresh_home() -> Iterator[dict[str, str]]:
    """An environment whose cache, state and configuration folders are new and empty."""
    with TemporaryDirectory(prefix="ctxtui-bench-") as home:
        kinds = ("CACHE", "STATE", "CONFIG", "DATA")
        folders = {f"XDG_{kind}_HOME": str(Path(home, kind.lower())) for kind in kinds}
        terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "TEXTUAL_ANIMATIONS": "none"}
        # Users have compiled modules; without them, compiling is a third of a start.
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        yield {**inherited, **folders, **terminal}


def whole(command: Sequence[str], home: Mapping[str, str], given: bytes = b"") -> Run:
    """Run a command to its end, with bytes on its standard input; it must succeed."""
    with TemporaryFile() as out, TemporaryFile() as err, TemporaryFile() as into:
        into.write(given)
        into.seek(0)
        start = time.perf_counter()
        environment = {**home, STARTED: str(time.monotonic())}
        process = subprocess.Popen(command, env=environment, stdin=into, stdout=out, stderr=err)
        with watched(process.pid) as peak:
            _, status, used = os.wait4(process.pid, 0)
            wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            err.seek(0)
            told = err.read().decode("utf-8", "replace")
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{told}")
        out.seek(0)
        # Not `ru_maxrss`: it begins with what this process held when it started the other.
        return Run(wall, used.ru_utime + used.ru_stime, peak(), out.read())


@contextmanager
def watched(pid: int) -> Iterator[Callable[[], int]]:
    """Says how many bytes a process and those below it held so far, those that have ended included."""
    peak, ended = 0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while True:
            with suppress(OSError):
                peak = max(peak, memory(pid, "VmHWM"))
            if ended.wait(_LOOK_EVERY):
                return

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield lambda: peak
    finally:
        ended.set()
        watcher.join()


def probe(name: str, argument: str | Path, home: Mapping[str, str]) -> tuple[Run, Any]:
    run = whole((sys.executable, "-m", "tests.bench.probes", name, str(argument)), home)
    return run, json.loads(run.output)


def cold_and_warm(run: Callable[[Mapping[str, str]], Run], times: int, more: int = 1) -> tuple[list[Run], list[Run]]:
    """Runs in new homes, and runs in each of them right afterwards."""
    cold, warm = [], []
    for _ in range(times):
        with fresh_home() as home:
            cold.append(run(home))
            warm += [run(home) for _ in range(more)]
    return cold, warm


def warm_pages(folder: Path) -> None:
    """Read every file once, so that the disk is out of what follows."""
    for file in folder.rglob("*"):
        if file.is_file():
            file.read_bytes()


def family(pid: int) -> list[int]:
    below = (child for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split())
    return [pid, *(inner for child in below for inner in family(int(child)))]


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def memory(pid: int, kind: str) -> int:
    """The bytes of memory that a process and those below it hold (`VmRSS`), or each held at most (`VmHWM`)."""
    lines = (line for each in family(pid) for line in Path(f"/proc/{each}/status").read_text().splitlines())
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(kind))
