"""Thousands of picks: keys are answered, and quitting waits for nothing, however many there are."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest

from ctxtui import Workspace
from ctxtui.session.figures import figures, marks
from ctxtui.session.picks import Pick
from tests.conftest import Project
from tests.tui.acting import is_unharmed
from tests.tui.conftest import Run


def many(project: Project, count: int) -> Path:
    return project({f"d{number % 20:02}/{number}.md": f"# File {number}\n" for number in range(count)})


async def test_quitting_does_not_wait_for_what_is_being_measured(project: Project, run: Run) -> None:
    root = many(project, 3_000)
    start = time.process_time()
    Workspace.open(root).session().pick("files/").layout()
    whole = time.process_time() - start
    async with run(root, (80, 24)) as driver:
        await driver.key("space")
        assert len(driver.screen.session.picks) == 3_000  # type: ignore[union-attr]
        start = time.process_time()
    # The end of every process that ran an event loop: it waits for the threads.
    await asyncio.get_running_loop().shutdown_default_executor()
    left = time.process_time() - start
    assert left < whole / 2, f"{left:.2f} of {whole:.2f} s"


@pytest.mark.parametrize("what", ["drop", "pin"])
async def test_a_change_of_one_pick_among_thousands_does_not_hold_the_screen(
    what: str, project: Project, run: Run
) -> None:
    """Fifty times the picks take well below fifty times as long (measured: 8), on the thread that draws."""

    async def seconds(count: int) -> float:
        found = []
        async with run(project({"a.md": "# A\n"}), (80, 24)) as driver:
            picks = tuple(Pick(f"gone/{number}.md") for number in range(count))
            driver.screen.desk.attempt(
                lambda session: session.with_selection(replace(session.selection, picks=picks))
            )
            for number in range(5):
                start = time.thread_time()
                driver.screen.desk.attempt(lambda session, id_=f"gone/{number}.md": getattr(session, what)(id_))  # type: ignore[misc]
                found.append(time.thread_time() - start)
        return min(found)

    # Fifty times as many picks; what is copied grows with them, what is worked out does not.
    assert await seconds(10_000) < 25 * await seconds(200)


def test_what_is_marked_first_is_what_is_measured_later(project: Project) -> None:
    session = Workspace.open(many(project, 60)).session()
    empty = figures(session)
    picked = session.pick("files/d00/").pick("d01/1.md").pick("d02/2.md#file-2").drop("d00/0.md")
    first, later = marks(picked, empty), figures(picked)
    assert {id_: (each.whole, each.part) for id_, each in first.taken.items()} == {
        id_: (each.whole, each.part) for id_, each in later.taken.items()
    }
    assert first.layout is empty.layout


async def test_numbers_that_come_while_the_app_quits_are_no_failure(project: Project, run: Run) -> None:
    async with run(project({"a.md": "# A\n"}), (80, 24)) as driver:
        screen = driver.screen
        await screen.remove_children()
        screen.figures = replace(screen.figures, taken={})
        await driver.frame()
        assert is_unharmed(driver)
