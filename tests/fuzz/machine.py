"""What the scripts that break the machine share: a project to break, runs of the command, and the last word."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.fuzz.judging import settle
from tests.fuzz.pieces import REPOSITORY

SAMPLE = REPOSITORY / "sample_context"


@contextmanager
def workplace() -> Iterator[Path]:
    """A folder with a home of its own and, as `project`, a copy of the sample project."""
    with tempfile.TemporaryDirectory(prefix="ctxtui-fuzz-") as name:
        folder = Path(name)
        settle(folder)
        shutil.copytree(SAMPLE, folder / "project")
        yield folder


def command(
    *words: str, out: int | None = None, before: Sequence[str] = (), seconds: float = 60.0
) -> subprocess.CompletedProcess[bytes]:
    """Run `ctxtui`, perhaps by another program that comes `before`; raises TimeoutExpired when it does not end."""
    line = [*before, sys.executable, "-m", "ctxtui.cli", *words]
    return subprocess.run(
        line,
        stdout=out or subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        timeout=seconds,
        check=False,
    )


def quiet(_: object) -> None:
    """Hears notices that nobody needs."""


def killed_after(seconds: float, work: Callable[[], None]) -> None:
    """Do some work in a child process, and kill it after some time if it still runs."""
    child = os.fork()
    if child == 0:
        os._exit(_done(work))
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def in_child(work: Callable[[], None]) -> bool:
    """Do some work in a child process; whether it did not raise."""
    child = os.fork()
    if child == 0:
        os._exit(_done(work))
    return os.waitpid(child, 0)[1] == 0


def _done(work: Callable[[], None]) -> int:
    try:
        work()
    except BaseException as error:  # noqa: BLE001 - a child never returns into the parent's code
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


def last_word(tried: int, failed: Sequence[str], what: str) -> int:
    """Print the figures and what failed; the exit status."""
    for line in failed[:20]:
        print(f"  {line}")
    print(f"{tried} {what}, {len(failed)} failed")
    return 1 if failed else 0
