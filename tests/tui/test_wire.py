"""The wire: the terminal shows what the app draws, and is sent no more than what changes."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.app import App
from textual.geometry import Region
from textual.strip import Strip

from ctxtui.tui.terminal.wire import Wire
from ctxtui.tui.terminal.wire_codes import LeanUpdate
from ctxtui.tui.work.debounce import DEBOUNCE, FirstFrame, Pace
from tests.conftest import Project
from tests.tui.conftest import Run

_WIDTH = 16
_PLAIN = Style()
_STYLES = (
    _PLAIN,
    Style(color="red"),
    Style(bgcolor="blue"),
    Style(color="green", bgcolor="blue"),
    Style(underline=True),
)
_GONE = "?"


@st.composite
def _pieces(draw: st.DrawFn) -> tuple[int, Strip]:
    """A piece of a line that is drawn again: where it begins, and what it shows."""
    x = draw(st.integers(0, _WIDTH - 1))
    width = draw(st.integers(1, _WIDTH - x))
    strip = Strip([])
    while (room := width - strip.cell_length) > 0:
        segment = Segment(draw(st.text("ab  ─漢", min_size=1, max_size=room)), draw(st.sampled_from(_STYLES)))
        strip = Strip([*strip, segment if segment.cell_length <= room else Segment(" " * room, _PLAIN)])
    return x, strip


def _update(x: int, strip: Strip) -> ChopsUpdate:
    return ChopsUpdate([{x: strip}], [(0, x, x + strip.cell_length)], [[x + strip.cell_length]])


def _draw(row: list[str], x: int, strip: Strip) -> None:
    """Do as a terminal does: a wide character takes two columns, and is gone if it loses one of them."""
    for text, style, _ in strip:
        for each in text:
            seen = Style(bgcolor=style.bgcolor) if style and each == " " and not style.underline else style
            width = cell_len(each)
            if row[x] == "":
                row[x - 1] = _GONE
            if x + width < len(row) and row[x + width] == "":
                row[x + width] = _GONE
            row[x : x + width] = [f"{each} {seen}", ""][:width]
            x += width


def _draw_all(row: list[str], update: ChopsUpdate | None) -> None:
    for x, strip in update.chops[0].items() if update is not None else ():
        assert strip is not None
        _draw(row, x, strip)


@given(st.lists(_pieces()))
def test_the_terminal_shows_what_the_app_draws(pieces: list[tuple[int, Strip]]) -> None:
    wire = Wire()
    wire.lean(LayoutUpdate([[Strip.blank(_WIDTH, _PLAIN)]], Region(0, 0, _WIDTH, 1)))
    whole = [f"  {Style(bgcolor=None)}"] * _WIDTH
    lean = [*whole]
    for x, strip in pieces:
        _draw(whole, x, strip)
        _draw_all(lean, wire.lean(_update(x, strip)))
        assert lean == whole


_COLUMNS = 0xE000
_LOOKS = st.builds(
    Style,
    color=st.sampled_from([None, "default", "red", "#102030", "color(200)"]),
    bgcolor=st.sampled_from([None, "default", "blue", "#405060"]),
    bold=st.sampled_from([None, True, False]),
    dim=st.sampled_from([None, True]),
    reverse=st.sampled_from([None, True]),
    underline=st.sampled_from([None, True]),
    link=st.sampled_from([None, None, None, "https://example.org"]),
)


@given(st.lists(st.tuples(st.text("ab ─", min_size=1, max_size=4), st.none() | _LOOKS), min_size=1, max_size=9))
def test_every_text_is_sent_with_its_style(pieces: list[tuple[str, Style | None]]) -> None:
    console = Console(force_terminal=True, color_system="truecolor")
    strip = Strip(Segment(text, style) for text, style in pieces)
    half = len(pieces) // 2
    parts = [Strip(list(strip)[:half]), Strip(list(strip)[half:])]
    update = LeanUpdate([{0: parts[0], parts[0].cell_length: parts[1]}], [], [])
    end = f"\x1b[1;{strip.cell_length + 1}Hend"
    assert _shown(update.render_segments(console) + end, console) == _shown(strip.render(console) + end, console)


def _shown(sent: str, console: Console) -> dict[int, tuple[str, str]]:
    """The character that a terminal shows in each column of a row, with what it makes of its style."""
    # A character that no text here has stands for the column that the cursor moves to.
    moves = re.sub(r"\x1b\[1;(\d+)H", lambda move: chr(_COLUMNS + int(move[1]) - 1), sent)
    text, column, shown = Text.from_ansi(moves), 0, dict[int, tuple[str, str]]()
    for place, each in enumerate(text.plain):
        if ord(each) >= _COLUMNS:
            column = ord(each) - _COLUMNS
        else:
            shown[column] = each, _look(text.get_style_at_offset(console, place))
            column += 1
    return shown


def _look(style: Style) -> str:
    colors = [None if each is None or each.is_default else each.name for each in (style.color, style.bgcolor)]
    marks = [bool(each) for each in (style.bold, style.dim, style.reverse, style.underline)]
    return f"{colors} {marks} {style.link}"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the app sends to the terminal, a frame each."""
    frames: list[str] = []

    def display(app: App[object], _screen: object, update: CompositorUpdate | None) -> None:
        if update is not None:
            frames.append(update.render_segments(app.console))

    monkeypatch.setattr(App, "_display", display)
    return frames


