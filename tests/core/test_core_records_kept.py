"""Large directories of records in a second process: what was kept about their files changes nothing but the time."""

import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from ctxtui.core.base.notices import Notice
from ctxtui.core.documents.records.directory import Record, RecordDirectory
from tests.caching import cache_off
from tests.core.test_core_records import aged, text

COUNT = 220


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory of many records, one of them damaged and one with a key of its own, as a first process read it."""
    place = tmp_path / "entries"
    place.mkdir()
    for number in range(COUNT):
        (place / f"e{number}.md").write_text(text(f"e{number}", f"text {number}\n"))
    (place / "e1.md").write_text(text("e1", more="mood: {good: 1}\n"))
    (place / "e2.md").write_text(text("e2", more="mood: good\n"))
    (place / "e3.md").write_text("---\nentryId: e3\n---\nno category")
    aged(place)
    read(place)
    return place


def read(place: Path) -> tuple[list[Record], set[Notice]]:
    """What a new process reads."""
    notices: list[Notice] = []
    return list(RecordDirectory(place, notices.append).all()), set(notices)


def read_afresh(place: Path) -> tuple[list[Record], set[Notice]]:
    with cache_off():
        return read(place)


def test_a_second_process_reads_only_what_is_not_kept(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    os_open: Callable[..., int] = os.open

    def counted(path: str, *more: object, **named: object) -> int:
        opened.append(os.path.basename(path))
        return os_open(path, *more, **named)

    monkeypatch.setattr(os, "open", counted)
    found = read(place)
    assert sorted(name for name in opened if name.endswith(".md")) == ["e3.md"]
    assert found == read_afresh(place)


def rewritten(file: Path) -> None:
    """Other bytes with the same size and time."""
    before = file.stat()
    file.write_bytes(file.read_bytes().replace(b"text", b"TEXT"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def linked(file: Path) -> None:
    file.rename(file.parent.parent / file.name)
    file.symlink_to(file.parent.parent / file.name)


EDITS: list[Callable[[Path], object]] = [
    rewritten,
    linked,
    Path.unlink,
    lambda file: file.write_text(text("other")),
    lambda file: file.rename(file.with_name(f"x{file.name}")),
    lambda file: os.replace(file, file.with_name("e0.md")),
    lambda file: file.with_name(f"n{file.name}").write_text(file.read_text()),
    lambda file: (file.unlink(), file.mkdir()),
]


@pytest.mark.parametrize("seed", range(4))
def test_after_any_edits_it_reads_what_a_first_process_reads(place: Path, seed: int) -> None:
    random = Random(seed)
    for file in random.sample(sorted(place.glob("*.md")), 12):
        if file.exists():
            random.choice(EDITS)(file)
    assert read(place) == read_afresh(place)
