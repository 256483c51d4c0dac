"""The board over an entries directory: what a file means, what it keeps, and files that nobody wanted."""

import asyncio
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.core.base.notices import Notice
from ctxtui.slices import (
    After,
    Agent,
    AllVisibleProvider,
    Artifact,
    DefaultCorrelationProvider,
    EntryBoard,
    FilterConfig,
    FilteredContextProvider,
    Labelled,
    Private,
    Public,
    Tenant,
    run_slice,
)
from tests.conftest import Project
from tests.core.texts import ENTRY, plain_data, refused
from tests.slices.slices_helpers import artifact, ids


def _write(folder: Path, **files: str) -> EntryBoard:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.md").write_text(text)
    return EntryBoard(folder, on_notice=lambda _: None)


async def test_an_entry_is_a_public_artifact(tmp_path: Path) -> None:
    board = _write(tmp_path, **{"abc-123": ENTRY})
    payload = {"content": "Customer prefers monthly billing. Discussed in Feb meeting.\n"}
    given_: dict[str, Any] = {"correlation_id": "CTX-2026-0226-001", "visibility": Public()}
    given_ |= {"tags": ("smith-project", "pricing"), "created_at": datetime(2026, 2, 26, 10, tzinfo=UTC)}
    assert await board.get("abc-123") == Artifact("abc-123", "CustomerNote", payload, "", **given_)
    found = await run_slice(DefaultCorrelationProvider(), board, correlation_id="CTX-2026-0226-001")
    assert ids(found) == ["abc-123"]
    wanted = FilteredContextProvider(FilterConfig(types={"CustomerNote"}, tags={"pricing"}))
    assert ids(await run_slice(wanted, board)) == ["abc-123"]


async def test_an_artifact_is_a_file_that_people_can_read(tmp_path: Path) -> None:
    payload = {"content": "Body.\n", "score": 3}
    board = EntryBoard(tmp_path / "new")
    await board.publish(artifact("a", payload=payload, tags=("x",), visibility=Private({"ann"})))
    assert (tmp_path / "new" / "a.md").read_text() == (
        "---\nentryId: a\ncategory: Note\ntags: [x]\nreferenceCode: c1\ncreatedAt: 2026-03-01T12:00:00Z\n"
        "producedBy: writer\nvisibility:\n  private: [ann]\npayload: {score: 3}\n---\nBody.\n"
    )


async def test_other_keys_of_a_file_are_kept_and_changes_on_disk_seen(tmp_path: Path) -> None:
    board = _write(tmp_path, **{"abc-123": ENTRY.replace("createdAt", "owner: sales\ncreatedAt")})
    (found,), _ = await board.query_artifacts(embed_meta=True)
    assert found.meta == {"owner": "sales"}
    await board.publish(found)
    assert "owner: sales\n" in (tmp_path / "abc-123.md").read_text()
    assert ids(await run_slice(AllVisibleProvider(), board)) == ["abc-123"]
    (tmp_path / "abc-123.md").write_text(ENTRY.replace("CustomerNote", "Decision"))
    assert (await board.get("abc-123")).type == "Decision"
    (tmp_path / "abc-123.md").unlink()
    assert ids(await run_slice(AllVisibleProvider(), board)) == []


_texts = st.text(max_size=12)
_data = plain_data(_texts)
_signs = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp"))
_words = st.text(_signs, min_size=1, max_size=8)
_visibilities = st.one_of(
    st.just(Public()),
    st.builds(Private, st.sets(_words, max_size=2)),
    st.builds(Labelled, st.sets(_words, max_size=2)),
    st.builds(Tenant, _words),
    st.builds(After, st.timedeltas(timedelta(0), timedelta(days=900)), st.none() | st.builds(Tenant, _words)),
)
_payloads = st.dictionaries(st.sampled_from(["content", "payload", "a", "tags"]) | _texts, _data, max_size=3)
_artifacts = st.builds(
    Artifact,
    id=_words,
    type=st.sampled_from(["Decision", "Pitch", "yes", "1.0"]),
    payload=_payloads | st.builds(lambda text, rest: {**rest, "content": text}, _texts, _payloads),
    produced_by=_words | st.just(""),
    tags=st.lists(_words, max_size=3),
    correlation_id=st.none() | _words,
    created_at=st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
    visibility=_visibilities,
)


