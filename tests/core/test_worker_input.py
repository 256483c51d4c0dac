"""Processes of this package: started in this Python alone, doing what their input says, and ended with all that they started."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from ctxtui.core.disk.workers import worker_process
from ctxtui.core.disk.workers.worker_process import Process

_CHILD = """
import sys
from pathlib import Path
from ctxtui.core.disk.workers.child import ignore_interrupts, orders
ignore_interrupts()
place = Path(sys.argv[1])
def line():
    read = sys.stdin.buffer.readline()
    if not read:
        raise EOFError
    return read
asked = orders(line, lambda: place.write_text("ended"))
for line in asked:
    print(line.decode().strip().upper(), flush=True)
    while line == b"work\\n":
        pass
"""
Start = Callable[[], Process]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[Process] = []

    def begin() -> Process:
        started.append(worker_process.start(["-c", _CHILD, str(tmp_path / "said")]))
        return started[-1]

    yield begin
    for each in started:
        worker_process.finish(each)


def _ask(process: Process, line: bytes) -> bytes:
    process.stdin.write(line)
    process.stdin.flush()
    return process.stdout.readline()


def _end(process: Process) -> int:
    """The status of a process without more input."""
    process.stdin.close()
    return process.wait(20)


@pytest.mark.parametrize("lines", [[], [b"one\n", b"two\n"], [b"one\n", b"work\n"]])
def test_a_process_does_what_arrives_and_ends_with_it(start: Start, tmp_path: Path, lines: list[bytes]) -> None:
    process = start()
    assert [_ask(process, line) for line in lines] == [line.upper() for line in lines]
    assert _end(process) == 0
    assert (tmp_path / "said").read_text() == "ended"


def test_an_interrupt_is_for_the_one_that_started_it(start: Start) -> None:
    process = start()
    assert _ask(process, b"one\n") == b"ONE\n"
    process.send_signal(signal.SIGINT)
    assert (_ask(process, b"two\n"), _end(process)) == (b"TWO\n", 0)


# Says the id of a child that would outlive it, then waits for its input to end.
_WITH_A_CHILD = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import threading; threading.Event().wait()"])
print(child.pid, flush=True)
sys.stdin.read()
"""


def test_it_ends_with_all_that_it_started() -> None:
    process = worker_process.start(["-c", _WITH_A_CHILD])
    child = psutil.Process(int(process.stdout.readline()))
    worker_process.finish(process)
    _, alive = psutil.wait_procs([child], timeout=60)
    assert alive == []
    assert process.returncode is not None
    assert process.stdout.closed


def test_what_was_waited_for_is_not_killed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    process = worker_process.start(["-c", ""])
    process.wait()
    killed: list[int] = []
    monkeypatch.setattr(os, "killpg", lambda pid, _: killed.append(pid), raising=False)
    worker_process.finish(process)
    assert killed == []


def test_it_answers_in_its_folder_with_its_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import os; print(os.getcwd(), os.environ.get('A'), os.environ.get('B'))"
    process = worker_process.start(["-c", code], folder=tmp_path, environment={"A": "1"})
    assert process.communicate(timeout=60)[0].decode().split() == [str(tmp_path), "1", "None"]
    # A program that is not Python is not started again.
    monkeypatch.setattr(sys, "executable", "/usr/bin/ctxtui")
    with pytest.raises(OSError, match="no Python"):
        worker_process.start(["-c", ""])


def test_it_imports_nothing_of_the_current_folder(tmp_path: Path) -> None:
    """A module of the folder, which may be a project, is not found, with or without options of the caller's."""
    (tmp_path / "planted.py").write_text("")
    code = "import importlib.util; print(importlib.util.find_spec('planted'))"
    for words in (["-c", code], ["-I", "-c", code]):
        process = worker_process.start(words, folder=tmp_path)
        assert process.communicate(timeout=60)[0] == b"None\n"
