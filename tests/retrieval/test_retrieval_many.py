"""A folder of many files that is asked again and again: every answer is that of the files as they are."""

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ctxtui.retrieval import ContextRetrievalRequest, FilesystemProvider
from tests.core.test_core_records import aged

COUNT = 520
LOCAL = Path("/dev/shm")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Many files, on a local file system if there is one."""
    with tempfile.TemporaryDirectory(dir=LOCAL if LOCAL.is_dir() else tmp_path) as folder:
        for number in range(COUNT):
            file = Path(folder, f"d{number % 5}", f"f{number}.md")
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"# Page\n\nzebra{chr(97 + number // 26)}{chr(97 + number % 26)}k\n")
        for below in Path(folder).iterdir():
            os.utime(below, ns=(0, 1_000_000_000))
        aged(Path(folder, "d2"))
        yield Path(folder)


def in_place(file: Path) -> None:
    """Other bytes with the same size and time."""
    before = file.stat()
    file.write_text(file.read_text().replace("zebraack", "okapiack"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def linked(file: Path) -> None:
    file.unlink()
    file.with_name("f7.md").write_text("okapiack\n")
    file.symlink_to(file.with_name("f7.md"))


def moved_over(file: Path) -> None:
    file.with_name("x.md").write_text("okapiack\n")
    file.with_name("x.md").replace(file)


@pytest.mark.parametrize("change", [in_place, linked, moved_over])
def test_each_answer_is_that_of_the_files_as_they_are(place: Path, change: Callable[[Path], None]) -> None:
    provider = FilesystemProvider(on_notice=lambda _: None)

    def found(prompt: str) -> list[str]:
        request = ContextRetrievalRequest(prompt, "test", "test", str(place), "filesystem")
        return [hit.snippet.path for hit in provider.search(request).hits]

    for _ in range(4):
        assert found("zebraack") == ["d2/f2.md"]
    change(place / "d2/f2.md")
    assert found("zebraack") == []
    assert found("okapiack")
    for _ in range(3):
        assert found("zebraadk") == ["d3/f3.md"]
    (place / "d3/f3.md").unlink()
    assert found("zebraadk") == []
    provider.close()
