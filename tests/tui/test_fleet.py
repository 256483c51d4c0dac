"""The table of a fleet: every repository in one list, sorted, filtered, compared with the run before, and entered."""

import re
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from functools import partial
from pathlib import Path

import pytest

from ctxtui.fleet.overview import read_overview
from ctxtui.tui.fleet_app import FleetApp
from ctxtui.tui.screens.fleet import Fleet, FleetChoice, TableState
from tests.conftest import Project
from tests.fleet.kept import generated, keep, outcome
from tests.tui.acting import recorded, told_text
from tests.tui.conftest import Driver

Open = Callable[..., AbstractAsyncContextManager[Driver]]


@asynccontextmanager
async def table(
    file: Path, size: tuple[int, int] = (160, 45), view: TableState | None = None, **launch: object
) -> AsyncIterator[Driver]:
    """The app on a file with results."""
    app = FleetApp(partial(read_overview, file), view or TableState(), **launch)  # type: ignore[arg-type]
    app.animation_level = "none"
    told: list = []
    async with app.run_test(size=size, notifications=True, message_hook=recorded(told)) as pilot:
        driver = Driver(app, pilot, told)  # type: ignore[arg-type]
        await driver.frame()
        await driver.settle()
        yield driver


def fleet(driver: Driver) -> Fleet:
    assert isinstance(driver.app.screen, Fleet)
    return driver.app.screen


def names(driver: Driver) -> list[str]:
    return [row.kept.name for row in fleet(driver).rows.items]


def line(driver: Driver, name: str) -> str:
    return next(each for each in driver.text().split("\n")[3:] if re.match(rf"[> ]{re.escape(name)}\s", each))


