import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.core import get_counter
from ctxtui.core.payload.code_ladder import cut_code
from ctxtui.core.payload.cuts import Cuts, prose_cuts
from ctxtui.core.payload.ladder import MARK, Ladder
from ctxtui.core.text.markdown.scan import scan
from tests.cases import cases
from tests.core.texts import ENCODINGS, any_markdown, markdown, nasty

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


def _cut(body: str, size: int, is_markdown: bool = True) -> str:
    """A text cut to a number of characters."""
    return Ladder(body).cut(len, size) if is_markdown else cut_code(body, len, size)


def _rungs(body: str, is_markdown: bool = True) -> list[str]:
    """Every text that a text is cut to, from the largest down."""
    found = [_cut(body, len(body) + len(MARK) + 1, is_markdown)]
    while found[-1] != MARK and len(found[-1]) > len(MARK):
        found.append(_cut(body, len(found[-1]) - 1, is_markdown))
    return found


OPEN = BODY.replace("<!-- an internal remark -->\n", "")
UNDONE = OPEN.replace("- [x] done one\n  with details\n", "")
NESTED = "- [x] done\n - [ ] sibling\n- [x] parent\n  - [ ] child\n    - [x] grandchild\n- [] top\n"
DAYS = "## 2026-01-01\n\nfirst words\n\nlast words\n\n## 2026-01-02\n\nnew\n"
WITHIN = "## 2026-01-01 sprint\n\nold words\n\n### 2026-01-09 entry\n\nnew words\n"
CODE = "```\n" + "long code " * 40 + "\n```\n# A\n" + "long text " * 40 + "\n## B\n"
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"


@cases(
    ("body", "size", "left"),
    [
        # Comments go first, then done tasks with what belongs to them; open ones within them stay.
        (BODY, len(BODY) + len(MARK) - 1, OPEN),
        (BODY, len(UNDONE) + len(MARK), UNDONE),
        (NESTED, 53, " - [ ] sibling\n  - [ ] child\n- [] top\n"),
        # A dated section within an older one stays longer, and what is cut within the text is marked there.
        (WITHIN, 50, "### 2026-01-09 entry\n\nnew words\n"),
        (DAYS, 70, f"## 2026-01-01\n\nfirst words\n{MARK}## 2026-01-02\n\nnew\n"),
        # Then a beginning without what was given up, rows below their head, the outline, the mark alone.
        (BODY, 40, "# Tasks\n- [ ] open one\n"),
        (TABLE, 45, "| a | b |\n|---|---|\n| 1 | 2 |\n"),
        (TABLE, 40, ""),
        (CODE, 60, "# A\n## B\n"),
        (BODY, 0, ""),
    ],
)
def test_what_is_left_of_a_text_by_its_room(body: str, size: int, left: str) -> None:
    assert _cut(body, size) == left + MARK


@cases(("code", "size", "left"), [("# one\ntwo\nthree\n", 27, "# one\ntwo\n"), ("code", 0, "")])
def test_code_loses_lines_from_its_end(code: str, size: int, left: str) -> None:
    assert _cut(code, size, False) == left + MARK


def test_of_the_done_tasks_the_last_one_goes_first() -> None:
    body = "".join(f"- [{box}] task {number}\n" for number, box in enumerate("xx xx"))
    kept = dict.fromkeys("".join(re.findall(r"task (\d)", rung)) for rung in _rungs(body))
    assert list(kept) == ["01234", "0123", "012", "02", "2", ""]
    fenced = _rungs("- [x] done\n\n```md\n- [x] shown\n```\n")
    assert "- [x] shown" in next(rung for rung in fenced if "- [x] done" not in rung)


def test_then_dated_sections_from_the_oldest_and_never_the_newest() -> None:
    rungs = _rungs(BODY)
    assert "middle" in next(rung for rung in rungs if "oldest" not in rung)
    without_middle = next(rung for rung in rungs if "middle" not in rung)
    assert "newest" in without_middle
    assert "2026-01-02" not in rungs[rungs.index(without_middle) + 2]
    assert not any("make everything" in rung for rung in rungs if "make everything\n```\n" not in rung)


