"""The ladder of code: what it loses first, and that more room never shows less."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxtui.core import get_counter
from ctxtui.core.payload.code_ladder import cut_code, cut_symbols
from ctxtui.core.payload.ladder import MARK
from ctxtui.core.text.code.languages import is_data
from ctxtui.core.text.code.outline import elided, outline_gaps
from tests.cases import cases
from tests.core.code.test_code_parts import CHANGES, ENDINGS, changed, shop

BODY = '''"""Orders."""

import os
import sys

LIMIT = 3

def first(one):
    """Say first."""
    os.stat(one)
    sys.exit()

def second(one):
    """Say second."""
    os.stat(one)
    return one
'''

OUTLINE = '''"""Orders."""
…
LIMIT = 3
def first(one):
    """Say first."""
    …
def second(one):
    """Say second."""
    …
'''


def _rungs(body: str, ending: str = "py") -> list[str]:
    """Every text that a text is cut to, from the largest down."""
    found = [cut_symbols(f"a.{ending}", body, len, len(body) + len(MARK) - 1)]
    while found[-1] != MARK:
        found.append(cut_symbols(f"a.{ending}", body, len, len(found[-1]) - 1))
    return found


def test_bodies_go_from_the_last_symbol_then_the_code_between_symbols_then_the_end_of_the_outline() -> None:
    rungs = _rungs(BODY)
    without_second = next(rung for rung in rungs if "return one" not in rung)
    assert "import os" in without_second
    assert "sys.exit()" in without_second
    without_first = next(rung for rung in rungs if "os.stat" not in rung)
    assert "import os" in without_first
    outline = rungs.index(OUTLINE + MARK)
    assert rungs.index(without_second) < rungs.index(without_first) < outline
    assert not any("import" in rung for rung in rungs[outline:])
    lines = OUTLINE.splitlines(keepends=True)
    assert set(rungs[outline + 1 :]) <= {"".join(lines[:count]) + MARK for count in range(len(lines))}
    assert rungs[-1] == MARK


def test_a_body_loses_its_last_lines_before_the_rest_and_stays_readable() -> None:
    body = "func A() int {\n\tone()\n\ttwo()\n\tthree()\n\treturn 4\n}\n"
    assert cut_symbols("a.go", body, len, len(body)) == f"func A() int {{\n\tone()\n\ttwo()\n\t…\n}}\n{MARK}"
    # A text without symbols loses lines from its end.
    for path in ("a.py", "a.txt", "a.rb"):
        assert cut_symbols(path, "one()\ntwo()\nthree()\n", len, 27) == cut_code("one()\ntwo()\nthree()\n", len, 27)


@pytest.mark.parametrize("ending", ENDINGS)
@example(changes=[(0.015625, 41, "\n")], rooms=[8, 100])
@given(changes=CHANGES, rooms=st.tuples(st.integers(0, 300), st.integers(0, 300)).map(sorted))
def test_more_room_never_shows_less(ending: str, changes: list[tuple[float, int, str]], rooms: list[int]) -> None:
    body, counter = changed(ending, changes[:3]), get_counter("o200k_base")
    small, large = (cut_symbols(f"a.{ending}", body, counter.count, room) for room in rooms)
    for rung, room in zip((small, large), rooms, strict=True):
        assert rung.endswith(MARK)
        assert rung == MARK or counter.count(rung) <= room
    shown = large.split("\n")
    for line in small.removesuffix(MARK).split("\n"):
        # An outline closes the comment that it shortens.
        kept = line.partition("…")[0].removesuffix(" */").rstrip()
        assert any(each.startswith(kept) for each in shown)


@cases("ending", [ending for ending in ENDINGS if not is_data(f"a.{ending}")])
def test_the_outline_is_a_rung(ending: str) -> None:
    text = shop(ending)
    outline = elided(text, outline_gaps(f"a.{ending}", text) or pytest.fail("no outline"))
    room = len(outline) + len(MARK)
    found = cut_symbols(f"a.{ending}", text, len, room)
    assert len(found) <= room
    assert found.startswith(outline[:20])
