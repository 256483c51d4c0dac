"""The history as a chart: the layers add up, labels keep apart, the cursor and the rows follow each other."""

from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.audit.history.commits import Commit
from ctxtui.audit.history.history import CommitCosts, History
from ctxtui.tui.screens.audit import Audit
from ctxtui.tui.widgets.chart import Chart
from ctxtui.tui.widgets.chart_layout import columns_of, growth_of, place_labels, point_at, stack
from tests.audit.repositories import Repo
from tests.tui.acting import click
from tests.tui.conftest import Driver, Run

_HISTORY = ("A", "left_square_bracket")
_EIGHTHS = " ▁▂▃▄▅▆▇█"


@given(st.integers(1, 400), st.integers(1, 200))
def test_columns_show_the_commits_in_order_up_to_the_newest(count: int, width: int) -> None:
    points = [point_at(column, count, width) for column in range(width)]
    assert points == sorted(points)
    assert points[-1] == count - 1
    if count <= width:
        assert set(points) == set(range(count))
        for point in range(count):
            assert points[columns_of(point, count, width).start] in (point, point - 1, point + 1)
    for point in range(count):
        assert 0 <= columns_of(point, count, width).start < width


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=6), st.integers(1, 40), st.integers(0, 10_000))
def test_a_column_is_as_high_as_its_tokens(values: list[int], height: int, more: int) -> None:
    most = sum(values) + more
    blocks = stack(values, most, height)
    filled = sum(8 if block.behind is not None else _EIGHTHS.index(block.text) for block in blocks)
    assert filled == round(sum(values) * height * 8 / max(1, most))
    layers = [layer for block in blocks for layer in (block.front, block.behind) if layer is not None]
    assert layers == sorted(layers)


@given(
    st.lists(st.tuples(st.integers(0, 99), st.text("abc日", min_size=1, max_size=30)), max_size=12), st.integers(1, 5)
)
def test_labels_keep_apart_with_the_change_below_its_mark(marks: list[tuple[int, str]], lines: int) -> None:
    labels = list(place_labels([(column, "+1,000", commit) for column, commit in marks], 100, lines, 46))
    for label in labels:
        assert 0 <= label.column < label.end <= min(100, label.column + 46)
        assert 0 <= label.line < lines
        assert label.change == "+1,000"
        mark = label.column if label.is_change_first else label.end - 1
        assert any(column == mark and commit.startswith(label.commit.rstrip("…")) for column, commit in marks)
    for one, other in combinations(labels, 2):
        assert one.line != other.line or one.end < other.column or other.end < one.column
    if marks:
        assert labels


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "r")
    text = "Rules.\n"
    made.commit({"AGENTS.md": text, "x.py": "0\n"}, "begin")
    made.commit({"x.py": "1\n"}, "code alone")
    made.commit({"AGENTS.md": text * 50}, "write all the rules")
    made.commit({"AGENTS.md": text * 50, "CLAUDE.md": "See the rules.\n"}, "tell Claude")
    made.commit({"AGENTS.md": text * 20}, "cut the rules")
    return made


def _subject(driver: Driver) -> str:
    screen = driver.app.screen
    assert isinstance(screen, Audit)
    row, chart = screen.rows.current, screen.query_one(Chart)
    assert row.commit == chart.commit
    return chart.detail.split("\n")[1]


async def test_an_axis_that_does_not_begin_at_zero_says_so(tmp_path: Path, repo: Repo, run: Run) -> None:
    high = Repo(tmp_path / "high")
    for times in (1_000, 1_100):
        high.commit({"AGENTS.md": "Rules.\n" * times}, "grow")
    for root, is_cut in ((repo.root, False), (high.root, True)):
        async with run(root) as driver:
            await driver.press(*_HISTORY)
            assert ("╱ the axis begins at " in driver.text(), driver.text().count("╱") == 2) == (is_cut, is_cut)


async def test_each_jump_is_named_and_keys_rows_and_clicks_go_to_commits(repo: Repo, run: Run) -> None:
    async with run(repo.root) as driver:
        await driver.press(*_HISTORY)
        assert len([line for line in driver.text().split("\n") if "▲" in line or "▼" in line]) == 1
        assert "write all the rules" in driver.text().split("└")[1].split("│")[0]
        assert "all context 1 of " in driver.text()
        for key, subject in (
            ("left", "tell Claude"),
            ("left", "write all the rules"),
            ("home", "begin"),
            ("pagedown", "write all the rules"),
            ("end", "cut the rules"),
            ("pageup", "tell Claude"),
        ):
            await driver.press(key)
            assert _subject(driver) == subject
        assert "CLAUDE.md +" in driver.text()
        await driver.press("down")
        assert "at the start 2 of " in driver.text()
        await driver.press("up")
        assert "all context 1 of " in driver.text()
        # The rows move the chart.
        await driver.press("end", "tab", "down")
        assert _subject(driver) == "tell Claude"
        await driver.press("down")
        assert _subject(driver) == "write all the rules"
        # Without room only the commits are shown.
        await driver.resize(59, 20)
        assert not driver.app.screen.query_one(Chart).is_on_screen
        assert "Largest increases" in driver.text()
        await driver.resize(100, 30)
        await click(driver, "▼")
        assert _subject(driver) == "cut the rules"
        await driver.press("enter")
        assert driver.app.screen is driver.screen
        assert driver.screen.context_tree.current.id == "AGENTS.md"


async def test_the_axis_shows_the_whole_number(repo: Repo, run: Run) -> None:
    commits = [Commit(f"{place}" * 40, datetime(2026, 1, place, tzinfo=UTC), "a", "b") for place in (1, 2)]
    sizes = zip(commits, (800, 2_160_351), strict=True)
    costs = tuple(CommitCosts(commit, {"agents": size}, {"codex": size}) for commit, size in sizes)
    async with run(repo.root) as driver:
        await driver.press(*_HISTORY)
        chart = driver.app.screen.query_one(Chart)
        chart.show(growth_of(History(costs, (), (), 2), ("agents",)))
        lines = ["".join(text for text, _ in chart.line(y)) for y in range(chart.size.height)]
        assert any(line.startswith(" 2,160,351 │") for line in lines)
