"""Payloads over MCP with related files."""

from __future__ import annotations

from pathlib import Path

from mcp import Client

from ctxtui.core import get_counter
from ctxtui.mcp.project import Project
from ctxtui.mcp.server import make_server
from tests.mcp.mcp_helpers import call, write


async def test_related_files_are_blocks_of_a_payload(tmp_path: Path, opened: Project) -> None:
    write(tmp_path, {"one.py": "import two\n", "two.py": "X = 1\n", "test_one.py": "import one\n"})
    async with Client(make_server(opened)) as client:
        built = (await call(client, "build_payload", picks=["one.py"], related=1)).result
        assert built["text"].index("import two") < built["text"].index("import one") < built["text"].index("X = 1")
        assert built["tokens"] == get_counter().count(built["text"])
        for steps in (0, 4):
            refused = await call(client, "build_payload", picks=["one.py"], related=steps)
            assert refused.is_error
        nothing = await call(client, "build_payload", related=1)
        assert "nothing is picked" in nothing.text
