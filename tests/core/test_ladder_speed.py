"""The ladder is as fast as the scan it needs, measured in processor time against that scan."""

from collections.abc import Callable
from time import process_time

import pytest

from ctxtui.core.payload.assembly import Assembler
from ctxtui.core.payload.code_ladder import cut_code
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.payload.ladder import MARK, Ladder
from ctxtui.core.text.markdown.scan import scan
from tests.core.drafted import O200K, draft

pytestmark = pytest.mark.heavy


def _seconds(work: Callable[[], object]) -> float:
    start = process_time()
    work()
    return process_time() - start


def _sections(count: int) -> str:
    dates = (f"2024-{number // 28 % 12 + 1:02}-{number % 28 + 1:02}" for number in range(count))
    return "".join(f"## {date} entry\n\nSome words about it, and some more.\n\n" for date in dates)


TEXTS = {
    "dated": _sections(3_000),
    "tasks": "".join(f"- [{' x'[number % 2]}] task {number}\n" for number in range(4_000)),
    "comments": "<!-- c -->\n\n" * 4_000,
    "line": "Words of a long line, and more. " * 3_000 + "\n",
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("form", ["markdown", "json"])
def test_a_cut_takes_no_longer_than_a_scan_and_some_counts(name: str, form: str) -> None:
    text, source = TEXTS[name], draft("a.md", TEXTS[name])
    once = _seconds(lambda: scan(text)) + _seconds(lambda: O200K.units(text)) + 0.05
    for limit in (300, 3_000):
        assembler = Assembler(O200K, FORMATS[form], limit, None)
        assert _seconds(lambda assembler=assembler: assembler.assemble([source], "cut")) < 8 * once
        # What was scanned once is not scanned again when the meter asks for numbers.
        assert _seconds(lambda assembler=assembler: assembler.assemble([source], "cut", with_text=False)) < 4 * once


def test_a_sea_of_line_ends_is_cut_quickly() -> None:
    sea = "# a\n" + "\n" * 15_000_000 + "x\n"
    once = _seconds(lambda: scan("\n" * 100_000))
    assert _seconds(lambda: Ladder(sea).cut(len, 300)) < 30 * once
    assert _seconds(lambda: cut_code(sea, len, 300)) < 10 * once


def test_a_text_too_large_to_scan_keeps_its_beginning() -> None:
    start = "# Title\n\n" + "word " * 20 + "\n\n"
    assert Ladder(start + "```\n" + "code\n" * 420_000 + "```\n").cut(len, 3_000_000) == start + MARK
