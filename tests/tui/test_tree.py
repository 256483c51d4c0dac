"""The Context panel: its rows, folding by keys and mouse, orders, and where one is while scrolling."""

import re
import threading
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual import events
from textual.widgets import Input

from ctxtui.core.text.markdown.scan import SUFFIXES
from ctxtui.tui.palette import foreground
from ctxtui.tui.tree.cells import short_badge
from ctxtui.tui.tree.rows import Searchable, searchable
from ctxtui.workspace.tree import Node
from tests.cases import cases
from tests.conftest import Project
from tests.core.code.test_code_parts import SHOPS
from tests.core.test_notebooks import code, notebook
from tests.tui.acting import click, find, is_unharmed, meanwhile, meter, picked, told_text, tree_line
from tests.tui.conftest import Driver, Run


def ids(driver: Driver) -> list[str]:
    return [row.node.id for row in driver.screen.context_tree.rows]


def tree_lines(driver: Driver) -> list[str]:
    tree = driver.screen.context_tree
    return [strip.text.rstrip() for strip in tree.render_lines(tree.size.region)]


async def typed(driver: Driver, text: str) -> None:
    await driver.press("slash")
    field = driver.app.focused
    assert isinstance(field, Input)
    field.value = text
    await driver.settle()


def deep(project: Project) -> Path:
    """Two folders of files within others."""
    files = {f"src/{name}/inner/file_{n:02}.md": f"# F {n}\n\n{'word ' * n}\n" for name in "ab" for n in range(30)}
    return project(files | {"top.md": "# Top\n"})


async def test_several_words_find_counted_and_highlighted_rows(project: Project, run: Run) -> None:
    async with run(deep(project)) as driver:
        await typed(driver, "inner 07 !b/")
        assert ids(driver) == ["src/a/inner/file_07.md"]
        assert "1 of 61" in driver.text()
        tree = driver.screen.context_tree
        match = foreground(tree, "match").color
        marked = [segment.text for segment in tree.render_line(0) if segment.style and segment.style.color == match]
        assert marked == ["inner", "07"]
        # If nothing matches, it is said what would.
        for size in ((160, 45), (60, 20)):
            await driver.resize(*size)
            await typed(driver, "inner xyzzy")
            told = " ".join(" ".join(tree_lines(driver)).split())
            assert told == "nothing matches `inner xyzzy`; 60 rows would match `inner`"
            await driver.press("escape")
            assert "nothing matches" not in driver.text()


async def test_the_file_name_and_the_match_show_in_a_narrow_panel(project: Project, run: Run) -> None:
    paths = [f"plugins/{kind}/skills/react-native-design/references/styling.md" for kind in ("ui-design", "ui-build")]
    async with run(project(dict.fromkeys(paths, "# S\n")), (50, 20)) as driver:
        await typed(driver, "styling")
        names = [line[3:].split(" ")[0] if line[1] == ">" else line.split()[1] for line in tree_lines(driver)[:2]]
        assert len(set(names)) == 2
        assert all("styling.md" in line for line in tree_lines(driver)[:2])
        assert all(kind in driver.text() for kind in ("ui-design", "ui-build"))
        await typed(driver, "styling native")
        assert "native" in tree_lines(driver)[0]


async def test_the_fold_sign_folds_the_mark_picks_and_a_double_click_enters(project: Project, run: Run) -> None:
    async with run(deep(project)) as driver:
        await click(driver, "▸ ○ src")
        assert picked(driver) == []
        assert "src/a/inner/" in ids(driver)
        await click(driver, "▾ ○ src")
        assert "src/a/inner/" not in ids(driver)
        await click(driver, "▸ ○ src", dx=2)
        assert len(picked(driver)) == 60
        await click(driver, "▸ ● src", dx=2)
        assert picked(driver) == []
        await click(driver, "▸ ○ src", dx=6, times=2)
        assert "src/a/inner/" in ids(driver)
        await click(driver, "○ top.md", dx=4, times=2)
        assert driver.screen.view.tab == "text"


async def test_every_file_with_sections_can_be_opened(project: Project, run: Run) -> None:
    files = {f"shop.{each.stem}": each.read_text("utf-8") for each in SHOPS.glob("*.txt")}
    files |= {f"notes{ending}": "# A\n\nOne.\n" for ending in SUFFIXES}
    files |= {"book.ipynb": notebook(code("x")), "page.rst": "A\n=\n\nOne.\n"}
    files |= {"plain.txt": "# A\n", "data.csv": "a,b\n"}
    async with run(project(files), (100, 90)) as driver:
        rows = zip(driver.screen.context_tree.rows, tree_lines(driver), strict=False)
        signs = {row.node.id: "▸" in line for row, line in rows}
        divided = {row.node.id: bool(row.node.children) for row in driver.screen.context_tree.rows}
        assert signs == divided
        assert [name for name, has_sections in divided.items() if not has_sections] == ["data.csv", "plain.txt"]
        await click(driver, "▸ ○ notes.cursorrules")
        assert "notes.cursorrules#a" in ids(driver)


