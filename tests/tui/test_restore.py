"""The app begins as it was left, and says what has changed."""

from pathlib import Path

from tests.tui.acting import answer, mark, meter, paste, told_text, tree_line
from tests.tui.conftest import Run


async def test_the_last_selection_comes_back(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        await driver.press("@AGENTS.md", "space", "@.context/TASKS#in-progress", "space", "p", "i")
        await paste(driver, "Why?")
        await driver.press("f2", "F")
        await answer(driver, "b", "9k")
        before = meter(driver)
    async with run(sample, restore=True) as driver:
        assert meter(driver) == before
        assert " xml " in driver.text().split("\n")[0]
        assert "restored 2 picks" in told_text(driver)
        assert "press u to start with none" in told_text(driver)
        assert mark(driver, "AGENTS.md") == "●"
        assert driver.screen.view.tab != "start"
        await driver.press("u")
        assert (meter(driver).out, meter(driver).limit) == (0, 9_000)
        assert mark(driver, "AGENTS.md") == "○"
        await driver.press("U")
        assert meter(driver) == before


async def test_what_changed_or_went_is_said(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        await driver.pick("AGENTS.md", "CLAUDE.md", ".context/TASKS#in-progress")
    (sample / "AGENTS.md").write_text("# Changed\n")
    (sample / "CLAUDE.md").unlink()
    (sample / ".context/TASKS.md").write_text("# Tasks\n\n## Later\n\nx\n")
    async with run(sample, restore=True) as driver:
        assert "restored 3 picks, 2 changed, 2 missing" in told_text(driver)
        assert "changed" in tree_line(driver, "AGENTS.md")
        assert driver.text().count("missing") >= 2
