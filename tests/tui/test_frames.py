"""Frames: what keys lay out and draw again, what waits for the first frame, and what the app loads for it."""

import asyncio
import subprocess
import sys

import pytest

from ctxtui.tui.work.background import DEBOUNCE, FirstFrame, Pace
from tests.conftest import Project
from tests.tui.conftest import Run


async def test_moves_and_picks_do_not_lay_out_the_screen(project: Project, run: Run) -> None:
    texts = {f"notes/{place:02}.md": f"# Note {place}\n" + "\nText.\n" * (place % 2 * 90) for place in range(20)}
    async with run(project(texts), (120, 40)) as driver:
        # The first pick brings the Payload panel.
        await driver.press("@notes/03.md", "space")
        layouts: list[object] = []
        driver.screen.screen_layout_refresh_signal.subscribe(driver.screen, layouts.append)
        for key in ["j", " "] * 3:
            await driver.press(key)
        assert not layouts
        assert driver.screen.blocks.count == driver.screen.blocks.virtual_size.height == 4
        page = driver.screen.view.page
        assert page.text == "Note 6"
        assert page.max_scroll_y == 0
        await driver.press("j")
        assert page.virtual_size.height == len(page.text.split("\n")) > page.size.height


async def test_work_waits_for_the_first_frame() -> None:
    order: list[str] = []
    first_frame = FirstFrame()

    async def work() -> None:
        order.append("work")

    waiting = asyncio.ensure_future(first_frame.then(work)())
    await asyncio.sleep(0)
    order.append("frame")
    first_frame.drawn()
    await waiting
    await first_frame.then(work)()
    assert order == ["frame", "work", "work"]


def test_only_a_burst_of_keys_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = iter((10.0, 10.03, 10.06, 11.0))
    monkeypatch.setattr("ctxtui.tui.work.background.time.monotonic", lambda: next(keys))
    monkeypatch.setattr("ctxtui.tui.work.background.DEBOUNCE", DEBOUNCE)
    pace = Pace()
    waits = [pace.delay() for _ in range(4)]
    assert waits[1:3] == [DEBOUNCE] * 2
    assert max(waits[0], waits[3]) < DEBOUNCE / 2


def test_the_app_starts_without_what_only_some_screens_need() -> None:
    code = "import sys, ctxtui.tui.app; print(*(name for name in sys.modules if name.startswith('ctxtui')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    late = ["ctxtui.audit", "ctxtui.retrieval", "ctxtui.tui.screens.search", "ctxtui.tui.screens.detect"]
    late += ["ctxtui.agents.costs", "ctxtui.session.agent_start", "ctxtui.session.dashboard"]
    late += ["ctxtui.session.delivery.measuring"]
    assert "ctxtui.tui.screens.main" in loaded
    assert not [name for name in loaded if name.startswith(tuple(late))]
