"""What was learned of a file is known for as long as its version and place stay the same."""

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.walk import Found
from ctxtui.core.documents.by_file import ByFile

LATER = 10**15


def _found(path: str, moment: int, real: str = "") -> Found:
    return Found(path, real or path, Stamp(moment, moment, 5))


def test_values_are_kept_for_a_version_and_a_place() -> None:
    known = ByFile([_found("a", 1), _found("b", 1), _found("c", 1, "a")])
    assert [known.get(path, "size", lambda: 5) for path in ("a", "b", "c", "none")] == [5] * 4
    again = ByFile([_found("a", 1), _found("b", 2), _found("c", 1, "b")], known.to_cache(LATER))
    assert [again.get(path, "size", lambda: 6) for path in ("a", "b", "c", "none")] == [5, 6, 6, 6]
    assert again.get("a", "other", lambda: 7) == 7
    # What was learned is the same value from another place.
    value = object()
    assert again.get("a", "kind", lambda: value) is value
    assert again.seen_from(lambda path: path[1:]).get("/a", "kind", object) is value


def test_nothing_is_written_again_that_is_known() -> None:
    files = [_found("a", 1), _found("b", 1)]
    known = ByFile(files)
    known.get("a", "size", lambda: 5)
    kept = known.to_cache(LATER)
    again = ByFile(files, kept)
    again.get("a", "size", lambda: 6)
    assert again.to_cache(LATER) is None
    assert ByFile(files[1:], kept).to_cache(LATER) == {}


def test_what_cannot_be_kept_is_learned_each_time() -> None:
    known = ByFile([_found("young", LATER), _found("a", 1), _found("b", 1), _found("c", 1)])
    known.get("young", "size", lambda: 5)
    known.get("a", "function", lambda: lambda: 5)
    known.get("b", "text", lambda: "ghp_" + "x7Qp2Lr9Tz4Vn8Wk3Y" + "b6Mc1Hd5Js0Gw2Au7E")
    known.get("c", "size", lambda: 5)
    kept = known.to_cache(LATER) or {}
    assert list(kept) == ["c"]
    assert ByFile([_found("c", 1)], kept).get("c", "size", lambda: 6) == 5


_ANSWERS = st.sampled_from([True, False, 1, 0, None])


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["sign", "size"]), _ANSWERS), max_size=6))
def test_answers_are_kept_as_they_were(learned: list[tuple[str, str, object]]) -> None:
    files = [_found("a", 1), _found("b", 1)]
    known = ByFile(files)
    for path, kind, value in learned:
        known.get(path, kind, lambda value=value: value)
    again = ByFile(files, known.to_cache(LATER))
    for path, kind, _ in learned:
        assert repr(again.get(path, kind, object)) == repr(known.get(path, kind, object))
