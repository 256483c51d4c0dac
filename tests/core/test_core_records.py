"""A directory of records: what is on disk now, in order, whatever else lies there."""

import errno
import os
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.records.cache import RecordCache
from ctxtui.core.documents.records.directory import Record, RecordDirectory, read_record
from tests.cases import cases
from tests.conftest import Project
from tests.core.texts import refused

AT = datetime(2026, 2, 26, 10, tzinfo=UTC)


def record(id_: str, content: str = "text", minutes: int = 0, **extra: object) -> Record:
    return Record(id_, "Decision", content, ("a",), AT + timedelta(minutes=minutes), None, extra)


def text(id_: str, content: str = "text", more: str = "") -> str:
    head = "category: Decision\ntags: [a]\ncreatedAt: 2026-02-26T10:00:00Z\n"
    return f"---\nentryId: {id_}\n{head}{more}---\n{content}"


class Notes:
    """A directory of records with the notices it gave since the last look at them."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._notices: list[Notice] = []
        self.records = RecordDirectory(place, self._notices.append)

    def ids(self) -> list[str]:
        return [each.id for each in self.records.all()]

    def told(self) -> list[tuple[str, str]]:
        told = [(notice.code, Path(notice.path or "").name) for notice in self._notices]
        self._notices.clear()
        return told

    def names(self) -> list[str]:
        return sorted(each.name for each in self.place.iterdir())

    def write(self, files: dict[str, str | bytes]) -> None:
        """Write files by hand."""
        self.place.mkdir(exist_ok=True)
        for name, content in files.items():
            (self.place / name).write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path / "notes")


def aged(place: Path) -> None:
    """Make files look as if they were written long ago, so that their stamps tell their versions apart."""
    for file in place.iterdir():
        os.utime(file, ns=(0, 1_000_000_000), follow_symlinks=False)
    time.sleep(0.12)  # the time of the last change to the file itself cannot be set


def test_a_missing_directory_is_empty_and_made_by_the_first_record(notes: Notes) -> None:
    assert list(notes.records.all()) == []
    assert notes.records.get("x") is None
    assert notes.records.path_of("x") == notes.place / "x.md"
    assert not notes.place.exists()
    assert notes.records.store(record("x")) == notes.place / "x.md"
    assert notes.records.all() == (record("x"),)
    assert notes.told() == []


def test_records_come_newest_first_then_by_id(notes: Notes) -> None:
    for each in (record("b"), record("c", minutes=1), record("a"), record("d", minutes=-1)):
        notes.records.store(each)
    assert notes.ids() == ["c", "a", "b", "d"]
    notes.records.store(record("d", minutes=2))
    assert notes.ids() == ["d", "c", "a", "b"]


def test_an_existing_id_is_replaced_in_the_file_where_it_lives(notes: Notes) -> None:
    notes.write({"My notes.md": text("x")})
    assert notes.records.store(record("x", "new")) == notes.place / "My notes.md"
    assert notes.names() == ["My notes.md"]
    assert notes.records.get("x") == record("x", "new")
    assert notes.records.path_of("x") == notes.place / "My notes.md"
    (notes.place / "My notes.md").rename(notes.place / "other.md")
    assert notes.records.store(record("x", "newer")) == notes.place / "other.md"


def test_files_of_others_are_never_overwritten(notes: Notes) -> None:
    notes.write({"x.md": text("y"), "readme.md": "# Read me\n", "damaged.md": b"\0"})
    for id_ in ("x", "readme", "damaged"):
        for content in ("one", "two"):
            assert notes.records.store(record(id_, content)).name.startswith(f"{id_}+")
            assert notes.records.get(id_) == record(id_, content)
    assert len(notes.names()) == 6
    assert (notes.place / "x.md").read_text() == text("y")
    assert (notes.place / "readme.md").read_text() == "# Read me\n"
    # Where every name is taken, it says so.
    notes.records.path_of("x").write_text("# no longer a record\n")
    with pytest.raises(ContextError, match=r"notes/x\.md blocks"):
        notes.records.store(record("x"))


def test_a_file_that_lacks_something_is_repaired_by_storing(notes: Notes) -> None:
    notes.write({"x.md": "---\nentryId: x\n---\n"})
    assert [(each.type, each.content) for each in notes.records.all()] == [("Operational", "")]
    assert notes.told() == [("entry-incomplete", "x.md")] * 2
    assert notes.records.store(record("x")) == notes.place / "x.md"
    assert notes.ids() == ["x"]


def test_what_is_created_takes_the_place_of_nothing(notes: Notes) -> None:
    assert notes.records.create(record("x", "one")) == notes.place / "x.md"
    assert notes.records.create(record("x", "two")) is None
    assert notes.records.get("x") == record("x", "one")
    notes.write({"elsewhere.md": text("Y", "by hand"), "z.md": "Nothing but text.\n"})
    assert notes.records.create(record("Y", "two")) is None
    (notes.place / "link.md").symlink_to("nowhere.md")
    for id_ in ("z", "link"):
        assert notes.records.create(record(id_)).name not in ("z.md", "link.md")
        assert notes.records.create(record(id_)) is None
    assert (notes.place / "z.md").read_text() == "Nothing but text.\n"
    assert not (notes.place / "nowhere.md").exists()
    assert not [name for name in notes.names() if name.startswith(".")]


def test_records_are_created_once_without_hard_links(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", Mock(side_effect=OSError(errno.EPERM, "no hard links here")))
    assert notes.records.create(record("x", "one")) == notes.place / "x.md"
    assert RecordDirectory(notes.place).create(record("x", "two")) is None
    assert notes.records.get("x") == record("x", "one")
    # Another process has claimed the name and not written its record yet.
    (notes.place / "y.md").touch()
    assert notes.records.create(record("y")) is None
    assert notes.names() == ["x.md", "y.md"]


def test_what_is_replaced_can_be_kept_first(notes: Notes) -> None:
    keep = Mock()
    notes.records.revise("x", lambda _: record("x", "one"), keep)
    keep.assert_not_called()
    before = (notes.place / "x.md").read_bytes()
    notes.records.revise("x", lambda _: record("x", "two"), keep)
    keep.assert_called_once_with("x.md", before)
    keep.side_effect = ContextError("unavailable", "the disk is full")
    with pytest.raises(ContextError, match="the disk is full"):
        notes.records.revise("x", lambda _: record("x", "three"), keep)
    assert notes.records.get("x") == record("x", "two")


def test_changes_by_others_are_seen(notes: Notes) -> None:
    other = RecordDirectory(notes.place)
    assert notes.ids() == []
    other.store(record("a", "one"))
    other.store(record("b", "one", 1))
    assert notes.ids() == ["b", "a"]
    other.store(record("a", "two", 2))
    assert notes.records.all() == (record("a", "two", 2), record("b", "one", 1))
    (notes.place / "b.md").unlink()
    assert notes.ids() == ["a"]
    assert notes.records.get("b") is None
    (notes.place / "a.md").write_text(text("c"))
    assert notes.ids() == ["c"]
    (notes.place / "a.md").unlink()
    notes.place.rmdir()
    assert notes.ids() == []
    other.store(record("z"))
    assert notes.ids() == ["z"]
    assert notes.told() == []


def test_a_change_within_one_tick_of_the_clock_and_a_file_that_is_replaced_at_once_are_seen(notes: Notes) -> None:
    for number in range(100):
        notes.write({"x.md": text("x", f"{number:03}")})
        found = notes.records.get("x") if number % 2 else notes.records.all()[0]
        assert found == record("x", f"{number:03}")
    for number in range(20):
        (notes.place / "x.md").unlink()
        assert notes.ids() == []
        (notes.place / "x.md").write_text(text(f"x{number}"))
        assert notes.ids() == [f"x{number}"]


def test_unchanged_files_are_not_read_again(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        notes.records.store(record(f"r{number}"))
    aged(notes.place)
    first = notes.records.all()
    notes.write({"r0.md": (notes.place / "r0.md").read_bytes()})
    assert notes.records.all() is first, "a change that says the same changes nothing"
    read: list[str] = []
    aged(notes.place)
    assert notes.records.all() is first
    real = Root.read
    monkeypatch.setattr(Root, "read", lambda self, path, *limit: (read.append(path), real(self, path, *limit))[1])
    assert notes.records.all() is first
    assert read == []
    (notes.place / "r3.md").write_text(text("r3", "changed"))
    second = notes.records.all()
    assert read == ["r3.md"]
    assert [one for one, other in zip(first, second, strict=True) if one is not other] == [record("r3")]


DAMAGED: dict[str, tuple[bytes, list[str]]] = {
    "yaml.md": (b"---\nx: [\n---\n", ["frontmatter-yaml", "no-entry-id"]),
    "keys.md": (b"---\nentryId: a\n---\n", ["entry-incomplete", "entry-incomplete"]),
    "naive.md": (text("naive").replace("00Z", "00").encode(), ["naive-time"]),
    "utf8.md": (text("utf8").encode() + b"\xff", ["invalid-text"]),
    "binary.md": (b"\0\1\2", ["unreadable-file"]),
    "plain.md": (b"# Plain\n", ["no-entry-id"]),
    "empty.md": (b"", ["no-entry-id"]),
}


def test_damaged_files_are_notices_once_for_each_version(notes: Notes) -> None:
    notes.write({name: data for name, (data, _) in DAMAGED.items()} | {"../outside.md": text("outside")})
    (notes.place / "folder.md").mkdir()
    for name, target in {"gone": "nowhere", "loop": "loop", "out": "../outside"}.items():
        (notes.place / f"{name}.md").symlink_to(f"{target}.md")
    os.mkfifo(notes.place / "pipe.md")
    notes.records.store(record("good"))
    assert notes.ids() == ["a", "good", "naive", "utf8"]
    expected = [(code, name) for name, (_, codes) in DAMAGED.items() for code in codes]
    odd = [("unreadable-file", f"{name}.md") for name in ("folder", "gone", "loop", "out", "pipe")]
    assert sorted(notes.told()) == sorted(expected + odd)
    assert notes.ids() == ["a", "good", "naive", "utf8"]
    assert notes.told() == []
    (notes.place / "plain.md").write_text("# Another\n")
    notes.ids()
    assert notes.told() == [("no-entry-id", "plain.md")]


def test_hidden_files_and_other_kinds_are_none_of_ours_and_a_name_in_no_unicode_is_a_notice(notes: Notes) -> None:
    notes.write(dict.fromkeys((".x.md.abc", ".hidden.md", "x.txt", "x.md~", ".#lock.md"), text("x")))
    assert notes.ids() == notes.told() == []
    notes.write({os.fsdecode(b"\xff.md"): "# x\n"})
    assert notes.ids() == []
    assert [code for code, _ in notes.told()] == ["no-entry-id"]


def test_of_two_files_with_one_id_the_one_named_after_it_counts(notes: Notes) -> None:
    notes.write({name: text("x", name) for name in ("a.md", "x.md", "z.md")})
    for told in ([("duplicate-id", "a.md"), ("duplicate-id", "z.md")], []):
        assert notes.records.all() == (record("x", "x.md"),)
        assert notes.told() == told
    (notes.place / "x.md").unlink()
    assert notes.records.all() == (notes.records.get("x"),) == (record("x", "a.md"),)
    notes.write({"a.md": "---\nentryId: x\n---\n"})
    assert notes.records.all() == (record("x", "z.md"),)
    assert notes.records.path_of("x") == notes.place / "z.md"


def test_nothing_is_written_outside_the_directory(notes: Notes) -> None:
    outside = notes.place.parent / "outside.md"
    notes.write({"../outside.md": text("x")})
    (notes.place / "x.md").symlink_to(outside)
    assert notes.records.store(record("x", "mine")).name.startswith("x+")
    assert outside.read_text() == text("x")
    for id_ in ("../y", "/tmp/y", "..", "a/../../y", "C:\\y"):
        assert notes.records.store(record(id_)).parent == notes.place
        assert notes.records.get(id_) == record(id_)
    assert {each.name for each in notes.place.parent.iterdir() if "home" not in each.name} == {"notes", "outside.md"}


def test_links_to_a_file_in_the_directory_and_to_the_directory_stay_links(notes: Notes) -> None:
    (notes.place.parent / "real" / "old").mkdir(parents=True)
    notes.place.symlink_to("real")
    notes.write({"old/x.txt": text("x")})
    (notes.place / "x.md").symlink_to("old/x.txt")
    notes.records.store(record("x", "new"))
    assert (notes.place / "x.md").is_symlink()
    assert notes.place.is_symlink()
    assert notes.records.all() == (notes.records.get("x"),) == (record("x", "new"),)


@cases("id_", ["", " ", "\n", "a\0b", "\0", "\ud800"])
def test_an_id_that_no_file_can_have_is_refused(notes: Notes, id_: str) -> None:
    for call in (notes.records.get, notes.records.path_of, lambda id_: notes.records.store(record(id_))):
        with refused():
            call(id_)
    assert not notes.place.exists()


def test_a_refused_record_leaves_the_file_as_it_was(notes: Notes) -> None:
    notes.records.store(record("x"))
    for bad in (record("x", "a\0b"), record("x", bad=object())):
        with pytest.raises(ContextError):
            notes.records.store(bad)
    assert notes.records.all() == (record("x"),)
    assert notes.names() == ["x.md"]


def test_a_file_instead_of_a_directory_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("x")
    notes = RecordDirectory(tmp_path / "notes")
    for call in (notes.all, lambda: notes.get("x"), lambda: notes.store(record("x"))):
        with refused("unavailable"):
            call()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may do everything")
def test_what_may_not_be_read_or_written(notes: Notes) -> None:
    notes.records.store(record("x"))
    (notes.place / "x.md").chmod(0)
    assert notes.ids() == []
    assert notes.told() == [("unreadable-file", "x.md")]
    notes.place.chmod(0)
    with refused("unauthorized"):
        notes.records.all()
    notes.place.chmod(0o700)


def test_revising_gets_the_record_that_is_there_now(notes: Notes) -> None:
    assert notes.records.revise("x", lambda before: record("x", repr(before))).name == "x.md"
    (notes.place / "x.md").write_text(text("x", "by hand", "version: 1.10\n"))
    notes.records.revise("x", lambda before: record("x", "new", **(dict(before.extra) if before else {})))
    assert (notes.place / "x.md").read_text() == text("x", "new", "version: 1.10\n")


def test_too_many_bytes_are_left_out_with_a_notice(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxtui.core.documents.records.cache._MAX_BYTES", 1000)
    notes.write({f"{number}.md": text(f"r{number}", "x" * 100) for number in range(10)})
    kept = notes.ids()
    assert kept == [f"r{number}" for number in range(len(kept))]
    assert 3 < len(kept) < 9
    assert notes.told() == [("unreadable-file", f"{number}.md") for number in range(len(kept), 10)]
    assert (notes.ids(), notes.told()) == (kept, [])


def test_a_notice_may_ask_the_directory_back(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Plain\n")
    asked: list[int] = []
    records = RecordDirectory(tmp_path, lambda _: asked.append(len(records.all())))
    records.all()
    assert asked == [0]


def test_threads_store_and_read_at_once(notes: Notes) -> None:
    def work(number: int) -> None:
        for turn in range(10):
            notes.records.store(record(f"own-{number}", f"{turn}" * 2000))
            notes.records.store(record("shared", f"{number}" * 2000))
            assert all(len(set(each.content)) == 1 and len(each.content) == 2000 for each in notes.records.all())

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(work, range(6))) == [None] * 6
    assert sorted(notes.ids()) == [*(f"own-{number}" for number in range(6)), "shared"]
    assert notes.told() == []


_ACTS = st.sampled_from(["store", "store", "other", "write", "delete", "rename", "look"])
steps = st.lists(
    st.tuples(_ACTS, st.sampled_from(["a", "B", "b", "c/d"]), st.sampled_from(["one", "two"])), max_size=12
)


@settings(max_examples=13)
@given(steps)
def test_one_that_was_watched_says_what_a_new_one_says(project: Project, steps: list[tuple[str, str, str]]) -> None:
    place = project({})
    watched, other = RecordDirectory(place, lambda _: None), RecordDirectory(place, lambda _: None)
    for what, id_, content in steps:
        file = watched.path_of(id_)
        if what == "store":
            watched.store(record(id_, content))
        elif what == "other":
            other.store(record(id_, content))
        elif what == "write":
            (place / f"by-hand-{content}.md").write_text(text(id_, content))
        elif what == "delete":
            file.unlink(missing_ok=True)
        elif what == "rename" and file.exists():
            file.rename(place / f"renamed-{content}.md")
        else:
            watched.all()
        new = RecordDirectory(place, lambda _: None)
        assert watched.all() == new.all()
        assert watched.get(id_) == new.get(id_)
        for each in watched.all():
            assert read_record(watched.path_of(each.id).read_text(), "x") == each


def test_get_sees_an_id_that_was_written_into_a_known_file(notes: Notes) -> None:
    notes.records.store(record("x"))
    aged(notes.place)
    assert notes.ids() == ["x"]
    (notes.place / "x.md").write_text(text("y"))
    assert notes.records.get("y") == record("y")
    assert notes.records.get("x") is None


def test_a_folder_below_a_root_is_not_read_through_a_link_put_in_its_place(project: Project) -> None:
    outer, root = project({"secret.md": text("secret")}), project({})
    (root / "entries").mkdir()
    cache = RecordCache(root / "entries", "entries")
    cache.root = Root(root).below("entries", is_limit=True)
    (root / "entries").rmdir()
    (root / "entries").symlink_to(outer)
    with pytest.raises(ContextError, match="out of the project"):
        cache.look_for_new()
    assert not cache.files
