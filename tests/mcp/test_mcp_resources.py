"""Resources: documents and recipes by URI."""

from pathlib import Path

import pytest
from mcp import Client, MCPError

from ctxtui.core.base.manual import page
from ctxtui.mcp.project import Project
from ctxtui.mcp.server import make_server
from tests.cases import cases
from tests.mcp.mcp_helpers import Session, write


def _read(session: Session, uri: str) -> str:
    (content,) = session.run(session.client.read_resource(uri)).contents
    text: str = content.text
    return text


def test_documents_and_recipes_are_listed_and_can_be_read(served: Session) -> None:
    listed = {row.uri: row for row in served.run(served.client.list_resources()).resources}
    recipe = listed["ctxtui://recipe/review"]
    assert (recipe.name, recipe.mime_type) == ("review", "text/markdown")
    assert listed["ctxtui://document/python/issues"].title == "Issues"
    assert "ctxtui://document/.context/TASKS" in listed
    assert not any("refunds" in uri or "main.py" in uri for uri in listed)
    assert all(_read(served, uri) for uri in listed)
    templates = served.run(served.client.list_resource_templates()).resource_templates
    addresses = ("document/{+id}", "recipe/{name}", "manual/{topic}")
    assert [each.uri_template for each in templates] == [f"ctxtui://{address}" for address in addresses]


def test_lists_say_how_long_they_may_be_kept(served: Session) -> None:
    client = served.client
    lists = (client.list_tools, client.list_resources, client.list_resource_templates)
    kept = [(answer.ttl_ms, answer.cache_scope) for answer in (served.run(each()) for each in lists)]
    assert kept == [(60_000, "private"), (5_000, "private"), (3_600_000, "public")]


def test_the_manual_can_be_read(served: Session) -> None:
    assert _read(served, "ctxtui://manual/recipes") == page("recipes")
    with pytest.raises(MCPError, match=r"no page 'recipies'.*did you mean recipes"):
        _read(served, "ctxtui://manual/recipies")


def test_documents_are_read_by_id_path_and_section(stdio_session: Session) -> None:
    def document(id_: str) -> str:
        return _read(stdio_session, f"ctxtui://document/{id_}")

    assert document("docs/refunds.md").startswith("# Refunds")
    assert document("docs%2Frefunds.md#partial-refund") == "## Partial refund\n\nOnly support may.\n"
    assert document("python/issues").startswith("---\nid: python/issues")
    assert document("main.py").startswith("from fastapi")
    built = stdio_session.call("build_payload", recipe="review").result["text"]
    assert _read(stdio_session, "ctxtui://recipe/review") == built


async def test_lines_and_outlines_are_read_alone(tmp_path: Path, opened: Project) -> None:
    code = "import os\n\n\ndef f():\n    a = 1\n    b = 2\n    return a + b\n"
    write(tmp_path, {"a.py": code, "b.md": "# B\n"})
    async with Client(make_server(opened)) as client:

        async def read(id_: str) -> str:
            (content,) = (await client.read_resource(f"ctxtui://document/{id_}")).contents
            text: str = content.text  # type: ignore[union-attr]
            return text

        assert await read("a.py#L4-L5") == "def f():\n    a = 1\n"
        assert await read("a.py#(outline)") == "import os\n\n\ndef f():\n    …\n"
        for id_, said in (("a.py#L40", "has no lines 40-40"), ("b.md#(outline)", "has no outline")):
            with pytest.raises(MCPError, match=said):
                await read(id_)


@cases(
    "uri",
    ["ctxtui://document/absent.md", "ctxtui://recipe/absent", "ctxtui://other/x", "file:///etc/passwd", "x", ""],
)
def test_what_is_no_resource_is_refused(served: Session, uri: str) -> None:
    with pytest.raises(MCPError) as caught:
        served.run(served.client.read_resource(uri))
    assert caught.value.data["category"] == "invalid_request"
    assert caught.value.message.startswith("invalid_request: ")


async def test_ids_with_odd_characters_come_back(tmp_path: Path, opened: Project) -> None:
    names = ["a b.md", "100%.md", "c#d.md", "ü?.md", "x&y=[z].md"]
    write(tmp_path, {f".claude/rules/{name}": f"# {name}\n" for name in names})
    async with Client(make_server(opened)) as client:
        rows = (await client.list_resources()).resources
        texts = {(await client.read_resource(row.uri)).contents[0].text for row in rows}  # type: ignore[union-attr]
    assert texts == {f"# {name}\n" for name in names}


async def test_long_lists_come_in_pages(tmp_path: Path, opened: Project) -> None:
    write(tmp_path, {f".claude/rules/{number:03}.md": "# R\n" for number in range(450)})
    uris: list[str] = []
    sizes, cursor = [], None
    async with Client(make_server(opened)) as client:
        while not sizes or cursor:
            page = await client.list_resources(cursor=cursor)
            sizes.append(len(page.resources))
            uris += [row.uri for row in page.resources]
            cursor = page.next_cursor
        assert (sizes, len(set(uris))) == ([200, 200, 50], 450)
        with pytest.raises(MCPError, match="unknown cursor"):
            await client.list_resources(cursor="-1")


async def test_a_folder_of_recipes_that_leads_out_hides_no_document(tmp_path: Path) -> None:
    root, notices = tmp_path / "root", []
    write(root, {"AGENTS.md": "# A\n", ".ctxtui/x": ""})
    write(tmp_path, {"outside/r.yaml": "picks: [AGENTS.md]\n"})
    (root / ".ctxtui" / "recipes").symlink_to("../../outside")
    async with Client(make_server(Project(root, notices.append))) as client:
        assert [row.uri for row in (await client.list_resources()).resources] == ["ctxtui://document/AGENTS.md"]
        with pytest.raises(MCPError):
            await client.read_resource("ctxtui://recipe/r")
    assert ["leads out of the project" in notice.message for notice in notices] == [True]
