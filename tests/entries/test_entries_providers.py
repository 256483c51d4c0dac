"""Seed 001, "Testing": what both providers do, and what only files show."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.core import Notice
from ctxtui.entries import (
    ContextCategory,
    ContextEntry,
    ContextProvider,
    ContextQuery,
    FileContextProvider,
    InMemoryContextProvider,
    ReferenceCode,
)
from tests.core.texts import ENTRY, refused

AT = datetime(2026, 2, 26, 10, tzinfo=UTC)
CODE = ReferenceCode("CTX-2026-0226-001")
Make = Callable[[], ContextProvider]


def entry(id_: str = "abc-123", content: str = "Prefers monthly billing.", **values: Any) -> ContextEntry:
    given: dict[str, Any] = {"category": ContextCategory.CUSTOMER_NOTE, "created_at": AT} | values
    return ContextEntry(id_, content, **given)


@pytest.fixture(params=["memory", "files"])
def make(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Makes a new, empty provider of either kind."""
    if request.param == "memory":
        return InMemoryContextProvider
    return lambda: FileContextProvider(tmp_path_factory.mktemp("project") / "context")


async def _filled(make: Make, *entries: ContextEntry) -> ContextProvider:
    provider = make()
    for each in entries:
        await provider.store(each)
    return provider


async def _ids(provider: ContextProvider, **filters: Any) -> list[str]:
    return [each.entry_id for each in await provider.query(ContextQuery(**filters))]


@pytest.mark.parametrize(
    ("content", "keywords", "found"),
    [
        *(("Prefers monthly billing.", keywords, True) for keywords in ("MONTHLY", "onthl")),
        *(("Straße in Köln", keywords, True) for keywords in ("STRASSE", "KÖLN")),
        ("ΟΔΥΣΣΕΥΣ", "οδυσσευς", True),
        ("請求書は月末", "請求", True),
        ("a.*b", ".*", True),
        ("ab", ".*", False),
        ("monthly billing", "billing monthly", False),
        ("two\nlines", "two\nlines", True),
    ],
)
async def test_keywords_are_one_literal_text(make: Make, content: str, keywords: str, found: bool) -> None:
    provider = await _filled(make, entry("a", content), entry(keywords, "x", tags=(keywords,)))
    assert await _ids(provider, keywords=keywords) == (["a"] if found else [])


async def test_tags_filter_by_any_overlap_reference_codes_as_a_whole_and_empty_filters_nothing(make: Make) -> None:
    other = ReferenceCode("CTX-2026-0226-0010")
    first = entry("a", tags=("x", "y"), reference_code=CODE)
    provider = await _filled(make, first, entry("b", "", tags=("y", "z"), reference_code=other), entry("c"))
    assert await _ids(provider, tags=("x",)) == ["a"]
    assert await _ids(provider, tags=("x", "z")) == ["a", "b"]
    assert await _ids(provider, tags=("X", "other")) == []
    assert await _ids(provider, reference_code=CODE) == ["a"]
    assert await _ids(provider, reference_code=other) == ["b"]
    assert await _ids(provider, keywords="", tags=()) == await _ids(provider) == ["a", "b", "c"]


async def test_filters_are_combined_with_and(make: Make) -> None:
    full = {"category": ContextCategory.DECISION, "tags": ("x",), "reference_code": CODE}
    provider = await _filled(
        make,
        entry("all", "monthly", **full),
        entry("content", "yearly", **full),
        entry("category", "monthly", **full | {"category": ContextCategory.LESSON}),
        entry("tags", "monthly", **full | {"tags": ("y",)}),
        entry("code", "monthly", **full | {"reference_code": None}),
    )
    assert await _ids(provider, keywords="monthly", **full) == ["all"]
    assert await _ids(provider, keywords="monthly", tags=("x",)) == ["all", "category", "code"]


