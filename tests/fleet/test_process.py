"""Work in processes that can be lost: killed, hanging, out of memory, or ending; nothing else is lost with them.

A process finds the modules of the program and of Python alone, so its work here is made of Python's own functions.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from ctxtui.fleet.cores import on_cores
from ctxtui.fleet.examine import Order
from ctxtui.fleet.process import Lost, Process
from ctxtui.fleet.task import examined
from ctxtui.fleet.types import NO_MEMORY, Member

New = Callable[..., Process]


@pytest.fixture
def new() -> Iterator[New]:
    """Makes processes that end with the test."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(closing(Process(**options)))


posix = pytest.mark.skipif(sys.platform == "win32", reason="needs signals and groups of processes")


@posix
def test_it_works_on_one_thing_after_another_in_a_process_of_its_own(new: New) -> None:
    process = new()
    group = process.run(os.getpgid, 0, 60)
    assert group == process.run(os.getpgid, 0, 60) != os.getpgid(0)
    process.close()
    with pytest.raises(ProcessLookupError):
        os.killpg(group, 0)


@posix
def test_one_that_ends_is_lost_and_another_one_works_on(new: New) -> None:
    process = new()
    for work, argument, said in (
        (signal.raise_signal, signal.SIGKILL, "was ended by SIGKILL"),
        (os._exit, 3, "ended with status 3"),
    ):
        with pytest.raises(Lost, match=said) as caught:
            process.run(work, argument, 60)
        assert caught.value.may_work_again
        assert process.run(len, "abc", 60) == 3


def test_one_that_hangs_is_ended(new: New) -> None:
    process = new(grace=0)
    began = time.monotonic()
    with pytest.raises(Lost, match="took more than 1 second") as caught:
        process.run(time.sleep, 600, 1)
    assert not caught.value.may_work_again
    assert time.monotonic() - began < 300


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there the system limits the memory")
def test_one_that_eats_memory_says_so(new: New) -> None:
    process = new(memory=512 * 1024**2)
    with pytest.raises(Lost, match=NO_MEMORY) as caught:
        process.run(bytearray, 2 * 1024**3, 60)
    assert not caught.value.may_work_again
    assert process.run(len, "abc", 60) == 3


def test_an_exception_is_a_reason(new: New) -> None:
    process = new()
    with pytest.raises(Lost, match="ValueError"):
        process.run(int, "seven", 60)


def test_all_cores_work_and_only_the_poisoned_one_is_lost() -> None:
    asked = [*range(6), "seven", *range(7, 10)]
    found = dict(on_cores(float, asked, 60))
    lost = found.pop("seven")
    assert isinstance(lost, Lost)
    assert found == {number: float(number) for number in asked if number != "seven"}


@posix
def test_what_kills_its_process_is_tried_again_alone() -> None:
    found = list(on_cores(signal.raise_signal, [signal.SIGCONT, signal.SIGKILL, signal.SIGURG], 60, most=2))
    assert {one for one, result in found if result is None} == {signal.SIGCONT, signal.SIGURG}
    ((one, lost),) = ((one, result) for one, result in found if isinstance(result, Lost))
    assert one == signal.SIGKILL
    assert "SIGKILL" in lost.reason
    assert found[-1][0] == signal.SIGKILL


def test_whoever_stops_listening_leaves_no_process() -> None:
    found = on_cores(time.sleep, [0, 600, 600], 600, most=2)
    assert next(found) == (0, None)
    found.close()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_a_repository_that_hangs_is_ended(new: New, tmp_path: Path) -> None:
    for name in ("objects", "refs"):
        (tmp_path / ".git" / name).mkdir(parents=True)
    # Git waits for someone who writes into it.
    os.mkfifo(tmp_path / ".git" / "config")
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    process = new(grace=0)
    with pytest.raises(Lost, match="took more than 2 seconds"):
        process.run(examined, (Member("a", str(tmp_path)), Order(seconds=2)), 2)


@pytest.mark.heavy
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there the system limits the memory")
def test_a_repository_that_takes_too_much_memory_is_an_error(new: New, tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"{number}.md").write_text(f"{number} {'word ' * 100_000}")
    (tmp_path / "AGENTS.md").write_text("".join(f"@{number}.md\n" for number in range(40)))
    (tmp_path / "CLAUDE.md").write_text("@AGENTS.md\n")
    process = new(memory=110 * 1024**2)
    try:
        reason = process.run(examined, (Member("a", str(tmp_path)), Order()), 250).error
    except Lost as lost:
        reason = lost.reason
    assert NO_MEMORY in reason or "was ended by SIGABRT" in reason
