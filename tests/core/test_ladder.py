import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts import any_markdown, markdown, nasty

from ctxtui.core.ladder import MARK, Ladder, cut_code
from ctxtui.core.markdown import scan

BODY = """# Tasks
<!-- an internal remark -->
- [ ] open one
- [x] done one
  with details
- [ ] open two

## 2026-01-03
newest

## 2026-01-01
oldest

```sh
# a long fence
make everything
```

## 2026-01-02
middle
"""


def _never(_text: str) -> bool:
    return False


def _shorter_than(size: int) -> Callable[[str], bool]:
    return lambda text: len(text) < size


def _rungs(body: str, is_markdown: bool = True) -> list[str]:
    """Every text that the ladder tries."""
    tried: list[str] = []
    climb_down(body, is_markdown, lambda text: bool(tried.append(text)))
    return tried


def test_comments_go_first() -> None:
    text = climb_down(BODY, True, lambda text: True)
    assert text == BODY.replace("<!-- an internal remark -->\n", "") + MARK


def test_then_done_tasks_with_what_is_indented_below_them() -> None:
    text = _rungs(BODY)[1]
    assert "done one" not in text
    assert "with details" not in text
    assert "- [ ] open one\n- [ ] open two\n" in text


def test_then_dated_sections_from_the_oldest_and_never_the_newest() -> None:
    rungs = _rungs(BODY)
    assert "oldest" not in rungs[2]
    assert "middle" in rungs[2]
    assert "middle" not in rungs[3]
    assert "newest" in rungs[3]


def test_then_a_prefix_that_ends_at_a_block() -> None:
    assert climb_down(BODY, True, _shorter_than(60)) == "# Tasks\n<!-- an internal remark -->\n" + MARK


def test_then_the_outline() -> None:
    body = "# A\n" + "long text " * 40 + "\n## B\n" + "long text " * 40
    assert climb_down("intro " * 50 + "\n" + body, True, _shorter_than(60)) == f"# A\n## B\n{MARK}"


def test_at_last_the_mark_alone() -> None:
    assert climb_down(BODY, True, _never) == MARK
    assert climb_down("code", False, _never) == MARK


def test_code_loses_lines_from_its_end() -> None:
    body = "# one\ntwo\nthree\n"
    assert climb_down(body, False, _shorter_than(28)) == f"# one\ntwo\n{MARK}"


@pytest.mark.parametrize("separator", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_characters_that_only_python_takes_for_line_ends_change_no_line_numbers(separator: str) -> None:
    body = f"one{separator}two{separator}three\n\n```sh\nfenced\n```\n\n<!-- remark -->\n\nend\n"
    assert _rungs(body)[0] == body.replace("<!-- remark -->\n", "") + MARK


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_other_systems_are_cut_alike(end: str) -> None:
    other = [rung.replace("\r\n", "\n").replace("\r", "\n") for rung in _rungs(BODY.replace("\n", end))]
    assert [rung.replace("\n\n" + MARK, "\n" + MARK) for rung in other] == [
        rung.replace("\n\n" + MARK, "\n" + MARK) for rung in _rungs(BODY)
    ]


def test_done_tasks_inside_fences_stay() -> None:
    body = "- [x] done\n\n```md\n- [x] shown\n```\n"
    assert "- [x] shown" in _rungs(body)[0]


def _open_fence(text: str) -> bool:
    """Whether a text ends inside a fence, by its lines."""
    mark = ""
    for line in re.split(r"\r\n|\r|\n", text):
        found = re.match(r" {0,3}(`{3,}|~{3,})", line)
        if found and not mark:
            mark = found[1]
        elif found and found[1].startswith(mark) and not line.strip().strip(mark[0]):
            mark = ""
    return bool(mark)


@given(markdown, st.sampled_from(["\n", "\r\n", "\r"]))
def test_no_rung_ends_inside_a_fence_or_leaves_out_the_mark(body: str, end: str) -> None:
    for rung in _rungs(body.replace("\n", end)):
        assert rung.endswith(MARK)
        assert not _open_fence(rung)


@given(markdown)
def test_a_rung_only_holds_lines_of_the_text(body: str) -> None:
    lines = body.split("\n")
    outline = {f"{'#' * heading.level} {heading.name}" for heading in scan(body).headings}
    for rung in _rungs(body):
        rest = iter(lines)
        kept = rung.removesuffix(MARK).split("\n")[:-1]
        assert all(line in rest for line in kept) or set(kept) <= outline


@given(st.one_of(any_markdown, nasty), st.booleans(), st.integers(0, 200))
def test_what_comes_back_fits_or_is_the_mark(body: str, is_markdown: bool, size: int) -> None:
    text = climb_down(body, is_markdown, _shorter_than(size))
    assert text == MARK or (len(text) < size and text.endswith(f"\n{MARK}"))


@given(markdown, st.integers(20, 400))
def test_more_room_never_gives_less_of_the_same_kind(body: str, size: int) -> None:
    less, more = (climb_down(body, False, _shorter_than(each)) for each in (size, size + 40))
    assert len(less) <= len(more)
