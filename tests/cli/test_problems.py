"""Problems on the command line: few are told one by one, many by kind; all are counted, none more than once."""

import re
from collections import Counter

from hypothesis import example, given
from hypothesis import strategies as st

from ctxtui.cli.project import MOST, Narrator, notice_lines
from ctxtui.core.base.notices import INFORMING, Notice, by_kind
from tests.conftest import Asked, Project

CODES = [*sorted(INFORMING)[:8], *(f"wrong-{letter}" for letter in "abcdefghijkl")]
_PLACES = st.sampled_from((None, "a.md"))
NOTICES = st.lists(st.builds(Notice, st.sampled_from(CODES), st.text("mn", max_size=3), _PLACES), max_size=60)


@given(NOTICES)
@example([Notice(code, "m") for code in CODES])
@example([Notice("wrong-a", "m")] * 237)
def test_any_number_of_problems_takes_few_lines(notices: list[Notice]) -> None:
    lines = notice_lines(notices)
    assert len(lines) <= MOST
    if len(notices) <= MOST:
        assert [line.partition(": ")[2] for line in lines] == [str(notice) for notice in notices]
        return
    counts: Counter[str] = Counter()
    for line in lines[:-1]:
        several = re.findall(r"([\d,]+) × ([a-z-]+)", line)
        for number, code in several or [("1", line.split(": ")[1])]:
            counts[code] += int(number.replace(",", ""))
        first = several[0][1] if several else line.split(": ")[1]
        assert line.startswith("note: " if first in INFORMING else "problem: ")
    assert counts == Counter(notice.code for notice in notices)
    assert lines[-1].startswith(f"{len(notices):,} in all: ")


@given(NOTICES)
def test_kinds_hold_every_notice_with_what_informs_last(notices: list[Notice]) -> None:
    kinds = by_kind(notices)
    assert Counter(notice for kind in kinds for notice in kind) == Counter(notices)
    assert [len({notice.code for notice in kind}) for kind in kinds] == [1] * len({each.code for each in notices})
    assert [kind[0].is_problem for kind in kinds] == sorted((kind[0].is_problem for kind in kinds), reverse=True)


@given(NOTICES, st.integers(0, 60))
def test_every_notice_is_told_once(notices: list[Notice], at: int) -> None:
    lines: list[str] = []
    narrator = Narrator(quiet=False)
    narrator._write = lambda line, *_: lines.append(line)  # type: ignore[method-assign, assignment]
    narrator.tell(notices[:at])
    narrator.say("half")
    narrator.tell(notices[at:])
    narrator.flush()
    narrator.flush()
    new = list(dict.fromkeys(notices))
    before = [each for each in new if each in notices[:at]]
    assert lines == [*notice_lines(before), "half", *notice_lines(new[len(before) :])]


def test_a_project_with_many_problems(project: Project, asked: Asked) -> None:
    files = {f"know/py/{n}.md": f"---\nestimatedTokens: many\n---\n# {n}\n" for n in range(237)}
    root = project({"know/index.md": "# Index\n", "know/py/index.md": "# Py\n", **files})
    first, all_, _ = asked("ls", str(root)).err.splitlines()
    assert first.startswith("problem: 237 × metadata-type, such as know/py/")
    assert all_.startswith("237 in all: --json")
    said = asked("ls", str(root), "--json")
    assert (len(said.notices), len(said.err.splitlines())) == (237, 2)
    assert asked("ls", str(root), "-q").err == ""


def test_problems_are_told_before_the_error_that_ends_a_command(project: Project, asked: Asked) -> None:
    root = project({"AGENTS.md": "---\na: [\n---\n# A\n", "x.png": b"\x89PNG\0"})
    said = asked("build", "-C", str(root), "--pick", "nothing-of-that-name", status=3)
    problem, note, error, *_ = said.err.splitlines()
    assert problem.startswith("problem: AGENTS.md:")
    assert note.startswith("note: 1 binary file")
    assert error.startswith("ctxtui: ")
