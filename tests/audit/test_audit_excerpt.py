"""The lines around a finding: its own are marked, others are where the file has them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.audit.reports.excerpt import excerpt
from ctxtui.audit.types import Finding, Place

_LINES = st.lists(st.text("ab \x0b\u2028", max_size=6), min_size=1, max_size=300)


@given(_LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.integers(1, 300))
def test_lines_have_the_numbers_of_the_file(lines: list[str], end: str, line: int) -> None:
    found = excerpt("".join(each + end for each in lines), "a.md", line)
    assert found.marked == {line}
    assert found.first <= line
    for number, text in enumerate(found.lines, found.first):
        assert text == lines[number - 1]
    assert line > len(lines) or line in range(found.first, found.first + len(found.lines))


def test_other_places_are_marked_here_and_listed() -> None:
    places = (Place("a.md", 2), Place("a.md", 4), Place("b.md", 1), Place("b.md", 1, subject="x"))
    finding = Finding("rule", "warning", "message", path="a.md", line=2, places=places)
    found = excerpt("1\n2\n3\n4\n", "a.md", 2, finding)
    assert found.marked == {2, 4}
    assert [(each.path, each.line) for each in found.places] == [("a.md", 4), ("b.md", 1)]
    assert excerpt("", "a.md", None).lines == ()


def test_very_long_lines_are_cut() -> None:
    assert len(excerpt("x" * 100_000, "a.md", 1).lines[0]) < 10_000
