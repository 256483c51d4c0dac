"""The map: rectangles in proportion that fill the frame, moves between them, zoom, and picks."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Region

from ctxtui.session.shares import Share
from ctxtui.tui.screens.audit import Audit
from ctxtui.tui.widgets.treemap import Treemap
from ctxtui.tui.widgets.treemap_layout import lay_out, neighbor, squarify
from tests.conftest import Project
from tests.tui.acting import click, mark
from tests.tui.conftest import Driver, Run

_SIZES = st.lists(st.integers(1, 1_000_000), min_size=1, max_size=60).map(lambda sizes: sorted(sizes, reverse=True))
_WIDTHS, _HEIGHTS = st.integers(20, 200), st.integers(5, 60)
_STEPS = ((0, -1), (0, 1), (-1, 0), (1, 0))
_MAP = ("A", *["right_square_bracket"] * 2)


def _overlap(one: Region, other: Region) -> bool:
    return one.x < other.right and other.x < one.right and one.y < other.bottom and other.y < one.bottom


def _root(sizes: list[int], depth: int = 0) -> Share:
    """A folder of files with these tokens; with a depth, folders of such folders."""

    def inner(name: str, size: int) -> Share:
        if not depth:
            return Share(name, name, size, (), "agents")
        files = _root([max(1, size // 2), max(1, size - size // 2)], depth - 1).children
        return Share(f"{name}/", name, sum(file.tokens for file in files), files, "agents")

    children = tuple(inner(f"f{place}", size) for place, size in enumerate(sizes))
    return Share("", "root", sum(child.tokens for child in children), children, "agents")


@given(_SIZES, _WIDTHS, _HEIGHTS)
def test_rectangles_fill_the_frame_in_proportion(sizes: list[int], width: int, height: int) -> None:
    boxes = squarify(sizes, width, height)
    assert sum(box.width * box.height for box in boxes) == width * height
    for one, other in combinations([box for box in boxes if box.width and box.height], 2):
        assert not _overlap(one, other)
    for size, box in zip(sizes, boxes, strict=True):
        assert 0 <= box.x <= box.right <= width
        assert 0 <= box.y <= box.bottom <= height
        # Each edge is rounded by half a cell at most.
        exact = size / sum(sizes) * width * height
        assert abs(box.width * box.height - exact) <= box.width + box.height + 1


@given(_SIZES, _WIDTHS, _HEIGHTS, st.integers(0, 2))
def test_every_token_is_in_a_visible_tile(sizes: list[int], width: int, height: int, depth: int) -> None:
    root = _root(sizes, depth)
    tiles = lay_out(root, width, height)
    outer = [tile for tile in tiles if tile.depth == 0]
    assert sum(tile.share.tokens for tile in outer) == root.tokens
    assert all(tile.box.width > 0 and tile.box.height > 0 for tile in tiles)
    assert sum(tile.box.width * tile.box.height for tile in outer) == width * height
    for tile in tiles:
        around = tiles[tile.top].box
        assert around.x <= tile.box.x <= tile.box.right <= around.right
        assert around.y + (tile.depth > 0) <= tile.box.y <= tile.box.bottom <= around.bottom


@given(_SIZES, _WIDTHS, _HEIGHTS)
def test_the_arrows_reach_every_rectangle(sizes: list[int], width: int, height: int) -> None:
    boxes = [tile.box for tile in lay_out(_root(sizes), width, height) if tile.depth == 0]
    for current, here in enumerate(boxes):
        for dx, dy in _STEPS:
            found = neighbor(boxes, current, dx, dy)
            is_edge = {(-1, 0): here.x == 0, (1, 0): here.right == width, (0, -1): here.y == 0}.get(
                (dx, dy), here.bottom == height
            )
            assert (found is None) == is_edge
            if found is not None:
                there = boxes[found]
                gap = (there.x - here.right, here.x - there.right)[dx < 0] if dx else 0
                gap += (there.y - here.bottom, here.y - there.bottom)[dy < 0] if dy else 0
                assert gap == 0


def _treemap(driver: Driver) -> Treemap:
    return driver.app.screen.query_one(Treemap)


def _current(driver: Driver) -> str:
    share = _treemap(driver).current
    return share.id or share.name


async def test_zooming_in_and_out(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        await driver.press(*_MAP)
        assert "sample_context › context_library" in driver.text()
        await driver.press("right")
        assert "sample_context › .context" in driver.text()
        assert re.search(r"5,870 +31\.5%", driver.text())
        assert "▦ .context 5,870" in driver.text()
        await driver.press("enter", "right")
        assert _current(driver) == ".context/DECISIONS"
        assert "sample_context › .context › DECISIONS" in driver.text()
        assert "1,070 tokens · 5.7% of all · 18.2% of .context" in driver.text()
        await driver.press("enter")
        assert _current(driver).startswith(".context/DECISIONS#")
        # A heading around the whole text is nothing to stop at, on the way in and on the way out.
        await driver.press("backspace")
        assert _current(driver) == ".context/DECISIONS"
        await driver.press("left", "left")
        assert _current(driver) == ".context/"
        await driver.press("left", "left")
        assert _current(driver) == "context_library/"
        await driver.press("enter", "escape")
        assert _current(driver) == "context_library/"
        await driver.press("escape")
        assert driver.app.screen is driver.screen


async def test_enter_on_a_section_goes_to_it(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        await driver.press(*_MAP, "right", "enter", "enter", "enter")
        section = _current(driver)
        await driver.press("enter")
        assert driver.app.screen is driver.screen
        assert driver.screen.context_tree.current.id == section == ".context/TASKS#done"


async def test_what_is_under_the_cursor_is_picked_and_dropped(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        await driver.press(*_MAP, "right", "enter", "space")
        assert "● TASKS" in driver.text()
        assert "· picked" in driver.text()
        await driver.press("backspace")
        assert "◐ ▦ .context" in driver.text()
        await driver.press("escape")
        assert mark(driver, ".context") == "◐"
        assert [pick.id for pick in driver.screen.desk.session.picks] == [".context/TASKS"]
        await driver.press(*_MAP, "right", "enter", "space", "space", "space")
        assert driver.screen.desk.session.picks == ()


async def test_a_click_selects_and_a_double_click_zooms(sample: Path, run: Run) -> None:
    async with run(sample, (120, 40)) as driver:
        await driver.press(*_MAP)
        await click(driver, "▒ context_library")
        assert _current(driver) == "context_library/"
        await click(driver, "■ .claude", times=2)
        assert "sample_context › .claude › skills" in driver.text()
        await click(driver, "sample_context ›")
        assert _current(driver) == ".claude/"


async def test_sections_of_any_file_are_shown_when_asked(project: Project, run: Run) -> None:
    """Only the largest files are divided beforehand."""
    files = {f".claude/rules/r{place}.md": f"# Rule {place}\n\n{'word ' * (300 - place)}\n" for place in range(120)}
    files[".claude/rules/z.md"] = "# One\n\ntext of it\n\n# Two\n\nmore\n"
    async with run(project(files), (160, 45)) as driver:
        await driver.press(*_MAP, "end")
        while _current(driver) != ".claude/rules/z.md":
            await driver.press("enter", "end")
        await driver.press("enter")
        assert _current(driver) == ".claude/rules/z.md#one"


async def test_without_room_the_rows_serve(sample: Path, run: Run) -> None:
    async with run(sample, (59, 30)) as driver:
        await driver.press(*_MAP)
        for size in ((59, 30), (80, 13)):
            await driver.resize(*size)
            assert "[Map]" in driver.text()
            screen = driver.app.screen
            assert isinstance(screen, Audit)
            assert not _treemap(driver).is_on_screen
            assert screen.rows.has_focus
            assert "fastapi_patterns" in driver.text()


async def test_words_typed_show_the_rows_that_match(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        await driver.press(*_MAP, "slash", *"glossary")
        assert not _treemap(driver).is_on_screen
        await driver.press("escape")
        assert _treemap(driver).is_on_screen
        assert _treemap(driver).has_focus


async def test_the_cursor_shows_without_colour(sample: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with run(sample) as driver:
        await driver.press(*_MAP, "right")
        assert "╔>▦ .context" in driver.text()
        assert "┌▒ context_library" in driver.text()
