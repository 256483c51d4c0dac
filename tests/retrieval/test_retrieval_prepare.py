"""Many files prepared by several processes: as one would prepare them, whatever becomes of the others."""

import shlex
import sys
from collections import deque
from pathlib import Path
from queue import SimpleQueue

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.core import own_process
from ctxtui.core.files.content import Stamp
from ctxtui.core.files.root import Root
from ctxtui.retrieval.index import prepare_worker
from ctxtui.retrieval.index.prepare import Prepared, prepare
from ctxtui.retrieval.index.prepare_all import Parts, helpers_for, prepare_all
from ctxtui.retrieval.index.prepare_process import Part, have_prepared
from ctxtui.retrieval.index.tokenizer import Words
from tests.core.test_core_records import aged

Files = dict[str, Stamp]
# Hands on what it reads, and ends after so many bytes.
_CUT = """
import os
left = 30_000
while left and (data := os.read(0, left)):
    os.write(1, data)
    left -= len(data)
"""


def never() -> bool:
    return False


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Root:
    """Files of all kinds, in several parts."""
    place = tmp_path_factory.mktemp("root")
    for number in range(150):
        text = f"---\ntitle: Page {number}\n---\n\n# Größe {number}\n\npassword: hunter2-{number}x\n\n## 检索 🎉\n\nzebra{number}\n"
        (place / f"page{number}.md").write_text(text * (number % 3 + 1), "utf-8")
        (place / f"code{number}.py").write_text(f"def find_user{number}():\n    return {number}\n\n\n" * 20, "utf-8")
    (place / "lines.txt").write_bytes(b"one\r\ntwo\rthree " * 1000)
    (place / "broken.md").write_bytes(b"# Title\n\n\xff\xfe broken\n")
    (place / "binary.dat").write_bytes(bytes(range(256)))
    (place / "empty.md").touch()
    (place / ".env").write_text("TOKEN=abc\n")
    (place / "out.md").symlink_to("/etc/passwd")
    aged(place)
    return Root(place)


@pytest.fixture(scope="module")
def files(root: Root) -> Files:
    """The files with their versions, and one that is gone."""
    found = {each.name: Stamp.of(each.lstat()) for each in sorted(root.path.iterdir())}
    return {**found, "gone.md": Stamp(1, 2, 3)}


@pytest.fixture(scope="module")
def alone(root: Root, files: Files) -> list[Prepared]:
    """What one process makes of them."""
    words = Words()
    return [prepare(root, path, stamp, words) for path, stamp in files.items()]


def by_process(root: Root, files: Files) -> tuple[list[Prepared | None], int]:
    """What one other process makes of a few files at a time, None for those that it left; and how many it never took."""
    paths = list(files.items())
    parts = deque(enumerate(paths[start : start + 20] for start in range(0, len(paths), 20)))
    given: SimpleQueue[tuple[int, list[Prepared] | None]] = SimpleQueue()
    sizes = {number: len(part) for number, part in parts}
    taken = []

    def take() -> tuple[int, Part] | None:
        if not parts:
            return None
        taken.append(parts[0][0])
        return parts.popleft()

    process = own_process.start(["-P", "-m", prepare_worker.__name__])
    try:
        have_prepared(process, root, take, lambda number, files: given.put((number, files)))
    finally:
        own_process.finish(process)
    back = dict(given.get_nowait() for _ in taken)
    found: list[Prepared | None] = []
    for number in taken:
        found += back[number] or [None] * sizes[number]
    return found, len(parts)


def other_python(place: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Have processes started with a script instead of Python, which is `$PYTHON` in it."""
    place.mkdir()
    program = place / "python3"
    program.write_text(f"#!/bin/sh\nPYTHON={shlex.quote(sys.executable)}\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))


def test_another_process_prepares_files_as_this_one_does(root: Root, files: Files, alone: list[Prepared]) -> None:
    assert by_process(root, files) == (alone, 0)


def test_it_reads_no_further_than_this_process_may(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "outer.md").write_text("# Zebra\n")
    (tmp_path / "inner/link.md").symlink_to("../outer.md")
    linked = {"link.md": Stamp.of((tmp_path / "outer.md").stat())}
    wide, narrow = (Root(tmp_path).below("inner", is_limit=is_limit) for is_limit in (False, True))
    ((seen,), _), ((hidden,), _) = by_process(wide, linked), by_process(narrow, linked)
    assert seen is not None
    assert [row.heading for row in seen.rows] == ["zebra"]
    assert hidden is not None
    assert (hidden.rows, hidden.problem) == ((), "unreadable-file")


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins for Python are shell scripts")
@pytest.mark.parametrize("script", ["exit 1", "cat", "yes"])
def test_a_process_that_is_something_else_takes_nothing(
    root: Root, files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    other_python(tmp_path / "bin", monkeypatch, script)
    found, left = by_process(root, files)
    assert found == []
    assert left > 0


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins for Python are shell scripts")
def test_a_process_that_ends_between_gives_back_what_it_took(
    root: Root, files: Files, alone: list[Prepared], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other_python(tmp_path / "bin", monkeypatch, f'"$PYTHON" "$@" | "$PYTHON" -c {shlex.quote(_CUT)}')
    found, left = by_process(root, files)
    done = [file for file in found if file is not None]
    assert done == alone[: len(done)]
    assert found[len(done) :] == [None] * (len(found) - len(done)) != []
    assert left > 0


@pytest.mark.parametrize("helpers", [0, 1, 3])
def test_all_files_come_in_order(root: Root, files: Files, alone: list[Prepared], helpers: int) -> None:
    assert list(prepare_all(root, files, Words(), never, helpers)) == alone


@given(st.sets(st.integers(0, 9)))
@settings(max_examples=20, deadline=None)
def test_what_others_give_back_and_what_they_leave_comes_in_order(
    root: Root, files: Files, alone: list[Prepared], given_back: set[int]
) -> None:
    parts, words = Parts(root, files, Words(), never), Words()
    for number, part in filter(None, [parts.take() for _ in range(10)]):
        done = [prepare(root, path, stamp, words) for path, stamp in part]
        parts.give(number, done if number in given_back else None)
    assert list(parts.prepared()) == alone


@given(st.integers(0, 320), st.sampled_from([0, 2]))
@settings(max_examples=12, deadline=None)
def test_when_it_is_over_each_prepared_file_has_come_once(
    root: Root, files: Files, alone: list[Prepared], looks: int, helpers: int
) -> None:
    left = iter(range(looks))
    found = list(prepare_all(root, files, Words(), lambda: next(left, None) is None, helpers))
    by_path = {file.path: file for file in alone}
    assert found
    assert len({file.path for file in found}) == len(found)
    assert all(by_path[file.path] == file for file in found)


def test_few_files_are_prepared_alone() -> None:
    assert helpers_for({"a.md": Stamp(1, 1, 1_000_000)}) == 0
