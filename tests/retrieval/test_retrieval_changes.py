"""A root that is looked at again and again: what is known about it is always what a first look finds."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.listing import DEFAULT_LISTING
from ctxtui.retrieval.index.change_scan import scan_changes
from tests.core.test_core_records import aged

FOLDERS, FILES = 40, 15
LOCAL = Path("/dev/shm")


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Nested folders of many files, on a local file system if there is one, old enough for their times to be trusted."""
    with tempfile.TemporaryDirectory(dir=LOCAL if LOCAL.is_dir() else tmp_path) as folder:
        place = Path(folder, "root")
        for number in range(FOLDERS * FILES):
            file = place / f"a{number % 4}" / f"b{number % FOLDERS}" / f"f{number}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"# Page {number}\n")
        (place / ".gitignore").write_text("*.tmp\n")
        (place / "a1/.gitignore").write_text("nothing\n")
        (place / "a2/empty").mkdir()
        (place / ".git/info").mkdir(parents=True)
        (place / ".git/HEAD").write_text("ref: refs/heads/main\n")
        for inner, _, _ in os.walk(place):
            os.utime(inner, ns=(0, 1_000_000_000))
        aged(place / "a0")
        yield place


class Known:
    """What a scan that lives on knows."""

    def __init__(self, place: Path) -> None:
        self._root = Root(place)
        self.stamps: dict[str, Stamp] = {}

    def look(self) -> dict[str, Stamp]:
        found = scan_changes(self._root, DEFAULT_LISTING, self.stamps)
        self.stamps.update(found.changed)
        for path in found.gone:
            del self.stamps[path]
        return self.stamps


def first_look(place: Path) -> dict[str, Stamp]:
    found = DEFAULT_LISTING.walk(Root(place), lambda _: None)
    return {file.real: file.stamp for file in DEFAULT_LISTING.keep(place, found)}


def some_file(place: Path, random: Random) -> Path:
    return random.choice([file for file in sorted(place.rglob("*.md")) if file.is_file()])


def rewritten(place: Path, random: Random) -> None:
    """Other bytes with the same size and time."""
    file = some_file(place, random)
    before = file.stat()
    file.write_bytes(file.read_bytes()[::-1])
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def removed(place: Path, random: Random) -> None:
    some_file(place, random).unlink()


def added(place: Path, random: Random) -> None:
    some_file(place, random).with_name("new.md").write_text("new")


def added_below(place: Path, random: Random) -> None:
    folder = some_file(place, random).parent / "below"
    folder.mkdir(exist_ok=True)
    (folder / "first.md").write_text("first")


def filled(place: Path, _: Random) -> None:
    (place / "a2/empty").mkdir(parents=True, exist_ok=True)
    (place / "a2/empty/one.md").write_text("one")


def folder_moved(place: Path, random: Random) -> None:
    folder = some_file(place, random).parent
    folder.rename(folder.with_name(f"moved-{folder.name}"))


def folder_replaced(place: Path, random: Random) -> None:
    folder = some_file(place, random).parent
    aside = place.parent / f"aside-{folder.name}-{random.random()}"
    folder.rename(aside)
    shutil.copytree(aside, folder)


def upper_replaced(place: Path, random: Random) -> None:
    """All of a folder that holds folders gives way to a copy with one file less."""
    folder = random.choice([each for each in sorted(place.iterdir()) if each.is_dir() and not each.is_symlink()])
    aside = place.parent / f"upper-{random.random()}"
    folder.rename(aside)
    shutil.copytree(aside, folder, symlinks=True)
    some_file(folder, random).unlink()


def ignored(place: Path, random: Random) -> None:
    name = some_file(place, random).name
    rules = place / random.choice(["", "a0", "a1", "a3"]) / ".gitignore"
    rules.parent.mkdir(exist_ok=True)
    rules.write_text(f"{name}\n")


def no_longer_ignored(place: Path, _: Random) -> None:
    (place / ".gitignore").unlink(missing_ok=True)


def ignored_around(place: Path, random: Random) -> None:
    (place / ".git/info/exclude").write_text(f"{some_file(place, random).name}\n")


def linked(place: Path, random: Random) -> None:
    file, other = some_file(place, random), some_file(place, random)
    if file != other and not other.is_symlink():
        file.unlink()
        file.symlink_to(other)


def unrelated(place: Path, random: Random) -> None:
    some_file(place, random).with_name("x.tmp").write_text("x")


EDITS: list[Callable[[Path, Random], None]] = [
    *(rewritten, removed, added, added_below, filled, folder_moved, folder_replaced, upper_replaced),
    *(ignored, no_longer_ignored, ignored_around, linked, unrelated),
]


@pytest.mark.parametrize("edit", EDITS, ids=[edit.__name__ for edit in EDITS])
def test_after_an_edit_a_scan_that_lives_on_knows_what_a_first_one_finds(
    place: Path, edit: Callable[[Path, Random], None]
) -> None:
    known = Known(place)
    for _ in range(4):
        assert known.look() == first_look(place)
    edit(place, Random(1))
    for _ in range(3):
        assert known.look() == first_look(place)


@pytest.mark.parametrize("seed", range(4))
def test_after_any_edits_a_scan_that_lives_on_knows_what_a_first_one_finds(place: Path, seed: int) -> None:
    random, known = Random(seed), Known(place)
    for _ in range(8):
        for _ in range(random.randrange(1, 4)):
            known.look()
        for edit in random.choices(EDITS, k=random.randrange(3)):
            edit(place, random)
        assert known.look() == first_look(place)
