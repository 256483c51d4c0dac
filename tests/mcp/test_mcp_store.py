"""Storing entries: only where it is allowed, only into entries directories of the project."""

import asyncio
from pathlib import Path

import pytest
from mcp import Client
from platformdirs import user_state_path

from ctxtui.mcp.project import Project
from ctxtui.mcp.server import make_server
from tests.mcp.mcp_helpers import call, write

ENTRY = {"entryId": "x", "content": "Two carriers.\n", "category": "Decision", "tags": ["ship"]}
NOTE = "---\nentryId: {0}\ncategory: Lesson\ncreatedAt: 2026-02-26T09:30:00Z\n---\n\nText.\n"


async def test_an_entry_is_stored_and_found_again(tmp_path: Path, opened: Project) -> None:
    async with Client(make_server(opened, allow_store=True)) as client:
        (tool,) = [each for each in (await client.list_tools()).tools if each.name == "store_entry"]
        assert tool.annotations is not None
        assert (tool.annotations.read_only_hint, tool.annotations.destructive_hint) == (False, True)
        stored = (await call(client, "store_entry", **ENTRY, createdAt="2026-02-26T10:30:00+01:00")).result
        assert stored["createdAt"] == "2026-02-26T09:30:00Z"
        assert (await call(client, "query_entries", keywords="carriers")).result == [stored]
    assert "Two carriers." in (tmp_path / "context/x.md").read_text()


async def test_nothing_is_stored_where_it_is_not_allowed(tmp_path: Path, opened: Project) -> None:
    async with Client(make_server(opened)) as client:
        assert (await call(client, "store_entry", **ENTRY)).category == "unavailable"
    assert list(tmp_path.iterdir()) == []


async def test_an_entry_goes_where_entries_are(tmp_path: Path, opened: Project) -> None:
    write(tmp_path, {"notes/a.md": NOTE.format("a")})
    async with Client(make_server(opened, allow_store=True)) as client:
        assert (await call(client, "store_entry", **ENTRY)).result["entryId"] == "x"
        assert (tmp_path / "notes/x.md").is_file()
        write(tmp_path, {"more/b.md": NOTE.format("b")})
        refused = await call(client, "store_entry", **ENTRY)
        assert (refused.category, "more, notes" in refused.text) == ("invalid_request", True)
        assert (await call(client, "store_entry", **ENTRY, directory="more/")).result
        assert (tmp_path / "more/x.md").is_file()
        again = await call(client, "store_entry", **ENTRY | {"content": "New."}, directory="more", replace=True)
        assert again.result["content"] == "New."
        found = (await call(client, "query_entries", directory="./more", keywords="New.")).result
        assert [each["entryId"] for each in found] == ["x"]


async def test_a_stored_entry_is_replaced_only_if_that_is_said(tmp_path: Path, opened: Project) -> None:
    async with Client(make_server(opened, allow_store=True)) as client:
        await call(client, "store_entry", **ENTRY)
        before = (tmp_path / "context/x.md").read_bytes()
        other = ENTRY | {"content": "One carrier.\n"}
        refused = await call(client, "store_entry", **other)
        assert refused.category == "invalid_request"
        assert "already has an entry 'x'" in refused.text
        assert "replace: true" in refused.text
        assert (tmp_path / "context/x.md").read_bytes() == before
        stored = await call(client, "store_entry", **other, replace=True)
        assert (stored.result["content"], stored.codes) == ("One carrier.\n", ["entry-replaced"])
        unnamed = {key: value for key, value in other.items() if key != "entryId"}
        assert (await call(client, "store_entry", **unnamed, replace=True)).category == "invalid_request"
        (tool,) = [each for each in (await client.list_tools()).tools if each.name == "store_entry"]
        assert "rejected unless replace is true" in (tool.description or "")
    assert [kept.read_bytes() for kept in user_state_path("ctxtui").rglob("*x.md")] == [before]


async def test_entries_without_an_id_that_are_stored_at_once_are_all_kept(tmp_path: Path, opened: Project) -> None:
    async with Client(make_server(opened, allow_store=True)) as client:
        texts = [f"The same first words of each text here, then {number}" for number in range(8)]
        calls = [call(client, "store_entry", content=text, category="Lesson") for text in texts]
        ids = [each.result["entryId"] for each in await asyncio.gather(*calls)]
        found = (await call(client, "query_entries", keywords="same first words")).result
    assert sorted(each["content"] for each in found) == texts
    assert {each["entryId"] for each in found} == set(ids)


@pytest.mark.parametrize("entry_id", ["../../out", "/etc/x", "a/b", "CON", "x" * 5000, "\u202e", "a\nb"])
async def test_hostile_ids_stay_in_the_directory(tmp_path: Path, opened: Project, entry_id: str) -> None:
    write(tmp_path, {"inner/notes/a.md": NOTE.format("a")})
    async with Client(make_server(opened, allow_store=True)) as client:
        answer = await call(client, "store_entry", **ENTRY | {"entryId": entry_id})
    if answer.is_error:
        assert answer.category == "invalid_request"
    assert {path.parent for path in tmp_path.rglob("*.md")} == {tmp_path / "inner/notes"}


@pytest.mark.parametrize(
    "change",
    [
        *({"createdAt": when} for when in ("2026-02-26T09:30:00", "soon")),
        {"createdAt": "0001-01-01T00:00:00+05:00", "entryId": None},
        *({"category": None}, {"category": "Other"}, {"content": " "}, {"content": 3}, {"entryId": 3}),
        *({"tags": "ship"}, {"referenceCode": "CTX-1"}, {"directory": ".."}, {"directory": "/tmp"}),
    ],
)
async def test_entries_that_cannot_be_kept_are_refused(
    tmp_path: Path, opened: Project, change: dict[str, object]
) -> None:
    write(tmp_path, {"notes/a.md": NOTE.format("a")})
    async with Client(make_server(opened, allow_store=True)) as client:
        assert (await call(client, "store_entry", **ENTRY | change)).category == "invalid_request"
    assert [path.name for path in tmp_path.rglob("*.md")] == ["a.md"]
