"""Names of record files: one for each id, on every file system, never outside the folder."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxtui.core.documents.records.file import file_name, spare_name
from tests.cases import cases

ids = st.text(
    st.one_of(st.sampled_from("aA./\\% .:*+~é"), st.characters(exclude_categories=["Cs"])), min_size=1
).filter(lambda id_: "\0" not in id_ and bool(id_.strip()))
WINDOWS = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)


@cases(
    ("id_", "name"),
    [
        *(("abc-123", "abc-123.md"), ("a.b_c", "a.b_c.md"), ("a" * 120, "a" * 120 + ".md"), ("Abc", "%41bc.md")),
        *(("a b", "a%20b.md"), ("a/b", "a%2Fb.md"), ("..", "%2E%2E.md"), ("../../x", "%2E.%2F..%2Fx.md")),
        *((".hidden", "%2Ehidden.md"), ("-x", "%2Dx.md"), ("abc.", "abc%2E.md"), ("nul", "%6Eul.md")),
        *(("con.txt", "%63on.txt.md"), ("CON", "%43%4F%4E.md"), ("com1", "%63om1.md"), ("console", "console.md")),
        *(("é", "%C3%A9.md"), ("a%2Fb", "a%252%46b.md"), ("a\\b:c", "a%5Cb%3Ac.md")),
    ],
)
def test_names(id_: str, name: str) -> None:
    assert file_name(id_) == name


@pytest.mark.parametrize("id_", ["x" * 300, "/" * 300, "é" * 100])
def test_long_ids_end_in_a_hash(id_: str) -> None:
    name = file_name(id_)
    assert re.fullmatch(r"(?:[a-z0-9._-]|%[0-9A-F]{2})+\+[0-9a-f]{32}\.md", name)
    assert len(name) <= 204
    assert file_name(id_ + "x") != name


@given(ids, ids)
@example("Abc", "abc")
@example("a/b", "a%2Fb")
@example("x" * 300, "x" * 300 + "X")
@example("..", "%2E%2E")
@example("abc.", "abc%2E")
def test_no_two_ids_share_a_name_even_where_capitals_do_not_count(one: str, other: str) -> None:
    names = {name.lower() for id_ in (one, other) for name in (file_name(id_), spare_name(id_))}
    alone = {name.lower() for name in (file_name(one), spare_name(one))}
    assert (names == alone) == (one == other)


@given(st.one_of(ids, ids.map(lambda id_: id_ * 20)))
def test_names_are_plain_everywhere(id_: str) -> None:
    for name in (file_name(id_), spare_name(id_)):
        assert re.fullmatch(r"[a-z0-9%][A-Za-z0-9._%+-]*\.md", name)
        assert len(name) <= 204
        assert not WINDOWS.match(name)
        assert ".." not in name.removesuffix(".md").split("/")