def test_prose_is_cut_at_a_sentence_a_line_or_a_word() -> None:
    text = "A first sentence. A second one, that goes\non in a line, and on\n" * 40
    assert re.search(r"(sentence\.|goes|on)$", _cut(text, 2_000).removesuffix(f"\n{MARK}"))
    assert len(_cut(text, 2_000)) > 1_950
    assert _cut("one two three four five six\n", 25) == f"one two\n{MARK}"
    assert _cut("``` one `two` three four five\nsix\n", 32) == MARK


def test_nested_code_is_never_cut() -> None:
    quoted = "> quoted\n>\n> ```\n> more code\n> and more\n> ```\n"
    for rung in _rungs(f"- item one\n\n  ```\n  code one\n\n  code two\n  ```\n\n{quoted}"):
        assert ("code one" in rung) == ("code two\n  ```\n" in rung)
        assert ("more code" in rung) == ("and more\n> ```\n" in rung)


@cases("separator", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_characters_that_only_python_takes_for_line_ends_change_no_line_numbers(separator: str) -> None:
    body = f"one{separator}two{separator}three\n\n```sh\nfenced\n```\n\n<!-- remark -->\n\nend\n"
    assert body.replace("<!-- remark -->\n", "") + MARK in _rungs(body)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_other_systems_are_cut_alike(end: str) -> None:
    def shown(text: str) -> int:
        return sum(map(len, text.split()))

    ladder, other = Ladder(BODY), Ladder(BODY.replace("\n", end))
    for size in range(shown(BODY) + shown(MARK)):
        assert other.cut(shown, size).split() == ladder.cut(shown, size).split()


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
def test_a_rung_only_holds_what_the_next_larger_one_holds(body: str) -> None:
    outline = [f"{'#' * heading.level} {heading.name}" for heading in scan(body).headings]
    larger = body
    for rung in _rungs(body):
        rest = iter(larger.split("\n"))
        kept = [line for line in rung.removesuffix(MARK).split("\n") if line.strip() and line + "\n" != MARK]
        assert kept == outline or all(any(other.startswith(line) for other in rest) for line in kept)
        larger = larger if kept == outline else rung


@given(st.one_of(any_markdown, nasty), st.booleans(), st.integers(0, 200) | st.integers(0, 400), st.integers(1, 40))
@settings(max_examples=2 * settings.default.max_examples)
def test_what_comes_back_fits_or_is_the_mark_and_is_no_less_with_more_room(
    body: str, is_markdown: bool, size: int, more: int
) -> None:
    text = _cut(body, size, is_markdown)
    assert text == MARK or (len(text) <= size and text.endswith(f"\n{MARK}"))
    assert len(text) <= len(_cut(body, size + more, is_markdown))


@given(st.one_of(any_markdown, nasty), st.integers(0, 120), st.integers(1, 40), st.sampled_from(ENCODINGS))
def test_more_room_never_gives_fewer_tokens(body: str, size: int, more: int, name: str) -> None:
    units, ladder = get_counter(name).units, Ladder(body)
    assert units(ladder.cut(units, size)) <= units(ladder.cut(units, size + more))


@given(nasty, st.integers(0, 5_000))
def test_prose_is_cut_within_and_only_once_at_a_place(text: str, shown: int) -> None:
    found = prose_cuts(text, shown)
    assert found == sorted({place for place in found if 0 < place < len(text)})


def test_a_gap_is_one_beside_all_that_is_shown_before_it() -> None:
    lines = [f"a ```b``` {'word ' * 58}\n"] * 10
    cuts = Cuts(lines, scan("".join(lines)))
    assert cuts.first_gap(range(10), 10_000) is None
    assert cuts.first_gap(range(10), 8_000) == (0, 0)
