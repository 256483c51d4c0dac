"""Files in the cache folder are read back exactly as they were written, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.files.by_file import ByFile
from ctxtui.core.files.content import Stamp
from ctxtui.core.files.kept import kept_file, read_kept, write_kept
from ctxtui.core.files.walk import Found

LATER = 10**15


@given(st.binary(max_size=50), st.binary(max_size=8), st.integers(min_value=0), st.integers(1, 255))
def test_what_is_damaged_or_of_another_state_is_not_known(data: bytes, state: bytes, at: int, change: int) -> None:
    file = kept_file("things", b"a name")
    digest = write_kept(file, data, state)
    kept = read_kept(file, state)
    assert kept is not None
    assert (kept.data, kept.digest) == (data, digest)
    assert b"\n".join(kept.lines) == data
    assert read_kept(file, state + b".") is None
    written = bytearray(file.read_bytes())
    written[at % len(written)] ^= change
    file.write_bytes(written)
    assert read_kept(file, state) is None


def test_each_name_has_its_own_file_which_only_its_user_can_read() -> None:
    one, other = kept_file("things", b"one"), kept_file("things", b"other")
    write_kept(one, b"1")
    assert one.stat().st_mode & 0o077 == 0
    assert (_data(one), _data(other)) == (b"1", None)


def test_what_was_used_longest_ago_goes_first() -> None:
    files = [kept_file("things", b"%d" % number) for number in range(70)]
    for number, file in enumerate(files[:64]):
        write_kept(file, b"x")
        os.utime(file, (number, number))
    assert _data(files[0]) == b"x"
    for file in files[64:]:
        write_kept(file, b"y")
    assert [number for number, file in enumerate(files) if not file.exists()] == [1, 2, 3, 4, 5, 6]


def _data(file: Path) -> bytes | None:
    kept = read_kept(file)
    return kept.data if kept else None


def _found(path: str, moment: int, real: str = "") -> Found:
    return Found(path, real or path, Stamp(moment, moment, 5))


def test_values_are_kept_for_a_version_and_a_place() -> None:
    known = ByFile([_found("a", 1), _found("b", 1), _found("c", 1, "a")])
    assert [known.get(path, "size", lambda: 5) for path in ("a", "b", "c", "none")] == [5] * 4
    kept = known.to_keep(LATER)
    assert kept is not None
    again = ByFile([_found("a", 1), _found("b", 2), _found("c", 1, "b")], kept)
    assert [again.get(path, "size", lambda: 6) for path in ("a", "b", "c", "none")] == [5, 6, 6, 6]
    assert again.get("a", "other", lambda: 7) == 7


def test_nothing_is_written_again_that_is_known() -> None:
    files = [_found("a", 1), _found("b", 1)]
    known = ByFile(files)
    known.get("a", "size", lambda: 5)
    kept = known.to_keep(LATER)
    assert kept is not None
    again = ByFile(files, kept)
    again.get("a", "size", lambda: 6)
    assert again.to_keep(LATER) is None
    assert ByFile(files[1:], kept).to_keep(LATER) == {}


def test_what_cannot_be_kept_is_learned_each_time() -> None:
    known = ByFile([_found("young", LATER), _found("a", 1), _found("b", 1), _found("c", 1)])

    def refuse(_value: object) -> object:
        raise TypeError

    known.get("young", "size", lambda: 5)
    known.get("a", "set", lambda: {5})
    known.get("b", "text", lambda: "\ud800")
    known.get("c", "date", lambda: 5, pack=refuse)
    known.get("c", "size", lambda: 5)
    kept = known.to_keep(LATER)
    assert kept is not None
    assert list(kept) == ["c"]
    again = ByFile([_found("c", 1)], kept)
    assert (again.get("c", "date", lambda: 6), again.get("c", "size", lambda: 6)) == (6, 5)


def test_what_was_learned_is_neither_learned_again_nor_unpacked() -> None:
    known = ByFile([_found("a", 1), _found("b", 1)])
    packed: list[object] = []

    def pack(value: object) -> object:
        packed.append(value)
        return 1

    value = object()
    for path in ("a", "b", "a"):
        assert known.get(path, "kind", lambda: value, pack, lambda _row: None) is value
        assert known.seen_from(lambda path: path[1:]).get(f"/{path}", "kind", object, pack) is value
    assert packed == []
    kept = known.to_keep(LATER)
    assert packed == [value, value]
    assert ByFile([_found("a", 1)], kept).get("a", "kind", object, pack, lambda row: (row, "read")) == (1, "read")


@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab"), st.sampled_from(["sign", "size"]), st.sampled_from([True, False, 1, 0, None])
        ),
        max_size=6,
    )
)
def test_answers_are_kept_as_they_were(learned: list[tuple[str, str, object]]) -> None:
    files = [_found("a", 1), _found("b", 1)]
    known = ByFile(files)
    for path, kind, value in learned:
        known.get(path, kind, lambda value=value: value)
    again = ByFile(files, known.to_keep(LATER))
    for path, kind, _ in learned:
        assert repr(again.get(path, kind, object)) == repr(known.get(path, kind, object))
