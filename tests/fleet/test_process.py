"""Repositories examined in processes that can be lost: only the poisoned one is.

A process finds the modules of the program and of Python alone, so its work here is made of Python's own functions.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from ctxtui.core.disk.workers.child import NO_MEMORY
from ctxtui.core.disk.workers.process import Lost, WorkProcess
from ctxtui.fleet.cores import on_cores
from ctxtui.fleet.examine import FleetOrder, examine
from ctxtui.fleet.types import Member


def test_all_cores_work_and_only_the_poisoned_one_is_lost() -> None:
    asked = [*range(6), "seven", *range(7, 10)]
    found = dict(on_cores(float, asked, 60))
    assert isinstance(found.pop("seven"), Lost)
    assert found == {number: float(number) for number in asked if number != "seven"}


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
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
def test_what_hangs_is_ended() -> None:
    with closing(WorkProcess(grace=0)) as process, pytest.raises(Lost, match="took more than 2 seconds"):
        process.run(time.sleep, 600, 2)


@pytest.mark.heavy
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only there the system limits the memory")
def test_a_repository_that_takes_too_much_memory_is_an_error(tmp_path: Path) -> None:
    for number in range(40):
        (tmp_path / f"{number}.md").write_text(f"{number} {'word ' * 100_000}")
    (tmp_path / "AGENTS.md").write_text("".join(f"@{number}.md\n" for number in range(40)))
    (tmp_path / "CLAUDE.md").write_text("@AGENTS.md\n")
    with closing(WorkProcess(memory=110 * 1024**2)) as process:
        try:
            reason = process.run(partial(examine, order=FleetOrder()), Member("a", str(tmp_path)), 250).error
        except Lost as lost:
            reason = lost.reason
    assert NO_MEMORY in reason or "was ended by SIGABRT" in reason
