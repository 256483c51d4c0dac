"""What a served project cannot do: lead out of itself, leak secrets, flood its readers, or break a call."""

import os
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError

from ctxtui.mcp.project import Project
from ctxtui.mcp.results import MAX_CHARACTERS
from ctxtui.mcp.server import make_server
from tests.mcp.mcp_helpers import ASKED, SECRET, call, write

HEAD = "---\nid: d/{0}\ndomain: d\ntitle: {0}\nloadingStrategy: always\n---\n\n"


def _catalog(root: Path, bodies: dict[str, str]) -> None:
    files = {f"library/d/{name}.md": HEAD.format(name) + text for name, text in bodies.items()}
    write(root, files | {"library/index.md": "# Index\n", "library/d/index.md": HEAD.format("index") + "# D\n"})


async def test_a_root_in_the_home_folder_may_be_written_as_a_tilde(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "shop", {"a.md": "# Refund\n\nWithin 30 days.\n"})
    write(tmp_path / "other", {"a.md": "# Refund\n"})
    monkeypatch.setenv("HOME", str(tmp_path))
    async with Client(make_server(Project(root, lambda _: None))) as client:
        found = await call(client, "retrieve_context", **ASKED | {"rootPath": "~/shop"})
        assert [each["path"] for each in found.result] == ["a.md"]
        refused = await call(client, "retrieve_context", **ASKED | {"rootPath": "~/other"})
        assert refused.category == "invalid_request"


async def test_secrets_are_redacted_wherever_they_stand(tmp_path: Path, opened: Project) -> None:
    _catalog(tmp_path, {"keys": f"# Keys {SECRET}\n\n## Use {SECRET}\n\nkey = {SECRET}\n"})
    head = f"---\nentryId: e\ncategory: Lesson\ntags: ['{SECRET}']\ncreatedAt: 2026-02-26T09:30:00Z\n---\n\n"
    files = {
        ".context/TASKS.md": f"# T\n\n- [ ] rotate {SECRET}\n",
        "notes/e.md": f"{head}{SECRET}\n",
        ".ctxtui/recipes/r.yaml": f"picks: [library/d/keys.md]\nsecrets: keep\nprompt: use {SECRET}\n",
    }
    write(tmp_path, files)
    calls: dict[str, dict[str, Any]] = {
        "get_catalog": {},
        "get_always_load_files": {"domain": "d"},
        "get_reference": {"domain": "d", "file": "keys"},
        "materialize": {"reference": "d/keys"},
        "materialize_sections": {"reference": "d/keys", "sections": [f"Use {SECRET}"]},
        "search": {"query": "keys"},
        "load_context": {"structure": True},
        "build_payload": {"recipe": "r"},
        "query_entries": {},
        "retrieve_context": {**ASKED, "prompt": "rotate key"},
    }
    async with Client(make_server(opened)) as client:
        for name, arguments in calls.items():
            answer = await call(client, name, **arguments)
            assert (answer.is_error, SECRET in answer.text) == (False, False), name
        assert "redacted-secrets" in (await call(client, "materialize", reference="d/keys")).codes
        assert SECRET not in (await call(client, "get_domain_index", domain=SECRET)).text
        for uri in ("document/d/keys", "recipe/r"):
            (content,) = (await client.read_resource(f"ctxtui://{uri}")).contents
            assert SECRET not in content.text  # type: ignore[union-attr]
        assert SECRET not in str((await client.list_resources()).model_dump())


async def test_a_user_who_wants_no_secret_exported_gets_none(tmp_path: Path) -> None:
    files = {
        ".context/TASKS.md": f"# T\n\n- [ ] rotate {SECRET}\n",
        "a.md": f"# A\n\nkey = {SECRET}\n",
        ".ctxtui/recipes/r.yaml": "picks: [a.md]\nsecrets: keep\n",
    }
    asked: list[tuple[str, dict[str, Any]]] = [
        *(("load_context", {}), ("build_payload", {"recipe": "r"}), ("build_payload", {"picks": ["a.md"]}))
    ]
    async with Client(make_server(Project(write(tmp_path, files), lambda _: None, secrets="fail"))) as client:
        for name, arguments in asked:
            refused = (await call(client, name, **arguments)).refusal
            assert "contains a secret" in refused, name
            assert SECRET not in refused, name
        with pytest.raises(MCPError, match="contains a secret"):
            await client.read_resource("ctxtui://recipe/r")


