"""Processes of this package do what their input says, and end when it does."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from ctxtui.core.disk.workers import worker_process
from ctxtui.core.disk.workers.worker_process import Process

_CHILD = """
import sys
from pathlib import Path
from ctxtui.core.disk.workers.child import leave_interrupts, orders
leave_interrupts()
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
    assert process.stdin
    assert process.stdout
    process.stdin.write(line)
    process.stdin.flush()
    return process.stdout.readline()


def _end(process: Process) -> int:
    assert process.stdin
    process.stdin.close()
    return process.wait(20)


@pytest.mark.parametrize("lines", [[], [b"one\n", b"two\n"], [b"one\n", b"work\n"]])
def test_a_process_does_what_arrives_and_ends_with_its_input(
    start: Start, tmp_path: Path, lines: list[bytes]
) -> None:
    process = start()
    assert [_ask(process, line) for line in lines] == [line.upper() for line in lines]
    assert _end(process) == 0
    assert (tmp_path / "said").read_text() == "ended"


def test_an_interrupt_is_for_the_one_that_started_it(start: Start) -> None:
    process = start()
    ask = partial(_ask, process)
    assert ask(b"one\n") == b"ONE\n"
    process.send_signal(signal.SIGINT)
    assert ask(b"two\n") == b"TWO\n"
    assert _end(process) == 0
