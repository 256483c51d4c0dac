"""Outlines over MCP: the words of the command line."""

from __future__ import annotations

from pathlib import Path

from mcp import Client

from ctxtui.core import get_counter
from ctxtui.mcp.project import Project
from ctxtui.mcp.server import make_server
from tests.mcp.mcp_helpers import call
from tests.session.test_outline_picks import MIX, ORDERS, OUTLINE


async def test_code_is_outlined_beside_what_is_picked(tmp_path: Path, opened: Project) -> None:
    (tmp_path / "orders.py").write_text(ORDERS)
    (tmp_path / "README.md").write_text("# Shop\n")
    async with Client(make_server(opened)) as client:
        built = await call(client, "build_payload", outline=["**"])
        assert OUTLINE in built.result["text"]
        assert "# Shop" not in built.result["text"]
        assert built.result["tokens"] == get_counter().count(built.result["text"])
        assert "no-outline" in built.codes
        mixed = await call(client, "build_payload", picks=["orders.py#cancel"], outline=["orders.py"])
        assert MIX in mixed.result["text"]
        refused = await call(client, "build_payload", outline=["README.md"])
        assert refused.is_error
        assert "is not code" in refused.text
