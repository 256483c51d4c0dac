"""Outlines of code: what they show in each language, and rules that hold for all real, broken and hostile files."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.code.languages import language_of
from ctxtui.core.code.outline import MARK, elided, outline_gaps, outside
from ctxtui.core.code.symbols import parse
from ctxtui.core.files.text import decode
from ctxtui.core.tokens.by_name import get_counter
from tests.conftest import REPOSITORY
from tests.core.code.test_code_parts import CHANGES, ENDINGS, SHOPS, shop


def outline(ending: str, text: str) -> str | None:
    gaps = outline_gaps(f"a.{ending}", text)
    return None if gaps is None else elided(text, gaps)


def assert_beginnings_of_lines(shown: str, text: str) -> None:
    """Each line of an outline, as far as its mark, is a line of the file or its beginning, in order."""
    lines = iter(text.split("\n"))
    # What the file itself has of marks says nothing.
    for line in shown.split("\n") if MARK not in text else ():
        kept = line.partition(MARK)[0].rstrip() if MARK in line else line
        if kept.strip():
            assert any(each.startswith(kept) for each in lines), line


def assert_outline(ending: str, text: str) -> None:
    gaps = outline_gaps(f"a.{ending}", text)
    language = language_of(f"a.{ending}")
    assert language is not None
    parsed = parse(language, text)
    assert parsed is not None
    assert (gaps is None) == (not parsed.symbols)
    if gaps is None:
        return
    shown = elided(text, gaps)
    assert_beginnings_of_lines(shown, text)
    flat = " ".join(shown.split())
    for symbol in parsed.symbols:
        name = text[symbol.first : symbol.end]
        assert symbol.path[-1] in flat or symbol.path[-1] not in name, symbol
    counter = get_counter("o200k_base")
    assert counter.count(shown) <= counter.count(text)
    assert all(gap.start < gap.end for gap in gaps)
    assert all(one.end <= other.start for one, other in pairwise(gaps))


@pytest.mark.parametrize("ending", ENDINGS)
def test_outlines_look_as_they_should(ending: str) -> None:
    assert outline(ending, shop(ending)) == (SHOPS / f"{ending}.outline").read_text("utf-8")


@pytest.mark.parametrize("ending", ENDINGS)
@given(changes=CHANGES)
def test_rules_hold_for_broken_code(ending: str, changes: list[tuple[float, int, str]]) -> None:
    text = shop(ending)
    for share, lost, glue in changes:
        place = int(share * len(text))
        text = text[:place] + glue + text[place + lost * (lost > 40) :]
    assert_outline(ending, text)


@pytest.mark.parametrize("ending", ENDINGS)
@given(cuts=st.lists(st.integers(0, 60), max_size=6))
def test_what_is_taken_is_shown_in_full(ending: str, cuts: list[int]) -> None:
    text = shop(ending)
    gaps = outline_gaps(f"a.{ending}", text) or ()
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    lines = sorted({starts[min(cut, len(starts) - 1)] for cut in cuts})
    taken = list(zip(lines[::2], lines[1::2], strict=False))
    mixed = outside(text, gaps, taken)
    shown = elided(text, mixed)
    for start, end in taken:
        assert not any(gap.start < end and start < gap.end for gap in mixed)
        assert text[start:end] in shown
    assert elided(text, outside(text, gaps, [(0, len(text))])) == text
    assert outside(text, gaps, []) == list(gaps)


def test_real_modules_obey_the_rules() -> None:
    for file in sorted((REPOSITORY / "ctxtui").rglob("*.py"))[::11]:
        assert_outline("py", file.read_text("utf-8"))


def test_real_code_obeys_the_rules(corpora: Path) -> None:
    files = [file for file in sorted(corpora.rglob("*")) if language_of(file.name) and file.is_file()]
    if not files:
        pytest.skip("no code in the corpora")
    for file in files[:2_000]:
        assert_outline(file.suffix[1:], decode(file.read_bytes(), file.name)[0])
