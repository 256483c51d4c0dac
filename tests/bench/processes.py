"""Runs what is measured in processes of its own, each with a home of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.probes import STARTED, Answer

PROGRAM = (sys.executable, "-m", "ctxtui.cli")
_TICKS = os.sysconf("SC_CLK_TCK")


@contextmanager
def fresh_home() -> Iterator[dict[str, str]]:
    """An environment whose cache, state and configuration folders are new and empty."""
    with TemporaryDirectory(prefix="ctxtui-bench-") as home:
        kinds = ("CACHE", "STATE", "CONFIG", "DATA")
        folders = {f"XDG_{kind}_HOME": str(Path(home, kind.lower())) for kind in kinds}
        terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "TEXTUAL_ANIMATIONS": "none"}
        yield {**os.environ, **folders, **terminal}


def probe(name: str, folder: Path, home: Mapping[str, str]) -> Answer:
    """The answer of one probe, run in a process of its own."""
    command = (sys.executable, "-m", "tests.bench.probes", name, str(folder))
    environment = {**home, STARTED: str(time.monotonic())}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    answer: Answer = json.loads(done.stdout)
    return answer


def timed(arguments: Sequence[str], home: Mapping[str, str]) -> float:
    """Seconds that the program takes with those arguments, from start to exit; it must succeed."""
    start = time.perf_counter()
    done = subprocess.run([*PROGRAM, *arguments], env=home, capture_output=True, text=True)
    end = time.perf_counter()
    if done.returncode:
        raise SystemExit(f"ctxtui {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr}")
    return end - start


def warm_pages(folder: Path) -> None:
    """Read every file once, so that the disk is out of what follows."""
    for file in folder.rglob("*"):
        if file.is_file():
            file.read_bytes()


def family(pid: int) -> list[int]:
    """A process and all processes below it."""
    below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(inner for child in below for inner in family(int(child)))]


def cpu_seconds(pid: int) -> float:
    """The processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def peak_bytes(pid: int) -> int:
    """The most memory that a process and those below it ever held."""
    lines = (line for each in family(pid) for line in Path(f"/proc/{each}/status").read_text().splitlines())
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
