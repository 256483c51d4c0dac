"""Live: what changes on disk appears by itself and moves nothing else."""

import os
import shutil
from pathlib import Path

from tests.conftest import Project
from tests.tui.acting import answer, click, eventually, is_unharmed, mark, meter, told_text, tree_line
from tests.tui.conftest import Driver, Run
from tests.tui.test_promise import tokens_of


def place_of(driver: Driver) -> tuple[object, ...]:
    """Where the user is."""
    tree = driver.screen.context_tree
    return tree.current.id, tree.cursor - tree.scroll_offset.y, driver.app.focused, driver.screen.view.tab


async def test_an_edit_changes_the_numbers_and_nothing_else(sample: Path, driver: Driver) -> None:
    await driver.pick(".context/TASKS#in-progress")
    before, where = meter(driver), place_of(driver)
    task = sample / ".context" / "TASKS.md"
    task.write_text(task.read_text().replace("## In progress", "## Brand new\n\nNew text.\n\n## In progress", 1))
    await eventually(driver, lambda: "Brand new" in driver.text())
    assert place_of(driver)[0] == where[0]
    assert place_of(driver)[2:] == where[2:]
    assert mark(driver, "In progress") == "●"
    assert mark(driver, "Brand new") == "○"
    assert meter(driver) == before
    assert "changed" in tree_line(driver, "TASKS")
    task.write_text(task.read_text().replace("## In progress\n", "## In progress\n\nMore words here.\n", 1))
    await eventually(driver, lambda: meter(driver).out > before.out and not meter(driver).is_behind)


async def test_a_pick_that_is_again_what_it_was_is_no_longer_changed(sample: Path, driver: Driver) -> None:
    await driver.pick("AGENTS.md")
    before, agents = meter(driver), sample / "AGENTS.md"
    text = agents.read_text()
    for more in ("One.\n", "One.\nTwo.\n"):
        agents.write_text(text + more)
        await eventually(driver, lambda more=more: "changed" in tree_line(driver, "AGENTS.md"))
    agents.write_text(text)
    await eventually(driver, lambda: "changed" not in tree_line(driver, "AGENTS.md"))
    await eventually(driver, lambda: meter(driver) == before)


async def test_files_come_go_and_change_their_names(project: Project, run: Run) -> None:
    root = project({f"f{number:02}.md": f"# F{number}\n\ntext\n" for number in range(60)})
    async with run(root, (80, 24)) as driver:
        await driver.pick("f40.md")
        where = place_of(driver)
        (root / "f00a.md").write_text("# New\n")
        (root / "f05.md").unlink()
        (root / "f06.md").unlink()
        (root / "f07.md").rename(root / "f99.md")
        await eventually(driver, lambda: "f99.md" in driver.screen.session.workspace.by_id)
        assert place_of(driver) == where
        assert mark(driver, "f40.md") == "●"
        assert "59 files" in driver.text()


async def test_a_vanished_pick_stays_as_missing_comes_back_and_can_be_dropped(sample: Path, driver: Driver) -> None:
    await driver.press("@AGENTS.md", "space", "down", "space")
    before = meter(driver)
    text = (sample / "CLAUDE.md").read_bytes()
    (sample / "CLAUDE.md").unlink()
    await eventually(driver, lambda: "missing" in driver.text())
    assert meter(driver).out < before.out
    assert len(driver.screen.session.picks) == 2
    (sample / "CLAUDE.md").write_bytes(text)
    await eventually(driver, lambda: "missing" not in driver.text() and meter(driver) == before)
    (sample / "CLAUDE.md").unlink()
    await eventually(driver, lambda: "missing" in driver.text())
    await driver.press("2", "G", "x")
    assert "missing" not in driver.text()


async def test_a_missing_section_can_be_dropped(sample: Path, driver: Driver) -> None:
    await driver.pick(".context/TASKS#in-progress")
    (sample / ".context/TASKS.md").write_text("# Tasks\n\n## Other\n\ntext\n")
    await eventually(driver, lambda: "missing" in driver.text())
    await driver.press("2", "G", "x")
    assert told_text(driver) == ""
    assert "missing" not in driver.text()


async def test_a_folder_goes_with_the_cursor_in_it(sample: Path, driver: Driver) -> None:
    await driver.press("@python/fastapi_patterns#endpoints", "space", "s")
    shutil.rmtree(sample / "context_library")
    await eventually(driver, lambda: "context_library" not in driver.text())
    await driver.press("space", "j", "1", "space", "p", "s", "P", "escape", "2", "x", "enter")
    assert is_unharmed(driver)
    assert "AGENTS.md" in driver.text()