async def test_the_wheel_works_on_borders_and_a_click_on_where_one_is_goes_there(project: Project, run: Run) -> None:
    async with run(deep(project), (120, 20)) as driver:
        await driver.press("plus")
        tree = driver.screen.context_tree
        x, y = find(driver, "1 Context")
        assert tree.scroll_offset.y == 0
        for kind, moved in ((events.MouseScrollDown, True), (events.MouseScrollUp, False)):
            driver.app.post_message(kind(None, x, y, 0, 0, 0, False, False, False))
            await driver.settle()
            assert (tree.scroll_offset.y > 0) == moved
        await driver.resize(80, 24)
        await driver.press("G")
        await click(driver, "src / b/inner")
        assert tree.current.id == "src/b/inner/"
        assert picked(driver) == []


async def test_all_is_opened_closed_and_listed_by_tokens(project: Project, run: Run) -> None:
    async with run(deep(project)) as driver:
        await driver.press("plus")
        assert "src/a/inner/" in ids(driver)
        assert "src/a/inner/file_01.md" in ids(driver)
        assert not any("#" in id_ for id_ in ids(driver))
        await driver.press("@src/b/inner/file_05.md", "minus")
        assert ids(driver) == ["src/", "top.md"]
        assert driver.screen.context_tree.current.id == "src/"
        await driver.press("equals_sign")
        assert len(ids(driver)) == 61 + 3
        await driver.press("minus")
        await driver.press("t", "t")
        assert "all files by tokens" in driver.text()
        assert len(ids(driver)) == 61
        sizes = [driver.screen.session.tokens(id_) or 0 for id_ in ids(driver)]
        assert sizes == sorted(sizes, reverse=True)
        assert "src/a/inner/file_29.md" in tree_lines(driver)[0]
        listed = driver.screen.context_tree.rows
        await driver.press("g", "space")
        assert picked(driver) == ["src/a/inner/file_29.md"]
        assert driver.screen.context_tree.rows is listed, "a pick makes no row again"
        await driver.press("right", "right")
        assert driver.screen.context_tree.current.id == "src/a/inner/file_29.md#f-29"
        await driver.press("left", "left")
        assert len(ids(driver)) == 61
        await driver.press("t")
        assert ids(driver)[0] == "src/a/inner/file_29.md#f-29"
        await driver.press("t")
        assert ids(driver) == ["src/", "top.md"]
        # The view names the whole path.
        await driver.press("@src/a/inner/file_07.md", "enter")
        title = "src/a/inner/file_07.md"
        assert title in driver.text()
        await driver.go_to("src/a/inner/file_07.md#f-7")
        assert f"{title} / F 7" in driver.text()
        await driver.press("s")
        assert find(driver, title)


async def test_all_files_are_listed_while_ignored_ones_come_and_go(project: Project, run: Run) -> None:
    async with run(project({".gitignore": "secret/\n", "secret/a.md": "# A\n", "b.md": "# B\n\nlonger\n"})) as driver:
        await driver.press("t", "t")
        assert ids(driver) == ["b.md"]
        await driver.press("full_stop")
        assert sorted(ids(driver)) == sorted([".gitignore", "b.md", "secret/a.md"])
        await driver.press("full_stop")
        assert ids(driver) == ["b.md"]
        assert told_text(driver) == "showing ignored files\nhiding ignored files"


async def test_keys_mean_the_rows_that_changed_and_findings_and_changes_are_marked(
    project: Project, run: Run
) -> None:
    async with run(deep(project)) as driver:
        tree = driver.screen.context_tree
        # Up to the top.
        tree.findings = {"src/a/inner/file_01.md": (0, 2), "src/b/inner/file_02.md": (1, 2), "gone.md": (1, 0)}
        tree.git = {"src/a/inner/file_01.md": "M", "top.md": "?", "gone.md": "D"}
        await driver.press("plus")
        assert re.search(r"△2 +M ", tree_line(driver, "file_01.md"))
        assert "▲3" in tree_line(driver, "b/inner")
        assert "•" not in tree_line(driver, "b/inner")
        assert re.search(r"▲5 +• ", tree_line(driver, "src"))
        await driver.press("G")
        assert re.search(r" \? ", tree_line(driver, "top.md"))
        await driver.press("equals_sign", "G")
        tree.action_enter()
        tree.collapse_all()
        await driver.settle()
        assert is_unharmed(driver)
        assert driver.screen.view.tab == "text"


