"""The app in a pty: its first frame, its answer to keys, its memory, its rest."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from math import inf
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

from tests.bench.probes import percentile
from tests.bench.processes import PROGRAM, cpu_seconds, fresh_home, memory, watched, whole
from tests.bench.table import Limit, Row
from tests.bench.terminal import Answer, App

KEYS = 120
_NOT_PICKED = "○"  # stands on every row of the tree, and nowhere else
_CURSOR = ">"  # in the first column of a panel
_METER_ROWS = 2
_ANSWER = Limit(33, unit="ms")


class Start(NamedTuple):
    """Seconds from the start to the frame with the tree, by the clock and of the processor."""

    wall: float
    cpu: float


def measure(folder: Path, starts: int = 5) -> list[Row]:
    rows = [_first_frame(folder, starts, Limit(0.6, 0.45, "s"))]
    with _opened(folder) as app:
        cursor_rows, settled = _settled(app)
    with _opened(folder) as app:
        counting = _keys(app, "key to frame p95, while counting", cursor_rows, counting=True)
    return [*rows, *settled, counting]


def measure_large(folder: Path, starts: int = 3) -> list[Row]:
    """What grows with the number of files, where all of them were counted and audited beforehand."""
    with fresh_home() as home:
        for command in ("ls", "audit"):
            whole((*PROGRAM, "-C", str(folder), command), home)
        warm = [_time_to_tree(folder, home, counted=True) for _ in range(starts)]
        with closing(_open(folder, home)) as app:
            held = _memory(app, 60, Limit(450, 350, "MB"))
            moves = _first_responses(_moves(app), Limit(40, 16, "ms"))
    return [_start_row("first frame with the tree, warm", warm, Limit(1.2, 0.8, "s")), *held, moves]


@contextmanager
def _opened(folder: Path) -> Iterator[App]:
    with fresh_home() as home, closing(_open(folder, home)) as app:
        yield app


def _open(folder: Path, home: Mapping[str, str]) -> App:
    return App((*PROGRAM, str(folder)), home)


def _shows_tree(app: App) -> bool:
    return any(_NOT_PICKED in row for row in app.screen.rows())


def _first_frame(folder: Path, starts: int, limit: Limit) -> Row:
    cold, warm = [], []
    for _ in range(starts):
        with fresh_home() as home:
            cold.append(_time_to_tree(folder, home))
            whole((*PROGRAM, "-C", str(folder), "ls"), home)
            warm.append(_time_to_tree(folder, home, counted=True))
    first = median(start.wall for start in cold)
    return _start_row("first frame with the tree, warm", warm, limit, f"; on the first start {first:.2f} s")


def _time_to_tree(folder: Path, home: Mapping[str, str], counted: bool = False) -> Start:
    with closing(_open(folder, home)) as app:
        end = app.until(lambda _: _shows_tree(app), 60)
        if end is None:
            raise SystemExit(f"the tree does not appear:\n{app.shown()}")
        used = cpu_seconds(app.pid)
        if not counted:
            app.wait(0.3)
        return Start(end - app.started, used)


def _start_row(quantity: str, starts: list[Start], limit: Limit, more: str = "") -> Row:
    wall, cpu = median(start.wall for start in starts), median(start.cpu for start in starts)
    measured = f"{wall:.2f} s (processor {cpu:.2f} s; best {min(starts).wall:.2f} s{more})"
    return limit.row(quantity, wall, measured, {"starts": starts})


def _settled(app: App) -> tuple[dict[str, int], list[Row]]:
    rows = [*_memory(app, 20, Limit(180, 150, "MB")), _idle(app)]
    cursor_rows = _cursor_rows(app)
    rows += [_keys(app, "key to frame p95, after counting", cursor_rows, counting=False), _toggle(app)]
    app.settle()
    return cursor_rows, [*rows, *_answers(app)]


def _memory(app: App, seconds: float, limit: Limit) -> list[Row]:
    """The memory until the app is idle, with the processes that it needed on the way, and what it holds then.

    By then all is counted and audited, and no process works for it any more.
    """
    with watched(app.pid) as peak:
        app.until(lambda _: _shows_tree(app), seconds)
        app.settle()
        most = peak() / 1e6
    names = ("peak memory of the app, after counting", "memory of the app at rest, after counting and the audit")
    figures = zip(names, (most, memory(app.pid, "VmRSS") / 1e6), strict=True)
    return [limit.row(name, held, f"{held:.0f} MB", {"mb": held}) for name, held in figures]


def _moves(app: App) -> list[Answer]:
    """Moves among the files of open folders, with View beside the tree."""
    # The first move goes from Start to the text.
    for key in "+gj":
        app.answer(key)
    return [app.answer("j") for _ in range(KEYS // 2)]


def _first_responses(moves: list[Answer], limit: Limit) -> Row:
    return _time("a move among files: first response p95", [each.first for each in moves], limit)


def _answers(app: App) -> list[Row]:
    """What a key causes until all is quiet: moves among the files of open folders, and picks of files and folders."""
    moves = _moves(app)
    app.answer("g")
    toggles = []
    for _ in range(20):
        app.answer("j")
        toggles.append(app.answer(" "))
    app.answer("-")
    first, settled = Limit(16, unit="ms"), Limit(80, unit="ms")
    return [
        _first_responses(moves, first),
        _time("a move among files: everything settled p95", [each.settled for each in moves], settled),
        _time("a toggle: first response p95", [each.first for each in toggles], first),
        _time("a toggle: everything settled p95", [each.settled for each in toggles], settled),
        _bytes("a move, with everything", [each.bytes for each in moves], 40_000),
        _bytes("a toggle, with everything", [each.bytes for each in toggles], 40_000),
    ]


def _time(quantity: str, times: list[float], limit: Limit) -> Row:
    late = percentile(times, 0.95) * 1000
    return limit.row(quantity, late, f"{late:.0f} ms (median {median(times) * 1000:.0f})", {"seconds": times})


def _bytes(name: str, sizes: list[int], most: int) -> Row:
    size = percentile([float(each) for each in sizes], 0.95)
    measured = f"{size:,.0f} (median {median(sizes):,.0f})"
    return Row(f"bytes to the terminal for {name}, p95", f"≤ {most:,}", measured, size <= most, {"bytes": sizes})


def _idle(app: App, seconds: float = 10.0) -> Row:
    before, start = cpu_seconds(app.pid), time.perf_counter()
    app.wait(seconds)
    share = (cpu_seconds(app.pid) - before) / (time.perf_counter() - start)
    return Row("idle processor time, over 10 s", "< 1 %", f"{share * 100:.1f} %", share < 0.01, {"share": share})


def _cursor_rows(app: App) -> dict[str, int]:
    """The row of the screen on which the cursor is after each key, as it moves between the tree's first two rows."""
    app.press("g", bool)
    app.wait(0.5)
    rows = {}
    for key in "jk":
        app.press(key, bool)
        app.wait(0.5)
        rows[key] = next(place for place, row in enumerate(app.screen.rows()) if row[1] == _CURSOR)
    if rows["j"] == rows["k"]:
        raise SystemExit(f"the app does not answer j and k:\n{app.shown()}")
    return rows


