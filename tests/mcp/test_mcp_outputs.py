"""Outputs of notebooks over MCP, in recipes."""

from __future__ import annotations

from pathlib import Path

from mcp import Client

from ctxtui.core import get_counter
from ctxtui.mcp.project import Project
from ctxtui.mcp.server import make_server
from tests.mcp.mcp_helpers import call
from tests.session.test_notebook_picks import FILE, KEY


async def test_outputs_are_built_without_secrets(tmp_path: Path, opened: Project) -> None:
    (tmp_path / "orders.ipynb").write_text(FILE)
    recipe = tmp_path / ".ctxtui/recipes/r.yaml"
    recipe.parent.mkdir(parents=True)
    recipe.write_text("picks:\n- query: notebook\n  outputs: orders.ipynb\n")
    async with Client(make_server(opened)) as client:
        built = await call(client, "build_payload", recipe="r", budget=5_000)
        assert "<!-- outputs of cell 2 -->" in built.result["text"]
        assert KEY not in built.result["text"]
        assert built.result["tokens"] == get_counter().count(built.result["text"])