async def test_results_are_ordered_newest_first_then_by_id(make: Make) -> None:
    east = timezone(timedelta(hours=5))
    provider = await _filled(
        make,
        entry("b"),
        entry("newest", created_at=AT + timedelta(microseconds=1)),
        entry("a", created_at=AT.astimezone(east)),
        entry("oldest", created_at=datetime(2026, 2, 26, 14, tzinfo=east)),
    )
    assert await _ids(provider) == ["newest", "a", "b", "oldest"]


@pytest.mark.parametrize(("limit", "ids"), [(None, "cba"), (2, "cb"), (0, ""), (9, "cba"), (10**30, "cba")])
async def test_max_results_keeps_the_newest(make: Make, limit: int | None, ids: str) -> None:
    provider = await _filled(make, *(entry(id_, created_at=AT + timedelta(day)) for day, id_ in enumerate("abc")))
    assert await _ids(provider, max_results=limit) == list(ids)


@pytest.mark.parametrize(
    "bad",
    [
        *(entry(""), entry(" "), entry("a\0b"), entry("a", "a\0b"), entry("a", "\ud800")),
        entry("a", created_at=datetime(2026, 1, 1)),
        entry("a", created_at=datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1)))),
    ],
)
async def test_what_cannot_be_kept_is_refused_and_changes_nothing(make: Make, bad: ContextEntry) -> None:
    provider = await _filled(make, entry("a"))
    with refused():
        await provider.store(bad)
    assert await provider.query(ContextQuery()) == [entry("a")]


signs = st.one_of(st.sampled_from("aB/.: -#\"',[]\n\r\t\u2028\ufeffé漢😀"), st.characters(exclude_categories=["Cs"]))
texts = st.text(signs.filter(lambda sign: sign != "\0"), max_size=20)
ids = st.sampled_from(["CON", "nul.txt", "..", "a/b", "Abc", "abc", "x" * 300, "é", "a.", "007", "yes"]) | texts
zones = st.sampled_from([UTC, timezone(timedelta(hours=-9))])
entries = st.builds(
    ContextEntry,
    ids.filter(lambda text: bool(text.strip())),
    st.one_of(st.sampled_from(["", "\n\n# A", "---\nx", "a\r\nb\rc", "no end"]), texts),
    st.sampled_from(ContextCategory),
    st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=zones),
    st.lists(st.one_of(st.sampled_from(["yes", "null", "1.0", "2026-01-02", "a, b", "'", ": x"]), texts)).map(tuple),
    st.none() | st.just(CODE),
)


@settings(max_examples=13)
@given(st.lists(entries, max_size=4))
async def test_every_field_survives(make: Make, stored: list[ContextEntry]) -> None:
    found = await (await _filled(make, *stored)).query(ContextQuery())
    by_id = sorted({each.entry_id: each for each in stored}.values(), key=lambda each: each.entry_id)
    assert found == sorted(by_id, key=lambda each: each.created_at, reverse=True)


async def test_tasks_and_threads_store_and_query_at_once(make: Make) -> None:
    provider = make()

    async def work(name: str) -> None:
        for turn in range(5):
            await provider.store(entry(f"{name}-{turn}", name * 500))
            await provider.store(entry("shared", name * 500))
            found = await provider.query(ContextQuery())
            assert all(len(set(each.content)) == 1 and len(each.content) == 500 for each in found)

    async def several(names: str) -> None:
        await asyncio.gather(*map(work, names))

    threads = (asyncio.to_thread(lambda names=names: asyncio.run(several(names))) for names in ("ab", "cd"))
    await asyncio.gather(*threads, several("ef"))
    assert len(await provider.query(ContextQuery())) == 6 * 5 + 1