def _is_at(app: App, row: int) -> Callable[[set[int]], bool]:
    """Whether the cursor is on a row; that a frame draws the row is not enough, since counting draws it as well."""
    return lambda _: app.screen.rows()[row][1] == _CURSOR


def _keys(app: App, quantity: str, cursor_rows: Mapping[str, int], counting: bool) -> Row:
    """Keys as fast as a hand or a key's repetition sends them, 20 to 60 ms after the last answer."""
    random = Random(7)
    times: list[float] = []
    app.until(lambda _: _shows_tree(app), 20)
    used, start = cpu_seconds(app.pid), time.perf_counter()
    busy = 0
    for number in range(KEYS):
        key = "jk"[number % 2]
        took = app.press(key, _is_at(app, cursor_rows[key]))
        times.append(2.0 if took is None else took)
        app.wait(random.uniform(0.005, 0.025) if counting else random.uniform(0.02, 0.1))
        if counting and number % 5 == 4:
            now, used_now = time.perf_counter(), cpu_seconds(app.pid)
            busy += 5 * ((used_now - used) / (now - start) > 0.9)
            used, start = used_now, now
    late = percentile(times, 0.95) * 1000
    note = f"; {busy} of {KEYS} keys while busy" if counting else ""
    measured = f"{late:.0f} ms (median {median(times) * 1000:.0f}, most {max(times) * 1000:.0f}{note})"
    return _ANSWER.row(quantity, late, measured, {"seconds": times})


def _toggle(app: App) -> Row:
    """`space` until the frame that shows another meter."""
    app.press("g", bool)
    app.wait(0.5)
    quantity, times = "toggle to a frame with the new meter", []
    for _ in range(40):
        took = app.press(" ", _changes_meter(app))
        if took is not None:
            times.append(took)
        app.wait(0.15)
    if len(times) < 20:
        return _ANSWER.row(quantity, inf, "the meter does not change", {})
    late = percentile(times, 0.95) * 1000
    measured = f"{late:.0f} ms (median {median(times) * 1000:.0f}, {len(times)} of 40)"
    return _ANSWER.row(quantity, late, measured, {"seconds": times})


def _changes_meter(app: App) -> Callable[[set[int]], bool]:
    before = app.screen.rows()[:_METER_ROWS]
    return lambda _: app.screen.rows()[:_METER_ROWS] != before
