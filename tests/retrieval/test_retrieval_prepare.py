"""Many files prepared by several processes: as one would prepare them, whatever becomes of the others."""

from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.workers.process import Lost, WorkProcess
from ctxtui.retrieval.index.prepare import Prepared, PrepareJob, grammars, prepare, prepare_in_worker
from ctxtui.retrieval.index.prepare_all import Parts, helpers_for, prepare_all
from ctxtui.retrieval.index.tokenizer import Words
from tests.core.test_core_records import aged

Files = dict[str, Stamp]


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


def by_process(root: Root, files: Files) -> list[Prepared]:
    """What another process makes of them."""
    process = WorkProcess()
    try:
        return process.run(prepare_in_worker, PrepareJob(root.way(), grammars(), list(files.items())), 60)
    finally:
        process.close()


def test_another_process_prepares_files_as_this_one_does(root: Root, files: Files, alone: list[Prepared]) -> None:
    assert by_process(root, files) == alone


def test_it_reads_no_further_than_this_process_may(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "outer.md").write_text("# Zebra\n")
    (tmp_path / "inner/link.md").symlink_to("../outer.md")
    linked = {"link.md": Stamp.of((tmp_path / "outer.md").stat())}
    wide, narrow = (Root(tmp_path).below("inner", is_limit=is_limit) for is_limit in (False, True))
    (seen,), (hidden,) = by_process(wide, linked), by_process(narrow, linked)
    assert [row.heading for row in seen.rows] == ["zebra"]
    assert (hidden.rows, hidden.problem) == ((), "unreadable-file")


def test_a_process_that_finds_other_grammars_prepares_nothing(root: Root, files: Files) -> None:
    with pytest.raises(ContextError, match="other grammars"):
        prepare_in_worker(PrepareJob(root.way(), ("tree-sitter of another version",), list(files.items())))


@pytest.mark.parametrize("fault", [Lost("was ended"), ContextError("unavailable", "no process can be started")])
def test_what_a_lost_process_leaves_is_prepared_here(
    root: Root, files: Files, alone: list[Prepared], monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    monkeypatch.setattr(WorkProcess, "run", Mock(side_effect=fault))
    assert list(prepare_all(root, files, Words(), never, 2)) == alone


def test_all_files_come_in_order(root: Root, files: Files, alone: list[Prepared]) -> None:
    for helpers in (0, 1, 3):
        assert list(prepare_all(root, files, Words(), never, helpers)) == alone, helpers
    assert helpers_for({"a.md": Stamp(1, 1, 1_000_000)}) == 0, "few files are prepared alone"


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