async def test_keys_send_what_changes_instead_of_panels(project: Project, run: Run, sent: list[str]) -> None:
    root = project({f"notes/{place:02}.md": f"# Note {place}\n\n" + f"Text {place}.\n" * 30 for place in range(40)})
    async with run(root, (120, 40)) as driver:
        driver.screen.desk.attempt(
            lambda session: session.mark_rows([f"notes/{each:02}.md" for each in range(9)], True)
        )
        await driver.go_to("notes/08.md")
        sizes = {"j": list[int](), " ": list[int]()}
        for key in ["j", " "] * 4:
            sent.clear()
            await driver.press(key)
            sizes[key].append(len("".join(sent).encode()))
    # The whole screen is 20,000 bytes and Payload 4,000; its scroll bar comes, which changes all of its lines.
    *small, large = sorted(sizes[" "])
    assert large < 4_000
    assert max(*small, *sizes["j"]) < 2_000


async def test_moves_and_picks_do_not_lay_out_the_screen(project: Project, run: Run) -> None:
    root = project({f"notes/{place:02}.md": f"# Note {place}\n" + "\nText.\n" * place for place in range(20)})
    async with run(root, (120, 40)) as driver:
        await driver.go_to("notes/03.md")
        # The first pick brings the Payload panel.
        await driver.press("space")
        layouts: list[object] = []
        driver.screen.screen_layout_refresh_signal.subscribe(driver.screen, layouts.append)
        for key in ["j", " "] * 3:
            await driver.press(key)
        assert not layouts
        assert driver.screen.blocks.count == driver.screen.blocks.virtual_size.height == 4
        assert driver.screen.view.page.virtual_size.height == len(driver.screen.view.page.text.split("\n"))


async def test_work_waits_for_the_first_frame() -> None:
    order: list[str] = []
    first_frame = FirstFrame()

    async def work() -> None:
        order.append("work")

    waiting = asyncio.ensure_future(first_frame.then(work)())
    await asyncio.sleep(0)
    order.append("frame")
    first_frame.drawn()
    await waiting
    await first_frame.then(work)()
    assert order == ["frame", "work", "work"]


def test_only_a_burst_of_keys_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = iter((10.0, 10.03, 10.06, 11.0))
    monkeypatch.setattr("ctxtui.tui.work.debounce.time.monotonic", lambda: next(keys))
    pace = Pace()
    waits = [pace.wait() for _ in range(4)]
    assert waits[1:3] == [DEBOUNCE] * 2
    assert max(waits[0], waits[3]) < DEBOUNCE / 2


def test_the_app_starts_without_what_only_some_screens_need() -> None:
    code = "import sys, ctxtui.tui.app; print(*(name for name in sys.modules if name.startswith('ctxtui')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    late = ["ctxtui.audit", "ctxtui.retrieval", "ctxtui.tui.screens.search", "ctxtui.tui.screens.detect"]
    late += [
        "ctxtui.agents.costs",
        "ctxtui.session.agent_start",
        "ctxtui.session.dashboard",
        "ctxtui.session.delivery.measuring",
    ]
    assert "ctxtui.tui.screens.main" in loaded
    assert not [name for name in loaded if name.startswith(tuple(late))]
