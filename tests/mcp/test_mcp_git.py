"""Payloads over MCP with what git says: the words of the command line, cut, without secrets."""

from __future__ import annotations

from pathlib import Path

from mcp import Client

from ctxtui.core import get_counter
from ctxtui.mcp.project import Project
from ctxtui.mcp.server import make_server
from tests.audit.repositories import Repo
from tests.mcp.mcp_helpers import call

KEY = "AKIAIOSFODNN7EXAMPLF"


async def test_changes_are_blocks_of_a_payload(tmp_path: Path, opened: Project) -> None:
    repo = Repo(tmp_path)
    repo.commit({"one.md": f"# One\n\nkey {KEY}\n\n## A\n\na\n\n## B\n\nb\n"}, "Begin")
    repo.write({"one.md": "# One\n\n## A\n\naa\n\n## B\n\nb\n"})
    async with Client(make_server(opened)) as client:
        built = (await call(client, "build_payload", diff="", sections="", log="HEAD")).result
        assert built["tokens"] == get_counter().count(built["text"])
        assert "-key [redacted: " in built["text"]
        assert KEY not in built["text"]
        assert "sections: One -->\n# One\n\n## A\n\naa\n" in built["text"]
        assert " Begin\n" in built["text"]
        refused = await call(client, "build_payload", diff="nope")
        assert refused.is_error
        assert "git does not know nope" in refused.text
        escaping = await call(client, "build_payload", diff="--output=/tmp/x")
        assert "not a git ref" in escaping.text