async def test_a_file_becomes_a_folder_a_pipe_or_a_link(sample: Path, driver: Driver) -> None:
    await driver.press("@AGENTS.md", "space", "down", "space", "@src/db.py", "space", "enter", "1")
    for name in ("AGENTS.md", "CLAUDE.md", "src/db.py"):
        (sample / name).unlink()
    (sample / "AGENTS.md").mkdir()
    (sample / "AGENTS.md" / "inner.md").write_text("# Inner\n")
    os.mkfifo(sample / "CLAUDE.md")
    (sample / "src/db.py").symlink_to("/etc/hostname")
    await eventually(driver, lambda: driver.text().count("missing") >= 3)
    assert meter(driver).out == 0
    for tab in "]]]]":
        await driver.press(tab)
    await driver.press("R", "e", "escape")
    assert is_unharmed(driver)


async def test_the_filter_follows_the_disk(sample: Path, driver: Driver) -> None:
    await driver.press("slash", *"newcomer", "enter")
    assert "0 of 53" in driver.text()
    (sample / "newcomer.md").write_text("# Newcomer\n")
    await eventually(driver, lambda: "of 54" in driver.text())
    assert "newcomer.md" in driver.text()
    # A match that vanished can be left.
    (sample / "newcomer.md").unlink()
    await eventually(driver, lambda: "of 53" in driver.text())
    await driver.press("space", "p", "enter", "1", "escape")
    assert is_unharmed(driver)
    assert driver.screen.session.picks == ()


async def test_badges_of_agents_follow_the_disk(sample: Path, run: Run) -> None:
    (sample / "CLAUDE.md").unlink()
    async with run(sample) as driver:
        assert "always 5" in tree_line(driver, "AGENTS.md")
        (sample / "CLAUDE.md").write_text("# Claude\n")
        await eventually(driver, lambda: "○ ■ CLAUDE.md" in driver.text())
        found = [tree_line(driver, name) for name in ("AGENTS.md", "CLAUDE.md")]
    async with run(sample) as fresh:
        expected = [tree_line(fresh, name) for name in ("AGENTS.md", "CLAUDE.md")]
    assert [line[1:] for line in found] == [line[1:] for line in expected]


async def test_reading_stays_where_it_was(project: Project, run: Run) -> None:
    text = "# Long\n\n" + "".join(f"line {number}\n" for number in range(400))
    root = project({"long.md": text, "other.md": "# Other\n"})
    async with run(root) as driver:
        await driver.press("@long.md", "enter", "pagedown", "pagedown")
        before = driver.screen.view.page.scroll_offset
        assert before.y > 0
        (root / "other.md").write_text("# Other\n\nedited\n")
        (root / "third.md").write_text("# Third\n")
        await eventually(driver, lambda: "3 files" in driver.text())
        assert driver.screen.view.page.scroll_offset == before
        (root / "long.md").write_text(text + "and more\n")
        await eventually(driver, lambda: "lines 1-403" in driver.text())
        assert driver.screen.view.page.scroll_offset == before
        assert driver.screen.view.page.has_focus


async def test_the_project_goes_and_comes_back(project: Project, run: Run) -> None:
    root = project({"AGENTS.md": "# A\n"})
    async with run(root) as driver:
        await driver.press("space")
        shutil.rmtree(root)
        await driver.screen.desk.refresh_workspace()
        await eventually(driver, lambda: meter(driver).out == 0)
        assert f"the project's folder is gone: {root}" in told_text(driver)
        assert is_unharmed(driver)
        root.mkdir()
        (root / "AGENTS.md").write_text("# A\n")
        await driver.press("R")
        assert meter(driver).out > 0
        assert mark(driver, "AGENTS.md") == "●"


async def test_what_was_edited_a_moment_ago_is_exported(sample: Path, driver: Driver, here: Path) -> None:
    """An export never mixes the count of one version with the text of another."""
    await driver.press("space")
    (sample / "AGENTS.md").write_text("# Short\n")
    await answer(driver, "e", "out")
    assert f"{tokens_of(here / 'out'):,} tokens" in told_text(driver)


async def test_a_click_on_a_row_that_moved_means_the_row_that_is_there(project: Project, run: Run) -> None:
    root = project({"b.md": "# B\n", "c.md": "# C\n"})
    async with run(root) as driver:
        await driver.press("right")
        (root / "a.md").write_text("# A\n")
        await eventually(driver, lambda: "○ a.md" in driver.text())
        await click(driver, "○ b.md")
        assert mark(driver, "b.md") == "●"
        assert mark(driver, "a.md") == "○"
