"""The meter's bar: every part shows, in proportion, within the width; a click leads to the block."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ctxtui.tui.widgets.meter import Bar, BarPart, lay_out
from tests.audit.repositories import Repo
from tests.conftest import Project
from tests.tui.acting import answer, click, meter
from tests.tui.conftest import Run

_TOKENS = st.integers(1, 200_000)
_PARTS = st.lists(_TOKENS, max_size=12)


def _bar(tokens: list[int], wanted: int, limit: int | None, width: int) -> Bar:
    parts = [BarPart(str(place), "files", str(place), size) for place, size in enumerate(tokens)]
    return lay_out(parts, wanted, limit, width)


@given(_PARTS, st.integers(0, 400_000), st.none() | st.integers(0, 400_000), st.integers(12, 200))
def test_the_parts_lie_side_by_side_none_is_lost(tokens: list[int], more: int, limit: int | None, width: int) -> None:
    bar = _bar(tokens, sum(tokens) + more, limit, width)
    starts = [stretch.start for stretch in bar.stretches]
    assert starts == [0, *(stretch.end for stretch in bar.stretches)][: len(starts)]
    assert len(bar.stretches) == len(tokens)
    assert all(stretch.width >= 1 for stretch in bar.stretches)
    assert bar.end <= bar.beyond <= bar.width
    assert bar.limit is None or 0 <= bar.limit < width


@given(_PARTS.filter(bool), st.integers(1, 400_000), st.integers(60, 200))
def test_a_column_stands_for_the_same_tokens_everywhere(tokens: list[int], limit: int, width: int) -> None:
    bar = _bar(tokens, sum(tokens), limit, width)
    scale = max(sum(tokens), limit) / width
    assert abs(bar.end - sum(tokens) / scale) <= max(1, len(tokens))
    for stretch in bar.stretches:
        # One column more at most for each part that would have less than one.
        assert abs(stretch.width - stretch.part.tokens / scale) <= len(tokens) + 1


def test_what_is_left_out_lies_beyond_the_limit() -> None:
    bar = _bar([300, 700], 2_000, 1_000, 100)
    assert (bar.end, bar.limit, bar.beyond) == (50, 50, 100)
    whole = _bar([300, 200], 500, 1_000, 100)
    assert (whole.end, whole.limit, whole.beyond) == (50, 99, 50)
    assert [part.id if (part := whole.at(column)) else None for column in (0, 49, 50)] == ["0", "1", None]


async def test_the_meter_and_the_footer_answer_clicks(sample: Path, run: Run) -> None:
    async with run(sample, (160, 30)) as driver:
        await driver.go_to("AGENTS.md")
        await click(driver, "space pick  enter")
        assert [pick.id for pick in driver.screen.session.picks] == ["AGENTS.md"]
        await driver.pick("CLAUDE.md")
        await answer(driver, "b", "2k")
        line = meter(driver).line
        await driver.pilot.click("#meter", offset=(line.index("AGENTS.md"), 1))
        await driver.settle()
        assert driver.screen.panel == "payload"
        assert driver.screen.blocks.current.id == "AGENTS.md"
        await driver.pilot.click("#meter", offset=(line.index("┃"), 1))
        assert driver.screen.blocks.current.id == "AGENTS.md"


async def test_wide_names_leave_the_columns_beside_them(project: Project, run: Run) -> None:
    """Letters of two columns, in the bar, under the mark of the limit, and before the remarks of a dialog."""
    root = project({"日本語の資料.md": "word " * 400, "AGENTS.md": "word " * 400})
    repo = Repo(root)
    repo.commit({"x.md": "x"})
    for name in ("日本語", "review"):
        repo.git("branch", name)
    async with run(root, (120, 30)) as driver:
        for name in ("日本語の資料.md", "AGENTS.md"):
            await driver.pick(name)
            await driver.press("p")
        for limit, end in (("2k", " left"), ("120", " OVER")):
            await answer(driver, "b", limit)
            line = meter(driver).line
            assert "AGENTS.md" in line
            assert re.search("日.*資料", line)
            assert "┃" in line
            assert cell_len(line) == 119
            assert line.endswith(end)
        await driver.press("C")
        lines = [line for line in driver.text().split("\n") if " branch, " in line]
        assert len(lines) == 3
        assert len({cell_len(line.partition(" branch, ")[0]) for line in lines}) == 1
        assert any(" 日本語 " in line for line in lines)


async def test_the_bar_says_the_same_without_colors(sample: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with run(sample, (160, 30)) as driver:
        await driver.pick("AGENTS.md", ".context/TASKS")
        line = meter(driver).line
        assert "■■" in line
        assert "▦▦" in line
        assert "■ agents" in driver.text().split("\n")[0]


async def test_the_footer_names_what_helps_in_the_state_one_is_in(sample: Path, run: Run) -> None:
    async with run(sample, (120, 30)) as driver:
        assert not re.search("export|fit", driver.text().split("\n")[-1])
        await driver.pick(".context/TASKS")
        assert "e export" in driver.text().split("\n")[-1]
        await driver.press("2")
        assert "m model  F format" in driver.text().split("\n")[-1]
        await answer(driver, "b", "500")
        assert "f fit" in driver.text().split("\n")[-1]


async def test_the_numbers_beside_the_size_sum_up_to_it(sample: Path, run: Run) -> None:
    async with run(sample, (200, 30)) as driver:
        await driver.press("@AGENTS.md", "space", "@src/models.py", "space")
        for format_ in ("markdown", "xml"):
            await driver.press("colon", *format_, "enter")
            head = "\n".join(driver.text().split("\n")[:3])
            sources, frame = re.findall(r"(?:■ agents|□ files) ([\d,]+)", head), re.findall(r"frame ([\d,]+)", head)
            assert len(sources) == 2
            assert bool(frame) == (format_ == "xml")
            assert sum(int(each.replace(",", "")) for each in (*sources, *frame)) == meter(driver).out
