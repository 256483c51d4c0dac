"""The pictures in `screenshots/` are what the app draws on `sample_context`, byte for byte.

`pytest tests/tui/test_screenshots.py --rewrite-screenshots` draws them anew.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from textual.widgets import Input

from tests.audit.repositories import Repo
from tests.conftest import REPOSITORY
from tests.fleet.kept import generated, keep
from tests.tui.acting import drawn, eventually, to_view
from tests.tui.animation import Frame, animate, lines_of
from tests.tui.conftest import Driver, Run
from tests.tui.test_fleet import table

FOLDER = REPOSITORY / "screenshots"


_CURATE = (
    *("@.context/CONSTITUTION", "space", "@AGENTS.md", "space", "@.context/TASKS#in-progress", "space"),
    *("@python/fastapi_patterns", "space", "b", *"12k", "enter", "@.context/TASKS#done"),
)
_BUDGET = ("b", *"2k", "enter")
_TASK = (*_BUDGET, "I", *"refund lines of an order before the window closes")

# The size of each picture, and what is done before: keys, `@` and the node to go to, `=` and the tab of View to open.
SCENES: dict[str, tuple[tuple[int, int], tuple[str, ...]]] = {
    "start": ((130, 44), ()),
    "curate": ((160, 45), _CURATE),
    "over-budget": ((160, 45), ("@.context/", "space", "F", "b", *"4000", "enter", "2", "G", "enter")),
    "medium": ((120, 35), _CURATE),
    "narrow": ((80, 24), _CURATE),
    "reference": ((120, 35), ("@python/fastapi_patterns", "=reference")),
    "sections": ((120, 35), ("@python/fastapi_patterns", "s", "j", "j", "space", "j", "space")),
    "outline": (
        (140, 40),
        ("@web/orders.ts", "O", "right", "@web/orders.ts#OrdersClient.cancel", "space", "=output"),
    ),
    "related": ((120, 35), ("@web/orders.ts", "L")),
    "filter": ((120, 35), ("slash", *"roll", "tab")),
    "detect": ((120, 35), ("D", "a")),
    "search": ((120, 35), ("S", *"idempotent", "tab")),
    "task": ((110, 26), _TASK),
    "task-marks": ((110, 26), (*_TASK, "tab", "tab", "down", "tab")),
    "task-picked": ((110, 26), (*_TASK, "f6", "escape")),
    "task-error": ((110, 26), (*_BUDGET, "I", *"IntegrityError at src/api/orders.py:56")),
    "task-symbol": ((110, 26), (*_BUDGET, "I", *"`formatMoney` shows the wrong currency", "f6")),
    "tasks": ((120, 35), ("@.context/TASKS#in-progress", "T", "=output")),
    "entries": ((120, 35), ("B", "slash", *"#billing", "tab", "up")),
    "audit": ((140, 40), ("A",)),
    "agents": ((140, 40), ("A", "right_square_bracket")),
    "map": ((140, 40), ("M", "z", "right")),
    "matrix": ((140, 30), to_view("matrix")),
    "light": ((140, 40), _CURATE),
    "help": ((120, 60), ("question_mark",)),
}


# Scenes that show the tree as the app opens it.
_OPENED = ("start", "map", "light")
# The pictures that show the findings of the background audit.
_WITH_FINDINGS = ("start", "curate", "medium", "narrow")


@pytest.mark.parametrize("name", SCENES)
async def test_it_looks_like_its_picture(name: str, sample: Path, run: Run, request: pytest.FixtureRequest) -> None:
    size, steps = SCENES[name]
    theme = "ctxtui-light" if name == "light" else None
    async with run(sample, size, audits=name in _WITH_FINDINGS, opened=name in _OPENED, theme=theme) as driver:
        await driver.press(*steps)
        picture = await taken(driver)
    compare(name, picture, request)


async def still(driver: Driver) -> None:
    """Stop the cursors of fields, which blink."""
    for field in driver.app.screen.query(Input):
        field.cursor_blink = False
    await driver.settle()


async def taken(driver: Driver) -> str:
    """The picture of the screen as it is now."""
    driver.app.clear_notifications()
    await still(driver)
    # With what lies below a dialog.
    driver.app.refresh()
    await driver.settle()
    return driver.app.export_screenshot(title="ctxtui")


def compare(name: str, picture: str, request: pytest.FixtureRequest) -> None:
    """Hold a picture against the one in the folder, or write it there if asked to."""
    file = FOLDER / f"{name}.svg"
    if request.config.getoption("--rewrite-screenshots"):
        file.write_text(picture, "utf-8")
    assert file.read_text("utf-8") == picture, f"{file.name} is out of date: --rewrite-screenshots draws it again"


async def test_the_history_looks_like_its_screenshot(
    tmp_path: Path, sample: Path, run: Run, request: pytest.FixtureRequest
) -> None:
    repo = Repo(tmp_path / "acme-orders")
    rules = (sample / "AGENTS.md").read_text("utf-8").splitlines(keepends=True)
    repo.commit({"AGENTS.md": "".join(rules[:8]), "CLAUDE.md": "@AGENTS.md\n"}, "Describe the project to agents")
    repo.commit({"AGENTS.md": "".join(rules[:20])}, "List the commands")
    repo.commit({"src/main.py": "print()\n"}, "Add the service")
    for name in ("style", "testing", "api"):
        text = (sample / ".claude" / "rules" / f"{name}.md") if name != "style" else (sample / "docs" / "style.md")
        repo.commit({f".claude/rules/{name}.md": text.read_text("utf-8")}, f"Write down the rules for {name}")
    repo.commit({"AGENTS.md": "".join(rules)}, "Say where things are")
    runbook = (sample / "docs" / "runbook.md").read_text("utf-8")
    repo.commit({"CLAUDE.md": "@AGENTS.md\n@docs/runbook.md\n", "docs/runbook.md": runbook}, "Import the runbook")
    repo.commit({"CLAUDE.md": "@AGENTS.md\n"}, "Take the runbook out of the start again")
    async with run(repo.root, (140, 40)) as driver:
        await driver.press(*to_view("history"))
        picture = await taken(driver)
    compare("history", picture, request)


async def test_changes_look_like_their_screenshot(
    tmp_path: Path, sample: Path, run: Run, request: pytest.FixtureRequest
) -> None:
    repo = Repo(tmp_path / "acme-orders")
    files = {name: (sample / name).read_text("utf-8") for name in ("AGENTS.md", "web/money.ts", "web/orders.ts")}
    repo.commit(files, "Show orders to customers")
    repo.write({"web/money.ts": files["web/money.ts"].replace("nothing to add up", "there is nothing to add up")})
    repo.write({"AGENTS.md": files["AGENTS.md"].replace("takes orders from", "takes and cancels orders of")})
    async with run(repo.root, (120, 35)) as driver:
        await driver.press("d", "down", "enter", "=output")
        picture = await taken(driver)
    compare("changes", picture, request)


async def test_the_table_of_a_fleet_looks_like_its_screenshot(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    file = keep(tmp_path / "fleet.db", generated(2_000), generated(2_000, True))
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE runs SET began = iif(id = 1, '2026-11-09', '2026-11-16') || 'T03:00:00+00:00'")
    async with table(file, (160, 45)) as driver:
        await driver.press("s", "j", "j")
        picture = await taken(driver)
    compare("fleet", picture, request)


# What the tour shows: the keys pressed, what is said of them, and for how many seconds.
TOUR: tuple[tuple[tuple[str, ...], str, float], ...] = (
    ((), "ctxtui: what is there, and what does it cost?", 2.0),
    (("1", "down", "down", "space"), "space picks: a folder, a file, a section", 1.2),
    (("slash",), "/ filters by words, in any order", 0.5),
    (("t",), "/ t", 0.2),
    (("a", "s", "k"), "/ task", 0.3),
    (("space", "p", "r", "o"), "/ task pro", 0.9),
    (("tab",), "tab picks what is found", 1.0),
    (("escape",), "the meter counts the payload exactly as it will be exported", 1.2),
    (("b",), "b sets a budget", 0.6),
    (("3", "k"), "b  3k", 0.5),
    (("enter",), "segments by source, and the room that is left", 1.4),
    (("t",), "t sorts by tokens", 1.0),
    (("a",), "a picks all: over the limit, texts are cut, never the count", 1.6),
    (("f",), "f leaves out whole documents instead", 1.4),
    (("u", "u"), "u takes it back", 0.9),
    (("A",), "A audits what agents load", 1.8),
    (("escape", "e"), "e exports", 0.8),
)


async def test_the_tour_shows_the_app_as_it_is(sample: Path, run: Run, request: pytest.FixtureRequest) -> None:
    frames: list[Frame] = []
    async with run(sample, (120, 32), audits=True) as driver:
        for keys, caption, seconds in TOUR:
            await driver.press(*keys)
            # Paths alone match first, until all headings are read.
            await eventually(driver, lambda: "reading headings" not in driver.text())
            driver.app.clear_notifications()
            await still(driver)
            frames.append(Frame(lines_of(drawn(driver.app)), caption, seconds))
        theme = driver.app.ansi_theme
    tour = animate(frames, 10, theme)
    assert len(frames) <= 30
    assert sum(frame.seconds for frame in frames) < 20
    assert len(tour) < 1_000_000
    compare("tour", tour, request)


def test_every_screenshot_has_a_scene() -> None:
    # The picture of the fleet's page is not of the app.
    others = {"changes", "fleet", "fleet-page", "history", "tour"}
    assert {picture.stem for picture in FOLDER.glob("*")} == {*SCENES, *others}
