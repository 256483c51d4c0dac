"""Recipes with a template over MCP: refused, whoever agreed to what, unless a format is named."""

from __future__ import annotations

from pathlib import Path

from mcp import Client

from ctxtui.mcp.project import Project
from ctxtui.mcp.server import make_server
from ctxtui.session.assembly.templates import TemplateName, agree, own_folder, read_template
from tests.mcp.mcp_helpers import call, write


async def test_a_recipe_with_a_template_needs_a_format(tmp_path: Path, opened: Project) -> None:
    files = {"AGENTS.md": "# Agents\n", "t.j2": "{{ blocks }}"}
    recipes = {
        f".ctxtui/recipes/{name}.yaml": f"picks: [AGENTS.md]\ntemplate: {template}\n"
        for name, template in (("r", "t.j2"), ("own", "mine"))
    }
    write(tmp_path, files | recipes)
    write(own_folder(), {"mine.j2": "{{ blocks }}"})
    root = opened.workspace().reader.root
    agree(read_template(root, TemplateName.of("t.j2")), root)
    async with Client(make_server(opened)) as client:
        for name in ("r", "own"):
            refused = await call(client, "build_payload", recipe=name)
            assert refused.is_error
            assert "the recipe is written with a template" in refused.text
            assert "name a format" in refused.text
            built = (await call(client, "build_payload", recipe=name, format="xml")).result
            assert "<document_content>\n# Agents\n" in built["text"]
