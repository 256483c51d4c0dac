"""A value that is made once, whoever is cancelled while waiting for it."""

import asyncio
import threading
from contextlib import suppress
from functools import partial

from ctxtui.tui.work.background import SharedWork


async def test_who_is_cancelled_does_not_make_the_next_one_begin_again() -> None:
    begun, may_end = threading.Event(), threading.Event()
    made: list[int] = []

    def make() -> int:
        made.append(1)
        begun.set()
        may_end.wait(5)
        return 7

    once: SharedWork[int] = SharedWork(is_kept=True)
    project = object()
    for _ in range(3):
        waiting = asyncio.ensure_future(once.join(project, partial(asyncio.to_thread, make)))
        await asyncio.to_thread(begun.wait, 5)
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting
    may_end.set()
    assert await once.join(project, partial(asyncio.to_thread, make)) == 7
    assert made == [1]


async def test_callers_for_one_snapshot_share_the_work_underway() -> None:
    may_end = asyncio.Event()
    begun: list[str] = []

    async def work(name: str) -> str:
        begun.append(name)
        await may_end.wait()
        return name

    shared: SharedWork[str] = SharedWork()
    asked = [shared.join(("snapshot", 1), partial(work, name)) for name in ("first", "second")]
    waiting = [asyncio.ensure_future(each) for each in asked]
    while not begun:
        await asyncio.sleep(0)
    waiting[0].cancel()
    may_end.set()
    assert await waiting[1] == "first"
    assert await shared.join(("snapshot", 1), partial(work, "third")) == "third"
    assert begun == ["first", "third"]