@settings(max_examples=20)
@given(_artifacts)
async def test_every_artifact_comes_back_as_it_was_published(project: Project, given_: Artifact) -> None:
    folder = project({})
    await EntryBoard(folder).publish(given_)
    back = await EntryBoard(folder).get(given_.id)
    assert back == given_
    assert repr(_sorted(back.payload)) == repr(_sorted(given_.payload))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "payload",
    [
        *({"content": "a\0b"}, {"content": {"not": "text"}}, {"content": ""}, {}),
        *({"content": "half \ud800 of a pair", "more": "\udfff"}, {"x": "a\0b", "content": "kept\n"}),
        {"x": 1e300, "y": 10**30, "z": "1e300", "n": None, "content": ""},
        {"1": 1, "yes": "no", "": "", "date": "2026-01-01"},
    ],
)
async def test_payloads_that_yaml_or_a_body_cannot_hold_survive(tmp_path: Path, payload: dict[str, Any]) -> None:
    await EntryBoard(tmp_path).publish(artifact("a", payload=payload))
    back = await EntryBoard(tmp_path).get("a")
    assert back.payload == payload


async def test_what_no_file_can_hold_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    class Odd:
        def allows(self, viewer: object, age: object) -> bool:
            return True

    board = EntryBoard(tmp_path)
    odd, meta = artifact("a", visibility=Odd()), artifact("a", meta={"tags": ["not the artifact's"]})
    for wrong in (artifact("a\0b"), odd, meta):
        with refused():
            await board.publish(wrong)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "visibility",
    ["privat", "{private: boss}", "{private: [boss], public: true}", "[]", "null", "{after: soon}"],
)
async def test_a_visibility_that_cannot_be_read_shows_the_entry_to_nobody(tmp_path: Path, visibility: str) -> None:
    told: list[Notice] = []
    _write(tmp_path, a=ENTRY.replace("createdAt", f"visibility: {visibility}\ncreatedAt"))
    board = EntryBoard(tmp_path, told.append)
    for agent in (None, Agent("boss"), Agent("public")):
        assert ids(await run_slice(AllVisibleProvider(), board, agent=agent)) == []
    assert [notice.code for notice in told] == ["artifact-key"]
    assert "visibility" in told[0].message


@pytest.mark.parametrize(
    "line",
    [
        *("payload: 7", "payload: '[1]'", "payload: '{'", "producedBy: [a]", "producedBy: 7"),
        f"payload: '{'[' * 5000}'",
        f"payload: '{'{' + chr(34) + 'a' + chr(34) + ':'}{'[' * 70}{']' * 70}}}'",
    ],
)
async def test_other_keys_that_cannot_be_read_are_notices(tmp_path: Path, line: str) -> None:
    told: list[Notice] = []
    _write(tmp_path, a=ENTRY.replace("createdAt", f"{line}\ncreatedAt"))
    board = EntryBoard(tmp_path, told.append)
    found = await run_slice(AllVisibleProvider(), board)
    (item,) = found.items
    assert (item["payload"]["content"][:8], item["produced_by"]) == ("Customer", "")
    await run_slice(AllVisibleProvider(), board)
    await board.get("abc-123")
    assert [notice.code for notice in told] == ["artifact-key"]


async def test_the_event_loop_is_free_while_files_are_read_and_hears_the_notices(tmp_path: Path) -> None:
    _write(tmp_path, **{f"e{number}": ENTRY.replace("abc-123", f"e{number}") for number in range(300)}, bad="x")
    heard: set[int] = set()
    board = EntryBoard(tmp_path, lambda _: heard.add(threading.get_ident()))
    query = asyncio.create_task(board.query_artifacts())
    turns = 0
    while not query.done():
        await asyncio.sleep(0)
        turns += 1
    assert query.result()[1] == 300
    assert turns > 3
    assert heard == {threading.get_ident()}


@pytest.mark.parametrize(
    "line", ["visibility: {kind: private, agents: [ann]", "broken: [x\nvisibility: {kind: private}", "a: b: c"]
)
async def test_broken_frontmatter_is_shown_to_nobody(tmp_path: Path, line: str) -> None:
    text = f"---\nentryId: a\ncategory: Lesson\ncreatedAt: 2026-01-01T00:00:00Z\n{line}\n---\nprivate matters\n"
    (tmp_path / "a.md").write_text(text)
    (tmp_path / "b.md").write_text(text.replace(f"{line}\n", "").replace("entryId: a", "entryId: b"))
    told: list[Notice] = []
    found, total = await EntryBoard(tmp_path, told.append).query_artifacts(FilterConfig())
    shown = [each.id for each in found if each.visibility == Public()]
    assert (shown, total) == (["b"], 2)
    assert any("no agent sees it" in notice.message for notice in told)
