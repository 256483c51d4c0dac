"""Thousands of picks: keys are answered, and quitting waits for nothing, however many there are."""

import asyncio
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from ctxtui import Workspace
from ctxtui.session.figures import figures, unmeasured_figures
from ctxtui.session.picks import Pick
from ctxtui.session.session import Session
from ctxtui.tui.desk import AT_ONCE
from tests.conftest import Project
from tests.tui.acting import is_unharmed, meanwhile, told_text
from tests.tui.conftest import Run


def many(project: Project, count: int) -> Path:
    return project({f"d{number % 20:02}/{number}.md": f"# File {number}\n" for number in range(count)})


async def test_quitting_does_not_wait_for_what_is_being_measured(project: Project, run: Run) -> None:
    root = many(project, 3_000)
    start = time.process_time()
    Workspace.open(root).session().mark_rows([""], True).layout()
    whole = time.process_time() - start
    async with run(root, (80, 24)) as driver:
        await driver.key("a")
        assert len(driver.screen.session.picks) == 3_000
        start = time.process_time()
    # The end of every process that ran an event loop: it waits for the threads.
    await asyncio.get_running_loop().shutdown_default_executor()
    left = time.process_time() - start
    assert left < whole / 2, f"{left:.2f} of {whole:.2f} s"


@pytest.mark.parametrize("what", ["drop", "pin"])
async def test_changing_one_of_thousands_of_picks_holds_nothing_up(what: str, project: Project, run: Run) -> None:
    """Fifty times the picks take well below fifty times as long (measured: 8), on the thread that draws."""

    async def seconds(count: int) -> float:
        found = []
        async with run(project({"a.md": "# A\n"}), (80, 24)) as driver:
            picks = tuple(Pick(f"gone/{number}.md") for number in range(count))
            driver.screen.desk.attempt(lambda now: now.with_selection(replace(now.selection, picks=picks)))
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
    picked = session.pick("d00/").pick("d01/1.md").pick("d02/2.md#file-2").drop("d00/0.md")
    first, later = unmeasured_figures(picked, empty), figures(picked)
    assert {id_: (each.whole, each.part) for id_, each in first.picked.items()} == {
        id_: (each.whole, each.part) for id_, each in later.picked.items()
    }
    assert first.layout is empty.layout
    # Whole files, the only picked section of one of them too.
    assert first.guess == sum(empty.totals[pick.id].tokens for pick in picked.picks)
    assert later.guess is None


async def test_a_guess_is_no_count(project: Project, run: Run) -> None:
    async with run(project({"a.md": "# A\n"}), (100, 30)) as driver:
        desk = driver.screen.desk
        for is_picked in (False, True):
            if is_picked:
                await driver.press("space")
            desk.is_behind, desk.figures = True, replace(desk.figures, guess=1_234, searched=56)
            driver.screen.show()
            await driver.settle()
            searching = "~1,234 tokens, no limit   searching for secrets, 56 %"
            assert (searching in driver.text()) == is_picked, "nothing is searched if nothing is picked"
        await driver.press("space")
        assert "~" not in driver.text().splitlines()[1]
        assert "searching" not in driver.text()


async def test_what_comes_while_the_app_quits_may_look_for_what_is_gone(project: Project, run: Run) -> None:
    async with run(project({"a.md": "# A\n"}), (80, 24)) as driver:
        screen = driver.screen

        async def late() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                screen.query_one("#gone")

        screen.run_worker(late(), group="watch")
        await screen.remove_children()
        screen.figures = replace(screen.figures, picked={})
        await driver.frame()
        assert is_unharmed(driver)
    assert driver.app.failure is None


async def test_the_title_says_that_many_picks_are_being_changed_until_it_ends(project: Project, run: Run) -> None:
    go_on = threading.Event()

    def pick(session: Session) -> Session:
        assert go_on.wait(60)
        return session.pick("a.md")

    async with run(project({"a.md": "# A\n"}), (80, 24)) as driver:
        driver.screen.desk.attempt(pick, AT_ONCE + 1)
        try:
            await meanwhile(driver, lambda: "changing picks …" in driver.text())
        finally:
            go_on.set()
        await driver.settle()
        assert "1 picked" in driver.text()
        assert "changing picks" not in driver.text()
        driver.screen.desk.attempt(lambda session: session.pick("gone.md"), AT_ONCE + 1)
        await driver.settle()
        assert "no document gone.md" in told_text(driver)
        assert "changing picks" not in driver.text()
