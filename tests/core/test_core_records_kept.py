"""Large directories of records in a second process: what was kept about their files changes nothing but the time."""

import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from ctxtui.core.notices import Notice
from ctxtui.core.records.directory import Record, RecordDirectory
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


def files_of(cache: Path) -> list[Path]:
    return list(cache.glob("ctxtui/records/*.json"))


@pytest.fixture
def cache() -> Path:
    return Path(os.environ["XDG_CACHE_HOME"])


def read_afresh(place: Path, cache: Path) -> tuple[list[Record], set[Notice]]:
    for file in files_of(cache):
        file.unlink()
    return read(place)


def test_a_second_process_reads_only_what_is_not_kept(
    place: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    os_open: Callable[..., int] = os.open

    def counted(path: str, *more: object, **named: object) -> int:
        opened.append(os.path.basename(path))
        return os_open(path, *more, **named)

    monkeypatch.setattr(os, "open", counted)
    found = read(place)
    assert sorted(name for name in opened if name.endswith(".md")) == ["e1.md", "e3.md"]
    assert found == read_afresh(place, cache)


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
def test_after_any_edits_it_reads_what_a_first_process_reads(place: Path, cache: Path, seed: int) -> None:
    random = Random(seed)
    for file in random.sample(sorted(place.glob("*.md")), 12):
        if file.exists():
            random.choice(EDITS)(file)
    assert read(place) == read_afresh(place, cache)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"text 7", b"text 8"),
        lambda data: data.partition(b"\n")[2],
        lambda _: b"",
        lambda _: b"0\n[[1]]",
        lambda _: b"\xff\n{}",
    ],
)
def test_a_damaged_cache_costs_time_alone(place: Path, cache: Path, damage: Callable[[bytes], bytes]) -> None:
    (file,) = files_of(cache)
    before = read(place)
    file.write_bytes(damage(file.read_bytes()))
    assert read(place) == before


def test_a_cache_that_cannot_be_written_costs_time_alone(place: Path, cache: Path) -> None:
    before = read_afresh(place, cache)
    for file in files_of(cache):
        file.unlink()
    (cache / "ctxtui/records").rmdir()
    (cache / "ctxtui/records").write_text("not a folder")
    assert read(place) == read(place) == before


def test_what_is_kept_is_for_its_owner_alone(place: Path, cache: Path) -> None:
    (file,) = files_of(cache)
    assert file.stat().st_mode & 0o077 == 0
    assert read(place)[0]