class Folder:
    """A directory of entries, its provider and the notices that it gave."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.notices: list[Notice] = []
        self.provider = FileContextProvider(place, self.notices.append)

    def write(self, **files: str) -> None:
        self.place.mkdir()
        for name, text in files.items():
            (self.place / f"{name}.md").write_text(text)

    def told(self) -> list[tuple[str, str | None]]:
        told = [(notice.code, notice.path) for notice in self.notices]
        self.notices.clear()
        return told


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "context")


async def test_what_is_wrong_with_an_entry_is_told_once(folder: Folder) -> None:
    code = ENTRY.replace("abc", "code").replace("CTX-2026-0226-001", "thread-7")
    folder.write(category=ENTRY.replace("CustomerNote", "Gossip"), code=code, plain="# Plain\n")
    await folder.provider.store(entry("good"))
    place = folder.place.as_posix()
    codes = {"category": "unknown-category", "code": "reference-code", "plain": "no-entry-id"}
    for told in ([(code, f"{place}/{name}.md") for name, code in codes.items()], []):
        assert await _ids(folder.provider) == ["abc-123", "code-123", "good"]
        assert sorted(folder.told(), key=str) == sorted(told, key=str)


NOTE = "---\nentryId: note\nmood: hopeful\n{0}---\nText by hand.\n"
WRITTEN = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("lines", "category", "codes"),
    [
        ("category: decision\n", "Decision", ["entry-incomplete"]),
        ("category: MEETINGNOTE\ncreatedAt: 2026-05-04T03:02:01Z\n", "MeetingNote", []),
        ("category: idea\ncreatedAt: 2026-05-04T03:02:01Z\n", "Operational", ["unknown-category"]),
        ("createdAt: soon\n", "Operational", ["entry-incomplete", "entry-incomplete"]),
        ("", "Operational", ["entry-incomplete", "entry-incomplete"]),
    ],
)
async def test_notes_written_by_hand_keep_their_keys(
    folder: Folder, lines: str, category: str, codes: list[str]
) -> None:
    folder.write(**{"a note": NOTE.format(lines)})
    file = folder.place / "a note.md"
    os.utime(file, (WRITTEN.timestamp(), WRITTEN.timestamp()))
    (found,) = await folder.provider.query(ContextQuery(keywords="by hand", category=ContextCategory(category)))
    assert (found.entry_id, found.category, found.created_at) == ("note", category, WRITTEN)
    assert [code for code, _ in folder.told()] == codes
    await folder.provider.store(replace(found, content="Text by hand, longer.\n"))
    text = file.read_text()
    kept = [line for line in lines.splitlines() if "createdAt" not in line]
    assert {"mood: hopeful", "createdAt: 2026-05-04T03:02:01Z", *kept} <= set(text.splitlines())
    assert "tags" not in text
    (again,) = await folder.provider.query(ContextQuery(keywords="longer"))
    assert (again.category, again.created_at) == (found.category, WRITTEN)


async def test_unknown_keys_and_threads_of_others_survive(folder: Folder) -> None:
    text, more = ENTRY.replace("CTX-2026-0226-001", "thread-7"), "version: 1.10\nproducedBy: me\n"
    folder.write(mine=text.replace("createdAt", f"{more}createdAt"))
    (found,) = await folder.provider.query(ContextQuery())
    await folder.provider.store(found)
    assert (folder.place / "mine.md").read_text() == text.replace("---\nCustomer", f"{more}---\nCustomer")
    assert [each.name for each in folder.place.iterdir()] == ["mine.md"]


async def test_a_relative_directory_stays_the_one_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Folder(Path("notes"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    await folder.provider.store(entry())
    (tmp_path / "notes" / "plain.md").write_text("# Plain\n")
    assert await _ids(folder.provider) == ["abc-123"]
    assert folder.told() == [("no-entry-id", "notes/plain.md")]


async def test_the_event_loop_runs_on_while_files_are_read(folder: Folder) -> None:
    await folder.provider.store(entry())
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    ticking = asyncio.create_task(tick())
    await folder.provider.query(ContextQuery())
    ticking.cancel()
    assert ticks > 1
