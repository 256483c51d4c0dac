"""Folders that the kernel watches: every change to a file in them is known at once, or the files are checked."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from ctxtui.catalog.library import Library
from ctxtui.core.disk.folder_watch import FolderWatch
from ctxtui.core.documents.records.directory import RecordDirectory
from tests.core.test_core_records import aged, text

COUNT = 520
LOCAL = Path("/dev/shm")
needs_queue = pytest.mark.skipif(sys.platform != "linux" or not LOCAL.is_dir(), reason="no queue of changes here")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder with many files, on a local file system if there is one."""
    with tempfile.TemporaryDirectory(dir=LOCAL if LOCAL.is_dir() else tmp_path) as folder:
        place = Path(folder, "d")
        place.mkdir()
        for number in range(COUNT):
            (place / f"e{number}.md").write_text(text(f"e{number}"))
        aged(place)
        yield place


def checked(watch: FolderWatch, *folders: Path, files: int = COUNT, is_plain: bool = True) -> FolderWatch:
    names = [str(folder) for folder in folders]
    watch.end(watch.begin(names, files), names, is_plain)
    return watch


def replaced(file: Path) -> None:
    new = file.with_name("new.tmp")
    new.write_text(text(file.stem, "replaced"))
    os.replace(new, file)


def folder_replaced(file: Path) -> None:
    folder = file.parent
    aside = folder.with_name(f"aside-{file.stem}")
    folder.rename(aside)
    shutil.copytree(aside, folder, copy_function=shutil.copy)
    (folder / file.name).write_text(text(file.stem, "in another folder"))


def rewritten(file: Path) -> None:
    before = file.stat()
    file.write_bytes(file.read_bytes().replace(b"text", b"TEXT"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def appended(file: Path) -> None:
    with file.open("ab") as open_file:
        open_file.write(b"more")


CHANGES: dict[str, Callable[[Path], object]] = {
    "other bytes with the same size and time": rewritten,
    "more bytes": appended,
    "a link to it elsewhere": lambda file: file.symlink_to(shutil.move(file, file.parent.parent / file.name)),
    "moved away": lambda file: file.rename(file.parent.parent / f"away-{file.name}"),
    "a new one": lambda file: file.with_name(f"n{file.name}").write_text(text(f"n{file.stem}")),
    "another in its place": replaced,
    "another folder": folder_replaced,
    "gone": Path.unlink,
}


@needs_queue
@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_known_at_once(place: Path, change: str) -> None:
    watch = checked(FolderWatch(), place)
    assert watch.is_still()
    (place / "e7.md").read_text()
    assert watch.is_still()
    CHANGES[change](place / "e7.md")
    assert not watch.is_still()
    assert not watch.is_still()
    assert checked(watch, place).is_still()


@needs_queue
def test_what_cannot_be_known_is_checked(place: Path) -> None:
    (place / "below").mkdir()
    assert not FolderWatch().is_still()
    assert not checked(FolderWatch(), place, files=10).is_still()
    assert not checked(FolderWatch(), place, is_plain=False).is_still()
    assert not checked(FolderWatch(), place, place / "missing").is_still()
    assert not checked(FolderWatch(), Path("/proc/self")).is_still()
    watch = FolderWatch()
    watch.end(watch.begin([str(place)], COUNT), [str(place), str(place / "below")], True)
    assert not watch.is_still()
    early = watch.begin([str(place)], COUNT)
    watch.begin([str(place)], COUNT)
    watch.end(early, [str(place)], True)
    assert not watch.is_still()


@needs_queue
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_process_takes_no_change_away(place: Path) -> None:
    watch = checked(FolderWatch(), place)
    appended(place / "e1.md")
    child = os.fork()
    if child == 0:
        os._exit(watch.is_still())
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not watch.is_still()


@pytest.mark.parametrize("seed", range(2))
def test_a_provider_that_lives_on_says_what_a_new_one_says(place: Path, seed: int) -> None:
    random, records, library = Random(seed), RecordDirectory(place, lambda _: None), Library(place.parent)
    for _ in range(4):
        for _ in range(3):
            assert records.all() == RecordDirectory(place, lambda _: None).all()
            assert library.fingerprint() == Library(place.parent).fingerprint()
        CHANGES[random.choice([*CHANGES])](random.choice(sorted(place.glob("*.md"))))
        assert library.fingerprint() == Library(place.parent).fingerprint()
        assert records.all() == RecordDirectory(place, lambda _: None).all()
        for other in place.parent.glob("*.md"):
            # What lies elsewhere may change too, if a link leads to it.
            appended(other)


def test_a_file_with_a_second_name_is_checked_each_time(place: Path) -> None:
    second = place.parent / "second.md"
    os.link(place / "e5.md", second)
    records, library = RecordDirectory(place, lambda _: None), Library(place.parent)
    for number in range(3):
        second.write_text(text("e5", f"version {number}"))
        assert any(record.content == f"version {number}" for record in records.all())
        assert library.fingerprint() == Library(place.parent).fingerprint()
        # A file that is not young could be watched once it has been checked.
        aged(place)
        assert records.all() == records.all()
