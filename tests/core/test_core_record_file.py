"""The file of a record: written as the entries specification prints it, read tolerantly, kept as written where it can be."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from ctxtui.core.base.notices import Notice
from ctxtui.core.documents.records.directory import Record, read_record, write_record
from ctxtui.core.documents.records.file import parse_record
from tests.cases import cases
from tests.core.texts import ENTRY, plain_data, refused

AT = datetime(2026, 2, 26, 10, tzinfo=UTC)
TIME = "2026-02-26T10:00:00Z"


def _record(**values: Any) -> Record:
    given: dict[str, Any] = {"id": "a", "type": "Decision", "content": "text", "tags": (), "created_at": AT}
    return Record(**given | values)


def _read(text: str) -> tuple[Record | None, list[str]]:
    notices: list[Notice] = []
    record = read_record(text, "notes/a.md", notices.append)
    assert all(notice.path == "notes/a.md" for notice in notices)
    return record, [notice.code for notice in notices]


def _sound(text: str) -> Record:
    record, codes = _read(text)
    assert record is not None
    assert codes == []
    return record


def test_the_sample_of_the_seed_is_read_and_written_as_printed() -> None:
    content, tags = "Customer prefers monthly billing. Discussed in Feb meeting.\n", ("smith-project", "pricing")
    record = _sound(ENTRY)
    assert record == Record("abc-123", "CustomerNote", content, tags, AT, "CTX-2026-0226-001")
    assert write_record(record) == ENTRY
    bare = "---\nentryId: a\ncategory: Decision\ncreatedAt: 2026-02-26T10:00:00Z\n---\ntext"
    assert write_record(_record()) == bare


_signs = st.sampled_from("ab,:#-[]{}&*!|>'\"%@`?~=<. \n\t\r\0\x07\x85\u2028\ufeff\u202eé漢😀019")
nasty = st.text(_signs | st.characters(exclude_categories=["Cs"]), max_size=30)
_WORDS = "yes null 1.0 007 1e3 0o17 0x1F 12:30 2026-01-02 2026-01-02T03:04:05Z y = << ~ --- ... [x] ' \" \\ true .inf"
special = st.sampled_from([*_WORDS.split(), "+1", "1_000", "- a", "a: b", "# c", "a #b", "a, b"])
texts = st.one_of(nasty, special)
filled = texts.filter(lambda text: bool(text.strip()))
ids = filled.filter(lambda text: "\0" not in text)
_BODIES = ["", "\n", "\n\n  \n# A\n", "---\n", "---\nx: 1\n---\n", "...\n", "\r\ra\r\n", "no end", "## tags: [x]\n"]
bodies = nasty.map(lambda text: text.replace("\0", "")) | st.sampled_from(_BODIES)
_offsets = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
times = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=_offsets)
own = "entryId category tags referenceCode createdAt".split()
extras = st.dictionaries(filled.filter(lambda key: key not in own), plain_data(texts), max_size=4)
records = st.builds(
    Record, ids, filled, bodies, st.lists(texts, max_size=4).map(tuple), times, st.none() | filled, extras
)


@given(records)
@example(_record(content="\n---\nx", tags=("a\n---\nb", "yes", "1.10"), extra={"a\n---\nb": "\n---\n", "y": 10**17}))
@example(_record(extra={"same": [shared := ["x"], shared], "tiny": 1e-300, "huge": 1e300, "z": -0.0}))
def test_every_field_is_read_back_the_same(record: Record) -> None:
    text = write_record(record)
    found = _sound(text)
    assert found == record
    assert repr(found.extra) == repr(record.extra)
    assert list(found.extra) == list(record.extra)
    assert text.endswith(f"---\n{record.content}")
    # Other readers of YAML take texts for texts.
    head = text[4 : len(text) - len(record.content) - 4]
    loaded = yaml.load(head, Loader=yaml.SafeLoader)
    assert (loaded["entryId"], loaded["category"]) == (record.id, record.type)
    assert loaded.get("tags", []) == list(record.tags)
    assert loaded.get("referenceCode") == record.correlation
    assert loaded["createdAt"] == record.created_at


@given(records, records)
def test_writing_over_another_text_changes_nothing_but_how_extra_values_look(record: Record, other: Record) -> None:
    assert _sound(write_record(record, write_record(other))) == record
    assert write_record(record, write_record(record)) == write_record(record)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_body_is_kept_byte_for_byte_whatever_ends_its_lines(end: str) -> None:
    body = f"{end}{end}# A{end}text"
    head = end.join(["---", "entryId: a", "category: Decision", "createdAt: 2026-02-26T10:00:00Z", "---", ""])
    record = _sound(head + body)
    assert record.content == body
    assert write_record(record).endswith(f"---\n{body}")


UNKNOWN = """version: 1.10   # the second one
due: 2026-03-01
nested:
  a: 0x1F

  b:
    - x