@pytest.mark.parametrize(
    "size", [(160, 45), *(pytest.param(size, marks=pytest.mark.heavy) for size in ((80, 24), (60, 20))), (20, 8)]
)
async def test_parents_stay_visible_while_scrolling(project: Project, run: Run, size: tuple[int, int]) -> None:
    async with run(deep(project), size) as driver:
        await driver.press("plus", "G")
        tree = driver.screen.context_tree
        seen = 0
        for key in ("up", "pageup", "up", "up", "pageup", "down"):
            await driver.press(key)
            lines = tree_lines(driver)
            assert sum(line.startswith(">") for line in lines) == 1, driver.text()
            first = tree.scroll_offset.y
            if first and tree.rows[first + 1].depth and tree.rows[first].depth and size[0] > 20:
                assert re.fullmatch(r"   ?(src|[ab]/inner)( / (src|[ab]/inner))*", lines[0]), lines[0]
                seen += 1
        assert seen or size[0] == 20
        await driver.press("g")
        assert "src /" not in driver.text()


async def test_folders_that_hold_only_a_folder_are_one_row(project: Project, run: Run) -> None:
    files = {"src/main/java/app/one.java": "class One {}\n", "src/main/java/app/two.java": "class Two {}\n"}
    async with run(project({**files, "docs/api/a.md": "# A\n", "docs/b.md": "# B\n", "top.md": "x\n"})) as driver:
        tree = driver.screen.context_tree
        await driver.press("minus")
        assert ids(driver) == ["docs/", "src/main/java/app/", "top.md"]
        await driver.go_to("src/main/java/app/")
        assert "▸ ○ src/main/java/app " in tree_line(driver, "src/main/java/app")
        await driver.press("space", "right", "down", "left")
        assert picked(driver) == list(files)
        assert tree.current.id == "src/main/java/app/"
        tree.rebuild("src/main/")
        assert tree.current.id == "src/main/java/app/"
        await driver.press("slash", *"two", "enter", "escape")
        assert tree.current.id == "src/main/java/app/two.java"


async def test_bars_are_shares_of_the_largest_row_at_the_top(project: Project, run: Run) -> None:
    files = {"x/big.md": "word " * 800, "x/half.md": "word " * 400, "y/tiny.md": "word\n", "a.md": "word\n"}
    async with run(project(files)) as driver:
        await driver.press("plus", "space")
        assert len({match.start() for line in tree_lines(driver) if (match := re.search("[▏▎▍▌▋▊▉█]", line))}) == 1
        assert "███▍ " in tree_line(driver, "big.md")
        assert "█▋ " in tree_line(driver, "half.md")
        assert "▏" in tree_line(driver, "tiny.md")
        await driver.press("t", "t")
        assert "█" not in tree_line(driver, "y/tiny.md")
        await driver.resize(40, 20)
        assert "█" not in "".join(tree_lines(driver))
        assert all(cell_len(line) <= 38 for line in tree_lines(driver))


async def test_only_task_filters_that_hold_something_are_offered(project: Project, run: Run) -> None:
    async with run(project({"TASKS.md": "# Tasks\n\n## Now\n- [ ] a\n\n## Notes\n\nNone.\n"})) as driver:
        await driver.press("@TASKS.md", "T")
        assert "open tasks only" in tree_line(driver, "TASKS.md")
        await driver.press("T")
        assert "tasks" not in tree_line(driver, "TASKS.md").replace("TASKS.md", "")
        assert meter(driver).out > 0
        await driver.press("x", "1", "@TASKS.md#notes", "space", "T")
        assert any("have no tasks" in each.message for each in driver.told)
        assert picked(driver) == ["TASKS.md"]


@cases(
    ("badge", "room", "short"),
    [
        ("open tasks only", 15, "open tasks only"),
        ("open tasks only", 14, "open tasks"),
        ("blocked tasks only", 8, "blocked"),
        ("everything but done tasks", 24, "not-done tasks"),
        ("everything but done tasks", 8, "not-done"),
        ("drift +38%", 8, "drift"),
    ],
)
def test_a_badge_is_shortened_by_whole_words(badge: str, room: int, short: str) -> None:
    assert short_badge(badge, room) == short


async def test_paths_match_while_headings_load(project: Project, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    reading = threading.Event()

    def slow(root: Node, with_headings: bool = True) -> Searchable:
        if with_headings:
            assert reading.wait(30)
        return searchable(root, with_headings)

    monkeypatch.setattr("ctxtui.tui.panels.context.searchable", slow)
    async with run(project({"AGENTS.md": "# Alpha\n", "alpha.md": "# Other\n"})) as driver:
        await driver.key("slash")
        driver.app.focused.value = "alpha"
        await meanwhile(driver, lambda: "reading headings" in driver.text())
        assert ids(driver) == ["alpha.md"]
        reading.set()
        await driver.settle()
        assert len(ids(driver)) == 2
        assert "reading headings" not in driver.text()
