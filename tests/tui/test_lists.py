"""What all list screens share: a filter, a count, keys that leave; and the help with the pages of the manual."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import Input

from ctxtui.core.base.manual import TOPICS, page, summary
from ctxtui.core.base.notices import INFORMING, Notice
from ctxtui.tui.filtering import read_filter
from ctxtui.tui.keys.commands import OVERLAYS
from ctxtui.tui.panels.context import fitting
from ctxtui.tui.screens.help import ManualPage
from ctxtui.tui.screens.list_screen import ListScreen
from ctxtui.tui.widgets.fold_rows import Row, drawn, heading, longest_names, matching_rows
from ctxtui.tui.widgets.page import Page
from tests.cases import cases
from tests.conftest import Project
from tests.tui.acting import click
from tests.tui.conftest import Driver, Run

OPENED_BY = {"audit": "A", "detect": "D", "entries": "B", "help": "question_mark"}
assert {*OPENED_BY, "search"} == {*OVERLAYS, "help"}


def screen(driver: Driver) -> ListScreen[object, object]:
    assert isinstance(driver.app.screen, ListScreen)
    return driver.app.screen


def lines(driver: Driver) -> list[str]:
    return driver.text().split("\n")


@pytest.mark.parametrize(
    "size", [(80, 24), *(pytest.param(size, marks=pytest.mark.heavy) for size in ((160, 45), (20, 6)))]
)
async def test_every_list_is_filtered_counted_and_left(size: tuple[int, int], sample: Path, run: Run) -> None:
    async with run(sample, size) as driver:
        await driver.pick("entries/key-in-screenshot")
        for name, key in OPENED_BY.items():
            await driver.press(key)
            rows = screen(driver).rows
            every = rows.count
            assert every, name
            assert lines(driver)[0].strip().startswith(name.title()[:4])
            if size[0] > 20:
                assert lines(driver)[-1].endswith("esc close")
            await driver.press("slash")
            assert isinstance(driver.app.focused, Input)
            await driver.press(*"zqzq")
            assert rows.count == 0, name
            await driver.press("backspace", "backspace", "backspace", "backspace", *"KEY", "enter")
            assert 0 < rows.count < every or name == "detect", name
            assert rows.has_focus
            await driver.press("escape")
            assert rows.count == every, name
            await driver.press("escape")
            assert driver.app.screen is driver.screen


async def test_a_list_covers_the_screen_and_follows_its_size(sample: Path, run: Run) -> None:
    async with run(sample, (160, 45)) as driver:
        await driver.press("A")
        assert "1 Context" not in driver.text()
        for size in ((80, 24), (20, 6), (120, 35)):
            await driver.resize(*size)
            assert [len(line) <= size[0] for line in lines(driver)] == [True] * size[1]
            assert lines(driver)[0].startswith(" Audit")
            assert screen(driver).rows.size.height >= 2
        # Pages of the manual are read in the app.
        await driver.resize(120, 40)
        await driver.press("question_mark", *["right_square_bracket"] * 2)
        for topic in TOPICS:
            assert re.search(rf"{topic} +{re.escape(summary(topic)[:40])}", driver.text())
        await driver.press("slash", *"recipes", "enter", "enter")
        assert isinstance(driver.app.screen, ManualPage)
        assert lines(driver)[0].startswith(" Help   recipes")
        assert "# Recipes" not in driver.text()
        text = driver.app.screen.query_one(Page).text
        assert "Recipes" in text
        assert len(text.split("\n")) > page("recipes").count("\n") // 2
        await driver.press("G")
        assert driver.app.screen.query_one(Page).scroll_offset.y > 0
        await driver.press("right_square_bracket")
        assert lines(driver)[0].startswith(" Help   templates")
        await driver.press("escape")
        assert screen(driver).NAME == "help"
        await driver.press("escape", "escape")
        assert screen(driver).NAME == "audit"
        await driver.pilot.resize_terminal(80, 24)
        await driver.press("escape")
        assert driver.screen.has_class("-narrow")


@given(st.lists(st.tuples(st.booleans(), st.text("ab ", max_size=4)), max_size=12), st.text("ab ", max_size=3))
def test_what_matches_is_kept_below_its_heading(rows: list[tuple[bool, str]], typed: str) -> None:
    made: list[Row] = []
    for place, (is_heading, text) in enumerate(rows):
        above = next((each.group for each in reversed(made) if each.group), "")
        within = (above,) if above and not is_heading else ()
        made.append(Row(((text, ""),), group=str(place) if is_heading else "", within=within, commit=str(place)))
    places = [int(row.commit) for row in matching_rows(made, read_filter(typed))]
    assert places == sorted(set(places))
    for place, (is_heading, text) in enumerate(rows):
        holds = all(word in text for word in typed.split())
        below = list(range(place + 1, len(rows)))
        below = below[: next((n for n, other in enumerate(below) if rows[other][0]), len(below))]
        assert (place in places) == (holds or (is_heading and any(other in places for other in below)))


@cases(
    ("typed", "kept"),
    [
        ("now one", "H1"),
        ('"one now"', "H1"),
        ("now !one", "H2"),
        ('"now one"', ""),
        ("heading", "H"),
        ("/heading", ""),
    ],
)
def test_lists_are_filtered_as_the_tree_is(typed: str, kept: str) -> None:
    rows = [Row((("a heading", ""),), group="H", commit="H")]
    rows += [Row(((text, ""),), within=("H",), commit=id_) for id_, text in (("1", "oh, one now"), ("2", "two now"))]
    assert "".join(row.commit for row in matching_rows(rows, read_filter(typed))) == kept


async def test_the_fold_sign_of_a_list_folds(project: Project, run: Run) -> None:
    files = {f"know/py/{n}.md": f"---\nestimatedTokens: many\n---\n# {n}\n" for n in range(30)}
    root = project(files | {"know/index.md": "# Index\n", "know/py/index.md": "# Py\n"})
    async with run(root, (120, 30)) as driver:
        await driver.press("P")
        rows = screen(driver).rows
        before = rows.count
        await click(driver, "▸ △ 30 × wrong-index")
        assert rows.count == before + 30
        # In one burst: each key means the rows that the one before has made.
        for key in ("enter", "enter", "h", "l"):
            await driver.key(key)
        await driver.settle()
        assert rows.count == before + 30
        await click(driver, "▾ △ 30 × wrong-index")
        assert rows.count == before


async def test_what_informs_is_no_problem(project: Project, run: Run) -> None:
    files: dict[str, str | bytes] = {"a.md": "# A\n", "b.py": "key = 'AKIAQ3ZK7VJ2M4XN5P6T'\n", "x.png": b"\x89PNG\0"}
    async with run(project(files), (120, 30), audits=True) as driver:
        await driver.press("a")
        assert "problem" not in lines(driver)[2]
        await driver.press("P")
        assert lines(driver)[0].endswith(" 0 problems")
        text = driver.text()
        assert "1 binary file is not listed" in text
        assert "b.py:1: a secret (aws-key), replaced in the export" in text


def test_codes_that_inform_are_used() -> None:
    package = Path(__file__).parents[2] / "ctxtui"
    texts = [file.read_text("utf-8") for file in package.rglob("*.py") if file.name != "notices.py"]
    for code in INFORMING:
        assert any(f'"{code}"' in text for text in texts), code
    assert not Notice("binary-files", "").is_problem
    assert Notice("unreadable-file", "", "a.md", 3).is_problem


def test_a_title_without_room_loses_the_files_then_the_picks() -> None:
    words = ["1 Context", "53 files", "by tokens", "12 picked", "9 problems (P)"]
    assert fitting(words, 54, True) == "1 Context ── by tokens ── 12 picked ── 9 problems (P)"
    assert fitting(words, 50, True) == "1 Context ── by tokens ── 9 problems (P)"


@given(st.lists(st.text("ab ", min_size=1, max_size=12), min_size=1, max_size=5), st.integers(0, 60))
def test_the_last_word_of_a_title_goes_last(words: list[str], room: int) -> None:
    title = fitting([*words, "17 problems (P)"], room, True)
    assert title.endswith("17 problems (P)")
    assert len(title) <= room or title == "17 problems (P)" or " ── " not in title.removesuffix(" ── 17 problems (P)")


async def test_the_number_of_problems_always_shows(project: Project, run: Run) -> None:
    root = project({f".context/f{n}.md": "---\ntags: [a\n---\n# A\n" for n in range(12)})
    async with run(root, audits=True) as driver:
        await driver.press("space")
        count = len([each for each in driver.screen.desk.findings.report.findings if each.is_problem])
        assert count > 9
        for size in ((160, 45), (100, 30), (60, 20), (34, 12)):
            await driver.resize(*size)
            assert f"{count} problems" in driver.text(), size


def test_only_a_row_that_allows_it_loses_cells_where_it_is_narrow() -> None:
    right = (("157 cut ", "warn"), ("start ", "dim"), ("7,929 ", ""))
    for row, kept in (
        (heading("GitHub Copilot in VS Code", *right), 3),
        (Row(right=right, name=("GitHub Copilot in VS Code", ""), spare=2), 1),
        (Row(right=right, name=("GitHub Copilot in VS Code", ""), spare=1), 2),
    ):
        assert drawn(row, 30, {})[1] == list(right[3 - kept :])
        assert drawn(row, 80, {})[1] == list(right)


def test_texts_behind_names_begin_in_one_column() -> None:
    names, texts = ("a/short.md", "a/name/that/is/long.md", "b.md"), ("why " * 16, "why", "why, in more words")
    rows = [Row(name=(name, ""), more=((text, ""),)) for name, text in zip(names, texts, strict=True)]
    for width in (40, 80, 160):
        lefts = [drawn(row, width, longest_names(rows))[0] for row in rows]
        assert (
            len({sum(len(text) for text, _ in left[: -len(row.more)]) for left, row in zip(lefts, rows, strict=True)})
            == 1
        )


async def test_an_empty_filtered_view_says_its_problems_alone(project: Project, run: Run) -> None:
    async with run(project({"CLAUDE.md": "see @missing.md\n"})) as driver:
        await driver.press("A", "right_square_bracket", "right_square_bracket", "right_square_bracket", "slash", "x")
        assert screen(driver).count == "1 problem"


async def test_totals_keep_names_and_tokens_where_it_is_narrow(driver: Driver) -> None:
    await driver.resize(34, 24)
    await driver.press("A", "right_square_bracket", "right_square_bracket", "v")
    line = next(line for line in driver.text().split("\n") if "catal" in line)
    assert "8,159" in line
