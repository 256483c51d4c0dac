"""The panels' sizes: a step is taken from the neighbor, nothing vanishes, and the next start has them again."""

from concurrent.futures import Future
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from platformdirs import user_state_path

from ctxtui.core.base.errors import ContextError
from ctxtui.session.saved.app_state import saved_shares
from ctxtui.session.saved.autosave import Restored
from ctxtui.session.saved.config import load_config
from ctxtui.tui.app import CtxtuiApp
from ctxtui.tui.launch import Launch
from ctxtui.tui.panels.columns import PanelSizes
from tests.cases import cases
from tests.conftest import Project
from tests.tui.acting import eventually
from tests.tui.conftest import Driver, Run

_PANELS = st.sampled_from(["context", "payload", "view"])
_MOVES = st.lists(st.tuples(_PANELS, st.integers(-60, 60), st.booleans()), max_size=30)


@given(_MOVES, st.integers(100, 300))
def test_the_panels_fill_the_screen_and_each_keeps_room(moves: list[tuple[str, int, bool]], width: int) -> None:
    sizes = PanelSizes()
    for panel, columns, is_wide in moves:
        sizes = sizes.moved(panel, columns, width, is_wide)
        assert sizes.context + sizes.payload + sizes.view == pytest.approx(1)
        shares = (sizes.context, sizes.payload, sizes.view, sizes.lists, 1 - sizes.lists)
        assert min(shares) * width >= 15.9


@cases("text", ["", "[]", "{}", '{"view": 1}', "nonsense", '{"context": "a", "view": 0.2}', "\x00"])
def test_a_damaged_file_gives_the_sizes_of_the_first_day(text: str) -> None:
    file = user_state_path("ctxtui") / "panels.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    assert saved_shares(asdict(PanelSizes())) == asdict(PanelSizes())


def _widths(driver: Driver) -> dict[str, int]:
    return {name: driver.screen.query_one(f"#{name}").size.width for name in ("context", "payload", "view")}


@pytest.mark.parametrize("width", [110, pytest.param(160, marks=pytest.mark.heavy)])
async def test_keys_resize_the_panel_in_focus(width: int, sample: Path, run: Run) -> None:
    async with run(sample, (width, 30)) as driver:
        before = _widths(driver)
        await driver.press("3", "greater_than_sign", "greater_than_sign")
        wider = _widths(driver)
        assert wider["view"] >= before["view"] + 7
        assert wider["context"] <= before["context"]
        await driver.press("less_than_sign", "less_than_sign")
        assert _widths(driver) == before
        await driver.press("less_than_sign")
        narrower = _widths(driver)
        wanted = asdict(driver.screen.columns.sizes)
        await eventually(driver, lambda: saved_shares(dict.fromkeys(wanted, 0.0)) == pytest.approx(wanted, abs=1e-4))
    async with run(sample, (width, 30)) as driver:
        assert _widths(driver) == narrower


async def test_dragging_a_border_resizes_and_on_a_tall_screen_the_view_is_below(sample: Path, run: Run) -> None:
    async with run(sample, (160, 30)) as driver:
        await driver.press("space")
        before = _widths(driver)
        edge = driver.screen.query_one("#view").region.x
        await driver.pilot.mouse_down(offset=(edge, 10))
        await driver.pilot.hover(offset=(edge - 12, 10))
        await driver.pilot.mouse_up(offset=(edge - 12, 10))
        await driver.settle()
        after = _widths(driver)
        assert after["view"] == before["view"] + 12
        assert after["payload"] == before["payload"] - 12
        # On a tall screen the view is below.
        await driver.resize(110, 60)
        panels = {name: driver.screen.query_one(f"#{name}").region for name in ("context", "payload", "view")}
        assert panels["view"].y >= panels["context"].bottom
        assert panels["view"].width == 110
        assert panels["payload"].x == panels["context"].right
        await driver.press("1", "z")
        assert driver.screen.query_one("#context").region.width == 110
        await driver.press("z")
        assert driver.screen.query_one("#context").region == panels["context"]


@pytest.mark.parametrize("size", [(20, 6), (60, 7), pytest.param((120, 8), marks=pytest.mark.heavy)])
async def test_the_panel_in_focus_has_rows_on_small_screens(sample: Path, run: Run, size: tuple[int, int]) -> None:
    async with run(sample, size) as driver:
        await driver.press("@AGENTS.md", "space", "down")
        assert driver.screen.context_tree.size.height >= 2
        assert [line for line in driver.text().splitlines() if line.startswith(">")]
        assert "579" in driver.text().splitlines()[0] or "586" in driver.text().splitlines()[0]
        await driver.press("2")
        assert driver.screen.blocks.size.height >= 2
        await driver.press("3")
        assert driver.screen.view.front.size.height >= 2
        # More room brings back what was left out.
        await driver.resize(120, 30)
        assert "1 Context ──" in driver.text()
        assert "markdown" in driver.text().splitlines()[0]


async def test_the_theme_is_remembered(sample: Path, run: Run) -> None:
    async with run(sample) as driver:
        await driver.press("colon", *"theme", "enter", *"dracula", "enter")
    async with run(sample) as driver:
        assert driver.app.theme == "dracula"


@cases(
    ("environment", "origin"),
    [({}, r"ctxtui\.toml:2: unknown"), ({"CTXTUI_THEME": "dracul"}, "CTXTUI_THEME: unknown")],
)
def test_an_unknown_theme_is_refused_at_its_place(project: Project, environment: dict[str, str], origin: str) -> None:
    config = load_config(project({"ctxtui.toml": '# Ours\ntheme = "dracul"\n'}), environment)
    launch = Launch(lambda workspace: Restored(workspace.session()), theme=config.theme)
    with pytest.raises(ContextError, match=f"{origin} theme: dracul") as refused:
        config.place("theme").within(lambda: CtxtuiApp(Future(), launch))
    assert refused.value.hint == "did you mean dracula?"