BEFORE = [outcome("api", [("codex", 900)]), outcome("web", [("codex", 500)]), outcome("jobs", [("codex", 400)])]
NOW = [
    outcome("api", [("claude-code", 1_500), ("codex", 900)], ["error", "warning", "warning"]),
    outcome("web", [("codex", 300)], ["info"]),
    outcome("jobs", [("codex", 400)]),
    outcome("tools", error="git cannot read it"),
    outcome("bare"),
    outcome("fresh", [("cursor", 700)], ["error", "error"]),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two runs of six repositories."""
    return keep(tmp_path / "fleet.db", BEFORE, NOW)


async def test_a_row_says_all_of_a_repository(file: Path) -> None:
    async with table(file) as driver:
        assert names(driver) == ["api", "fresh", "jobs", "web", "bare", "tools"]
        commit = NOW[0].commit[:7]
        cells = line(driver, "api").lstrip(">").split()
        assert cells[:4] == ["api", commit, "claude-code", "1,500"]
        assert set(cells[4]) == {"█"}
        assert cells[5:] == ["+600", "2,400", "5", "1", "2", "·"]
        assert line(driver, "web").split()[-6:] == ["-200", "300", "3", "·", "·", "1"]
        assert line(driver, "jobs").split()[-6:] == ["·", "400", "3", "·", "·", "·"]
        assert "new" in line(driver, "fresh")
        assert line(driver, "tools").split() == ["tools", "git", "cannot", "read", "it"]
        first = driver.text().split("\n")[0]
        assert first.startswith(" Fleet   fleet.db   run 2 of ")
        assert ", since run 1 of " in first
        assert first.rstrip().endswith("6 repositories, 1 failed")
        assert "starts: claude-code 1,500 · codex 900" in driver.text()
        assert "start +600 since the run before" in driver.text()


async def test_the_first_run_is_compared_with_nothing(file: Path) -> None:
    async with table(file, view=TableState(run=1)) as driver:
        assert "change" not in driver.text().split("\n")[2]
        assert "since" not in driver.text()


async def test_the_numbers_of_thousands_are_below_their_titles(tmp_path: Path) -> None:
    async with table(keep(tmp_path / "fleet.db", generated(5_000), generated(5_000, True))) as driver:
        for width, height in ((160, 45), (120, 35), (80, 24), (60, 20)):
            await driver.resize(width, height)
            await driver.press("g")
            lines = driver.text().split("\n")
            assert max(map(len, lines)) <= width
            title = next(each for each in lines if each.startswith(" repository"))
            for word in ("start", "change", "tokens", "errors", "warn.")[: 5 if width >= 80 else 2]:
                end = title.index(word) + len(word)
                rows = lines[lines.index(title) + 1 : lines.index("─" * width)]
                below = [each for each in rows if re.match(r"[> ](\w+|…)/", each)]
                assert len(below) >= height // 2 - 2
                audited = [each for each in below if not re.search(r"git cannot", each)]
                assert [each for each in audited if not re.match(r"[\dw·] ", f"{each} "[end - 1 :])] == []
            await driver.press("G")
            assert fleet(driver).rows.cursor == 4_999
            kept = fleet(driver).rows.current.kept
            assert kept.name in driver.text()
            assert kept.error in driver.text()


async def test_the_table_is_sorted_filtered_walked_through_and_names_results_that_break(file: Path) -> None:
    async with table(file) as driver:
        seen = {}
        for _ in range(6):
            title = driver.text().split("\n")[2]
            marked = re.search(r"▼(\w+)|(▲|▼ \()", title)
            assert marked, title
            seen[marked[1] or marked[2]] = names(driver)
            await driver.press("t")
        assert seen == {
            "start": ["api", "fresh", "jobs", "web", "bare", "tools"],
            "change": ["api", "jobs", "web", "bare", "fresh", "tools"],
            "errors": ["fresh", "api", "web", "bare", "jobs", "tools"],
            "tokens": ["api", "fresh", "jobs", "web", "bare", "tools"],
            "▼ (": ["tools", "api", "bare", "fresh", "jobs", "web"],
            "▲": ["api", "bare", "fresh", "jobs", "tools", "web"],
        }
        assert names(driver) == seen["start"]
        for typed, found in (("claude", ["api"]), ("!codex", ["fresh", "bare", "tools"]), ("git cannot", ["tools"])):
            await driver.press("slash", *typed, "enter")
            assert names(driver) == found
            assert f"{len(found)} of 6" in driver.text().split("\n")[0]
            await driver.press("escape")
            assert len(names(driver)) == 6
        await driver.press("escape")
        assert driver.app.is_running
        await driver.press("g", "j", "j")
        assert fleet(driver).rows.current.kept.name == "jobs"
        await driver.press("left_square_bracket")
        assert "run 1 of" in driver.text()
        assert fleet(driver).rows.current.kept.name == "jobs"
        await driver.press("left_square_bracket")
        assert "this is the first run" in told_text(driver)
        await driver.press("right_square_bracket")
        assert names(driver)[1] == "fresh"
        file.write_bytes(b"no longer a database" * 99)
        file.with_name("fleet.db-wal").unlink(missing_ok=True)
        await driver.press("R")
        assert "does not hold results of a fleet" in driver.text()
        assert driver.app.is_running


async def test_enter_ends_with_the_folder_and_how_the_table_looked(project: Project, tmp_path: Path) -> None:
    here = project({"AGENTS.md": "# A\n"})
    file = keep(tmp_path / "fleet.db", [outcome("far", [("codex", 9)]), outcome("here", place=str(here))])
    async with table(file) as driver:
        await driver.press("t", "slash", *"her", "enter", "enter")
        choice = driver.app.return_value
    assert isinstance(choice, FleetChoice)
    assert choice == FleetChoice(here, TableState(None, "findings", "her", "here"))
    async with table(file, view=choice.view) as driver:
        assert names(driver) == ["here"]
        await driver.press("escape")
        assert fleet(driver).rows.current.kept.name == "here"
        assert "▼errors" in driver.text()


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("/nonesuch/api", "/nonesuch/api does not exist on this machine; open the results on the machine"),
        ("https://git.example.org/a/api", "ctxtui https://git.example.org/a/api fetches it and opens it"),
    ],
)
async def test_a_repository_that_is_not_here_is_not_entered(tmp_path: Path, place: str, told: str) -> None:
    async with table(keep(tmp_path / "fleet.db", [outcome("api", place=place)])) as driver:
        await driver.press("enter")
        assert told in told_text(driver)
        assert driver.app.is_running


async def test_a_run_that_goes_on_is_read_again(tmp_path: Path) -> None:
    file = keep(tmp_path / "fleet.db", generated(3), is_ended=False)
    async with table(file) as driver:
        assert "run 1 of" in driver.text()
        assert "3 of 3 repositories so far" in driver.text()
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("DELETE FROM repositories WHERE id = 1")
        await driver.press("R")
        assert "2 of 3 repositories so far" in driver.text()


async def test_hostile_names_and_values_change_nothing_on_the_screen(tmp_path: Path) -> None:
    nasty = "\x1b[31m[b]x[/b]\u202eevil\n2"
    file = keep(
        tmp_path / "fleet.db",
        [outcome(nasty, [(nasty, 5)], place=nasty), outcome(f"b{nasty}", error=nasty), outcome("字" * 200)],
    )
    async with table(file, (80, 24)) as driver:
        for _ in range(3):
            text = driver.text()
            assert "\x1b" not in text
            assert "\u202e" not in text
            assert len(text.split("\n")) == 24
            await driver.press("j")
        await driver.press("enter")
        assert driver.app.is_running


async def test_every_key_of_the_table_is_harmless(file: Path) -> None:
    for size in ((160, 45), (80, 24), (20, 6)):
        async with table(file, size) as driver:
            for key in ("G", "g", "pagedown", "pageup", "h", "l", "s", "t", "R", "question_mark", "escape", "colon"):
                await driver.press(key)
            await driver.press("escape", "slash", "z", "q", "z", "tab", "enter", "s", "escape")
            assert driver.app.is_running
            await driver.press("q")
            assert driver.app.return_value is None
            assert not driver.app.is_running
            assert not driver.app.return_code


async def test_keys_can_be_remapped_and_trouble_with_the_last_repository_is_shown(file: Path) -> None:
    async with table(file, keys={"sort": "5"}, trouble="api is locked [by] markup") as driver:
        await driver.settle()
        assert "api is locked [by] markup" in told_text(driver)
        assert "5 sort" in driver.text().split("\n")[-1]
        await driver.press("5")
        assert "▼change" in driver.text()
