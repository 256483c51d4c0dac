"""Large data in the app: bytes until it is opened, picked or asked for, then tokens."""

import re
from pathlib import Path

import pytest

from ctxtui.core.tokens.encodings import encoding
from tests.conftest import Project
from tests.tui.acting import meter
from tests.tui.conftest import Driver, Run

LOCK = "".join(f"package-{n}@1.{n}:\n" for n in range(600))
CASSETTE = "interactions: []\n" * 90


def count(text: str) -> int:
    return len(encoding("o200k_base").encode(text, disallowed_special=()))


@pytest.fixture
def large(project: Project) -> Path:
    files = {"README.md": "# Read me\n", "src/main.py": "print('hello')\n"}
    return project(files | {"tests/cassettes/a.yaml": CASSETTE, "yarn.lock": LOCK})


def known(driver: Driver) -> set[str]:
    session = driver.screen.session
    reader, counter = session.workspace.reader, session.budget.counter
    return {each.path for each in session.workspace.references if reader.known_entry(each, counter)}


def row(driver: Driver, name: str) -> str:
    """The words of a row of the tree, without its bar."""
    line = next(line for line in driver.text().splitlines() if f"○ {name}" in line or f"● {name}" in line)
    return " ".join(re.sub("[█▏▎▍▌▋▊▉]", "", line.split("│")[1]).split())


async def test_it_lies_there_by_its_bytes_until_it_is_counted_or_picked(large: Path, run: Run) -> None:
    async with run(large) as driver:
        await driver.press("t")
        titles = [each.node.title for each in driver.screen.context_tree.rows]
        assert titles[-2:] == ["yarn.lock", "cassettes"]
        await driver.press("t", "t", "t", "@tests/cassettes/a.yaml")
        assert row(driver, "tests/cassettes").endswith("1 file 2 kB")
        assert row(driver, "a.yaml").endswith("cassette 2 kB")
        assert row(driver, "yarn.lock").endswith("lock file 11 kB")
        assert "counting" not in driver.text()
        assert "# counts 2 kB of large data; space picks it too" in driver.text()
        await driver.go_to("tests/")
        assert "cassette: 1 file, 2 kB" in driver.text()
        total = count("# Read me\n") + count("print('hello')\n")
        assert driver.text().count(f"{total:,} tokens in 2 files + 13 kB not counted") == 1
        await driver.press("s", "enter")
        assert known(driver) == {"README.md", "src/main.py"}
        await driver.press("0")
        assert "+ 13 kB not counted: lock files, data and the like" in driver.text()
        await driver.press("@tests/", "number_sign")
        assert "counting 2 kB of large data" in [told.message for told in driver.told]
        assert row(driver, "tests/cassettes").endswith(f"1 file {count(CASSETTE):,}")
        await driver.press("number_sign")
        assert driver.told[-1].message == "no large data left to count here"
        await driver.pick("tests/")
        assert meter(driver).out == count(driver.screen.session.payload().text)
        assert row(driver, "tests/cassettes").endswith(f"● tests/cassettes 1 file {count(CASSETTE):,}")
        await driver.press("u", "a")
        assert {pick.id for pick in driver.screen.session.picks} == {"README.md", "src/main.py"}


async def test_moving_over_it_counts_nothing_and_enter_counts_one(large: Path, run: Run) -> None:
    async with run(large) as driver:
        await driver.go_to("tests/cassettes/a.yaml")
        for tab in ("reference", "sections"):
            driver.screen.view.tab = tab
            await driver.press("down", "up")
        driver.screen.view.tab = "text"
        assert known(driver) == {"README.md", "src/main.py"}
        await driver.press("@yarn.lock", "enter")
        assert known(driver) == {"README.md", "src/main.py", "yarn.lock"}
        assert "package-1@1.1:" in driver.text()
        assert row(driver, "yarn.lock").endswith(f"{count(LOCK):,}")
    # It stays counted until it changes.
    async with run(large) as driver:
        await driver.go_to("yarn.lock")
        assert row(driver, "yarn.lock").endswith(f"{count(LOCK):,}")
        (large / "yarn.lock").write_text(LOCK * 2)
        await driver.press("R")
        assert row(driver, "yarn.lock").endswith("lock file 22 kB")


async def test_a_search_shows_its_bytes_and_going_there_counts_it(large: Path, run: Run) -> None:
    async with run(large) as driver:
        await driver.press("S", *"yarn")
        assert "11 kB" in driver.text()
        assert "yarn.lock" not in known(driver)
        await driver.press("enter")
        assert "yarn.lock" in known(driver)
        assert "package-1@1.1:" in driver.text()
