"""Work in processes that can be lost: killed, hanging, out of memory, or ending; nothing else is lost with them.

A process finds the modules of the program and of Python alone, so its work here is made of Python's own functions.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from ctxtui.core.disk.workers.child import NO_MEMORY
from ctxtui.core.disk.workers.process import Lost, WorkProcess

New = Callable[..., WorkProcess]


@pytest.fixture
def new() -> Iterator[New]:
    """Makes processes that end with the test."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(closing(WorkProcess(**options)))


posix = pytest.mark.skipif(sys.platform == "win32", reason="needs signals and groups of processes")


@posix
def test_it_works_on_one_thing_after_another_in_a_process_of_its_own(new: New) -> None:
    process = new()
    group = process.run(os.getpgid, 0, 60)
    assert group == process.run(os.getpgid, 0, 60) != os.getpgid(0)
    # It gives way to the one that asks.
    assert process.run(os.nice, 0, 60) >= min(19, os.nice(0) + 10)
    process.close()
    with pytest.raises(ProcessLookupError):
        os.killpg(group, 0)


@posix
def test_one_that_ends_is_lost_and_another_one_works_on(new: New) -> None:
    process = new()
    ends = ((signal.raise_signal, signal.SIGKILL, "was ended by SIGKILL"), (os._exit, 3, "ended with status 3"))
    for work, argument, said in ends:
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
    with pytest.raises(Lost, match="ValueError"):
        new().run(int, "seven", 60)


@posix
@pytest.mark.parametrize("moment", ["before it starts", "while it works"])
def test_who_has_no_use_for_an_answer_ends_the_work_for_good(new: New, moment: str) -> None:
    process = new()
    if moment == "before it starts":
        process.kill()
    else:
        group = process.run(os.getpgid, 0, 60)
        threading.Thread(target=process.kill).start()
    with pytest.raises(Lost, match="was ended"):
        process.run(time.sleep, 600, 600)
    with pytest.raises(Lost):
        process.run(len, "abc", 60)
    if moment == "while it works":
        with pytest.raises(ProcessLookupError):
            os.killpg(group, 0)