async def test_links_out_of_the_project_are_not_followed(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # A repository around the served folder: even what that could read stays out.
    outside = tmp_path_factory.mktemp("repository")
    (outside / ".git").mkdir()
    hidden = {"hidden.md": "# Hidden words\n", ".context/TASKS.md": "# Hidden words\n"}
    write(outside, {**hidden, "r.yaml": "prompt: Hidden words\n"})
    files = {"a.md": "# A\n", "library/index.md": "# Index\n", "library/d/index.md": HEAD.format("index")}
    root = write(outside / "inner", {**files, ".ctxtui/recipes/ok.yaml": "picks: [link.md, a.md]\n"})
    for link in ("link.md", "library/d/link.md", "notes/link.md", ".ctxtui/recipes/link.yaml"):
        (root / link).parent.mkdir(parents=True, exist_ok=True)
        (root / link).symlink_to(outside / ("r.yaml" if link.endswith("yaml") else "hidden.md"))
    project = Project(root, lambda _: None)
    async with Client(make_server(project, allow_store=True)) as client:
        answers = [
            await call(client, "load_context"),
            await call(client, "retrieve_context", **ASKED | {"prompt": "hidden words"}),
            await call(client, "retrieve_context", **ASKED | {"prompt": "hidden", "rootPath": str(outside)}),
            await call(client, "build_payload", recipe="ok"),
            await call(client, "build_payload", recipe="link"),
            await call(client, "build_payload", picks=["link.md"]),
            await call(client, "materialize", reference="d/link"),
            await call(client, "query_entries"),
        ]
        documents = ("document/link.md", "document/..%2Fhidden.md", "document//etc/passwd")
        for uri in (*documents, "recipe/link", "recipe/..%2Fr"):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(f"ctxtui://{uri}")
            assert caught.value.data["category"] == "invalid_request"
        (root / ".context").mkdir()
        (root / ".context/TASKS.md").symlink_to(outside / "hidden.md")
        answers.append(await call(client, "load_context"))
        (root / "context").symlink_to(outside)
        stored = await call(client, "store_entry", entryId="e", content="x", category="Lesson")
        assert stored.category == "invalid_request"
    project.close()
    assert not any("Hidden" in answer.text for answer in answers)
    assert answers[0].category == answers[-1].category == "invalid_request"


async def test_answers_are_bounded(tmp_path: Path, opened: Project) -> None:
    _catalog(tmp_path, {f"f{number}": "# F\n\n" + "word " * 30_000 for number in range(4)})
    write(tmp_path, {"big.md": "# B\n\n" + "word " * 60_000, "wide.md": "# W\n" + " " * 300_000 + "\n"})
    async with Client(make_server(opened)) as client:
        answer = await call(client, "get_always_load_files", domain="d")
        assert MAX_CHARACTERS < len(answer.text) < MAX_CHARACTERS * 1.1
        assert "answer-cut" in answer.codes
        refused = await call(client, "build_payload", picks=["big.md"], budget="1m")
        assert (refused.category, "lower the budget" in refused.text) == ("invalid_request", True)
        assert len((await call(client, "build_payload", picks=["big.md"])).text) < 90_000
        (content,) = (await client.read_resource("ctxtui://document/big.md")).contents
        assert content.text.endswith("\n[truncated]\n")  # type: ignore[union-attr]
        assert len(content.text) <= MAX_CHARACTERS  # type: ignore[union-attr]


async def test_notices_are_bounded(tmp_path: Path, opened: Project) -> None:
    note = "---\nentryId: {0}\ncategory: Gossip\ncreatedAt: 2026-02-26T09:30:00Z\n---\n\nText.\n"
    write(tmp_path, {f"notes/{number}.md": note.format(number) for number in range(40)})
    async with Client(make_server(opened)) as client:
        answer = await call(client, "query_entries")
    assert answer.codes == ["unknown-category"] * 20 + ["more-notices"]
    assert "20 more" in answer.data["notices"][-1]["message"]


async def test_hostile_metadata_leave_as_json(tmp_path: Path, opened: Project) -> None:
    bomb = "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n"
    odd = f"---\nid: d/odd\nnan: .nan\ninf: -.inf\nbig: {'9' * 5000}\nday: 2026-01-01\nnested: {{1: {{2: x}}}}\n---\n# Odd\n"
    _catalog(tmp_path, {"a": "# A\n"})
    write(tmp_path, {"library/d/odd.md": odd, "library/d/bomb.md": f"---\nid: d/bomb\n{bomb}---\n# Bomb\n"})
    (tmp_path / "library/d/bytes.md").write_bytes(b"---\nid: d/bytes\ntitle: \xff\xfe\n---\n# B\x1b[31m\n")
    async with Client(make_server(opened)) as client:
        for name in ("odd", "bomb", "bytes"):
            assert (await call(client, "materialize", reference=f"d/{name}")).result["id"] == f"d/{name}"
        assert len((await call(client, "get_catalog")).result) == 5


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_what_may_not_be_read_is_told(tmp_path: Path, opened: Project) -> None:
    write(tmp_path, {"a.md": "# A\n"})
    (tmp_path / "a.md").chmod(0)
    async with Client(make_server(opened)) as client:
        assert (await call(client, "build_payload", picks=["a.md"])).result["missing"] == ["a.md"]


async def test_an_unforeseen_error_is_internal_and_its_text_stays_here(
    tmp_path: Path, opened: Project, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path, {"a.md": "# A\n"})
    server = make_server(opened)
    opened.close()
    opened.root = None  # type: ignore[assignment]
    async with Client(server) as client:
        answer = await call(client, "retrieve_context", **ASKED)
        with pytest.raises(MCPError, match="internal: internal error; see the server log"):
            await client.read_resource("ctxtui://document/a.md")
    assert answer.category == "internal"
    assert "NoneType" not in answer.text
    assert "NoneType" in caplog.text