mode: 0644
empty: ~
on: push
1.10: x
"""


def test_unknown_keys_survive_as_they_were_written() -> None:
    text = ENTRY.replace("category:", f"{UNKNOWN}category:")
    record = _sound(text)
    assert list(record.extra) == ["version", "due", "nested", "mode", "empty", "on", "1.10"]
    changed = Record(record.id, "Lesson", "New.\n", ("x",), AT, None, record.extra)
    head = "---\nentryId: abc-123\ncategory: Lesson\ntags: [x]\ncreatedAt: 2026-02-26T10:00:00Z\n"
    assert write_record(changed, text) == f"{head}{UNKNOWN}---\nNew.\n"


def test_unknown_values_that_changed_are_written_anew_the_others_kept() -> None:
    text = ENTRY.replace("category:", "a: 1.10\nb: 2.20\nc: true\ncategory:")
    record = _sound(text)
    extra = {"c": 1, "b": record.extra["b"], "new": "2026-01-01", "a": 3}
    written = write_record(Record("x", "t", "", (), AT, None, extra), text)
    assert written.endswith("Z\nc: 1\nb: 2.20\nnew: '2026-01-01'\na: 3\n---\n")


def test_other_ways_to_write_a_mapping_are_read() -> None:
    flow = "{entryId: a, category: b, createdAt: 2026-01-01T00:00:00Z, x: 1.10}\n"
    for head in (flow, '"x": 1.10\n? entryId\n: a\ncategory: b\ncreatedAt: 2026-01-01T00:00:00Z\n'):
        text = f"---\n{head}---\n"
        record = _sound(text)
        assert (record.id, record.type, record.extra) == ("a", "b", {"x": 1.1})
        assert _sound(write_record(record, text)) == record


@cases(
    ("line", "tags"),
    [
        ("tags: [1.10, 007, yes, null, 2026-01-02, ~, '']", ("1.10", "007", "yes", "null", "2026-01-02", "~", "")),
        ("tags:\n  - a b\n  -\n  - 1e3", ("a b", "1e3")),
        *(("tags: one", ("one",)), ("tags: one, two", ("one", "two")), ("tags: 2026", ("2026",))),
        *(("tags: [2026]", ("2026",)), ("tags:", ()), ("tags: ~", ()), ("x: 1", ())),
    ],
)
def test_tags_are_the_texts_somebody_wrote(line: str, tags: tuple[str, ...]) -> None:
    assert _sound(ENTRY.replace("tags: [smith-project, pricing]", line)).tags == tags


@cases("id_", ["007", "1.10", "yes", "2026-01-02", "42"])
def test_an_id_is_the_text_somebody_wrote(id_: str) -> None:
    assert _sound(ENTRY.replace("abc-123", id_)).id == id_


@cases(
    ("text", "time"),
    [
        *((time, AT) for time in (TIME, TIME.lower(), "2026-02-26 10:00:00 Z", "'2026-02-26T11:30:00+01:30'")),
        *((time, AT) for time in ("2026-02-26T10:00Z", "2026-02-25 23:00:00 -11")),
        ("2026-02-26T10:00:00.1Z", AT.replace(microsecond=100_000)),
        ("2026-02-26T10:00:00.1234567Z", AT.replace(microsecond=123_456)),
        ("2026-02-26T10:00:00.123456789+00:00", AT.replace(microsecond=123_456)),
    ],
)
def test_times_of_any_offset_and_up_to_nine_digits_are_read(text: str, time: datetime) -> None:
    record = _sound(ENTRY.replace("2026-02-26T10:00:00Z", text))
    assert record.created_at == time
    assert record.created_at.tzinfo is UTC


@pytest.mark.parametrize(("text", "hour"), [("2026-02-26T10:00:00", 10), ("2026-02-26", 0)])
def test_a_time_without_offset_is_utc_with_a_notice(text: str, hour: int) -> None:
    record, codes = _read(ENTRY.replace("2026-02-26T10:00:00Z", text))
    assert (record.created_at, codes) == (AT.replace(hour=hour), ["naive-time"])


def test_times_are_written_in_utc() -> None:
    local = datetime(2026, 2, 26, 11, 0, 0, 120, timezone(timedelta(hours=1)))
    assert "createdAt: 2026-02-26T10:00:00.000120Z\n" in write_record(_record(created_at=local))


@cases(
    ("old", "new", "codes"),
    [
        *(("entryId: abc-123\n", "", ["no-entry-id"]), ("abc-123", "' '", ["no-entry-id"])),
        ("abc-123", "[a]", ["metadata-type", "no-entry-id"]),
        ("createdAt: 2026-02-26T10:00:00Z\n", "", ["entry-incomplete"]),
        *((TIME, "yesterday", ["entry-incomplete"]), (TIME, "2026-02-30T10:00:00Z", ["entry-incomplete"])),
        (TIME, "0001-01-01T00:00:00+14:00", ["entry-incomplete"]),
        *((ENTRY, "# No frontmatter\n", ["no-entry-id"]), (ENTRY, "", ["no-entry-id"])),
        (ENTRY, "---\nentryId: a\n", ["frontmatter-unclosed", "no-entry-id"]),
    ],
)
def test_what_lacks_something_is_left_out_with_a_notice(old: str, new: str, codes: list[str]) -> None:
    assert _read(ENTRY.replace(old, new)) == (None, codes)


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        ("category: CustomerNote\n", "", ["entry-incomplete"]),
        ("category: CustomerNote\n", "category: ' '\n", ["entry-incomplete"]),
        ("CustomerNote", "{a: 1}", ["metadata-type", "entry-incomplete"]),
    ],
)
def test_without_a_category_it_is_operational(old: str, new: str, codes: list[str]) -> None:
    record, told = _read(ENTRY.replace(old, new))
    assert (record.type, record.id, told) == ("Operational", "abc-123", codes)


@cases("time", ["", "createdAt: yesterday\n", "createdAt: 2026-02-30T10:00:00Z\n", "createdAt: [1]\n"])
def test_without_a_usable_time_it_has_that_of_its_file(time: str) -> None:
    text = ENTRY.replace("createdAt: 2026-02-26T10:00:00Z\n", time)
    file = parse_record(text, "x.md", AT)
    assert file.record.created_at == AT
    assert "the time of the file is used" in file.notices[-1].message
    assert not file.is_whole


@cases(
    ("old", "new", "codes"),
    [
        ("tags: [smith-project, pricing]", "tags: [a, [b], {c: d}, smith-project]", ["metadata-type"]),
        ("CTX-2026-0226-001", "[x]", ["metadata-type"]),
        ("tags: [smith-project, pricing]", "tags: [smith-project]\nbad: [", ["frontmatter-yaml"]),
        ("tags: [smith-project, pricing]", "tags: [smith-project]\nbomb: " + "[" * 5000, ["frontmatter-yaml"]),
        ("tags: [smith-project, pricing]", "tags: [smith-project]\na: &a 1\nb: *a", ["frontmatter-yaml"]),
        ("abc-123", "abc\nentryId: abc-123", ["frontmatter-repeated"]),
    ],
)
def test_what_is_damaged_elsewhere_is_read_with_a_notice(old: str, new: str, codes: list[str]) -> None:
    text = ENTRY.replace(old, new)
    record, found = _read(text)
    assert found == codes
    assert (record.id, record.type, record.created_at) == ("abc-123", "CustomerNote", AT)
    assert "smith-project" in record.tags
    assert write_record(record, text).endswith("Feb meeting.\n")  # type: ignore[arg-type]


ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)


def test_notices_go_to_the_logger_by_default(caplog: pytest.LogCaptureFixture) -> None:
    assert read_record("# A\n", "notes/a.md") is None
    assert "notes/a.md: no `entryId`" in caplog.text


@cases(
    "values",
    [
        *({"id": ""}, {"id": " "}, {"id": "a\0b"}, {"id": "\ud800"}, {"type": ""}, {"correlation": ""}),
        *({"content": "a\0b"}, {"content": "\udc80"}, {"content": "x" * (16 * 1024 * 1024)}),
        *({"tags": ("\ud800",)}, {"tags": ("x" * 1_100_000,)}),
        {"created_at": datetime(2026, 1, 1)},
        {"created_at": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))},
        *({"extra": {"x": object()}}, {"extra": {"x": eval("[" * 40 + "]" * 40)}}, {"extra": {"x": ENDLESS}}),
    ],
)
def test_what_could_not_be_read_back_is_refused(values: dict[str, Any]) -> None:
    with refused():
        write_record(_record(**values))


@given(nasty, nasty)
def test_no_text_raises(head: str, body: str) -> None:
    for text in (f"---\n{head}\n---\n{body}", ENTRY.replace("abc-123", head), f"---\nentryId: a\n{head}", head):
        record = read_record(text, "a.md", lambda _: None)
        if record is not None:
            assert text.endswith(record.content)
            assert record.created_at.tzinfo is UTC
