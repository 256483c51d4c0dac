"""The types of entries, and their JSON."""

import json
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.entries import ContextCategory, ContextEntry, ContextQuery, ReferenceCode, to_json
from tests.cases import cases

AT = datetime(2026, 2, 26, 10, tzinfo=UTC)


def test_the_categories_are_those_of_the_seed() -> None:
    names = "CustomerNote MeetingNote Decision Lesson Preference Strategic Operational"
    assert [category.value for category in ContextCategory] == names.split()


@given(st.dates(), st.integers(0, 10**9))
def test_a_reference_code_is_a_day_and_a_number(day: date, number: int) -> None:
    text = f"CTX-{day.year:04}-{day.month:02}{day.day:02}-{number:03}"
    assert str(ReferenceCode(text)) == text


@cases(
    "text",
    [
        *("", "CTX", "CTX-2026-0226-01", "CTX-2026-02-26-001", "ctx-2026-0226-001", "CTX-2026-0226-001\n"),
        *(" CTX-2026-0226-001", "CTX-2026-0230-001", "CTX-2026-1301-001", "CTX-0000-0101-001"),
        *("CTX-２０２６-0226-001", "CTX-2026-0226-001-1"),
    ],
)
def test_anything_else_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="reference code"):
        ReferenceCode(text)


def test_optional_fields_are_empty_tags_a_tuple_whatever_list_was_given_and_one_text_is_none() -> None:
    entry = ContextEntry("a", "text", ContextCategory.LESSON, AT)
    assert (entry.tags, entry.reference_code) == ((), None)
    assert ContextQuery() == ContextQuery(None, None, None, None, None)
    entry = ContextEntry("a", "text", ContextCategory.LESSON, AT, ["x", "y"])  # type: ignore[arg-type]
    assert entry.tags == ("x", "y")
    assert ContextQuery(tags=["x"]).tags == ("x",)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        ContextEntry("a", "text", ContextCategory.LESSON, AT, "xy")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        ContextQuery(tags="xy")  # type: ignore[arg-type]


def test_entries_as_json_have_the_keys_of_the_seed() -> None:
    code = ReferenceCode("CTX-2026-0226-001")
    local = AT.astimezone(timezone(timedelta(hours=2)))
    full = ContextEntry("abc-123", "text", ContextCategory.CUSTOMER_NOTE, local, ("a", "b"), code)
    bare = ContextEntry("b", "", ContextCategory.LESSON, AT.replace(microsecond=5))
    of_full = {"entryId": "abc-123", "content": "text", "category": "CustomerNote", "tags": ["a", "b"]}
    of_full |= {"referenceCode": "CTX-2026-0226-001", "createdAt": "2026-02-26T10:00:00Z"}
    of_bare = {"entryId": "b", "content": "", "category": "Lesson", "tags": [], "referenceCode": None}
    assert to_json([full, bare]) == [of_full, of_bare | {"createdAt": "2026-02-26T10:00:00.000005Z"}]
    assert to_json(full) == to_json([full])[0]
    assert json.loads(json.dumps(to_json(full))) == to_json(full)


def test_a_query_as_json() -> None:
    code, found = "CTX-2026-0226-001", {"keywords": "x", "category": "Lesson", "tags": ["a"], "maxResults": 3}
    query = ContextQuery("x", ContextCategory.LESSON, ("a",), ReferenceCode(code), 3)
    assert to_json(query) == found | {"referenceCode": code}
    assert set(to_json(ContextQuery()).values()) == {None}
