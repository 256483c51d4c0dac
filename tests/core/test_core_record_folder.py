"""Records read from a folder that is held open are those that reading file by file gives."""

import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from ctxtui.core.disk.content import MAX_BYTES
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.records.cache import RecordCache
from tests.core.test_core_records import aged, text

COUNT = 60


def outside(file: Path) -> None:
    target = file.parent.parent / f"out-{file.name}"
    target.write_text(text(f"out-{file.stem}"))
    file.symlink_to(target)


def inside(file: Path) -> None:
    target = file.with_suffix(".txt")
    target.write_text(text(f"in-{file.stem}"))
    file.symlink_to(target.name)


def hard(file: Path) -> None:
    other = file.parent.parent / f"hard-{file.name}"
    other.write_text(text(file.stem))
    file.hardlink_to(other)


def endless(file: Path) -> None:
    with file.open("wb") as sparse:
        sparse.truncate(MAX_BYTES + 1)


def forbidden(file: Path) -> None:
    file.write_text(text(file.stem))
    file.chmod(0)


KINDS: list[Callable[[Path], object]] = [
    lambda file: file.write_text(text(file.stem)),
    lambda file: file.write_text(text("taken")),
    lambda file: file.write_bytes(b"\xff\xfe" + text(file.stem).encode("utf-16-le")),
    lambda file: file.write_bytes(text(file.stem).encode() + b"\xff"),
    lambda file: file.write_bytes(b"\0\0\1"),
    lambda file: file.write_text("---\nentryId: [broken\n---\n"),
    lambda file: file.write_bytes(b""),
    lambda file: file.symlink_to("nowhere.md"),
    lambda file: file.symlink_to(file.name),
    os.mkfifo,
    Path.mkdir,
    outside,
    inside,
    hard,
    endless,
    forbidden,
]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes and links")
@pytest.mark.parametrize("seed", range(3))
def test_a_folder_read_at_once_gives_what_its_files_give(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    place = tmp_path / "entries"
    place.mkdir()
    names = [f"e{number}.md" for number in range(COUNT)]
    for name, kind in zip(names, [*KINDS, *random.choices(KINDS, k=COUNT - len(KINDS))], strict=True):
        kind(place / name)
    aged(place)
    whole, single = RecordCache(place, "entries"), RecordCache(place, "entries")
    whole.look_for_new()
    for name in sorted(names):
        single.look_at(name)
    assert {name: (seen.said, seen.times) for name, seen in whole.files.items()} == {
        name: (seen.said, seen.times) for name, seen in single.files.items()
    }
    assert whole.claims == single.claims
    assert whole.changed == single.changed
    assert whole.notices == single.notices
    assert whole.notices


def test_a_folder_below_a_root_is_not_read_through_a_link_put_in_its_place(tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    (outer / "secret.md").write_text(text("secret"))
    project = tmp_path / "project"
    (project / "entries").mkdir(parents=True)
    cache = RecordCache(project / "entries", "entries")
    cache.root = Root(project).below("entries", is_limit=True)
    (project / "entries").rmdir()
    (project / "entries").symlink_to(outer)
    with pytest.raises(Exception, match="out of the project"):
        cache.look_for_new()
    assert not cache.files
