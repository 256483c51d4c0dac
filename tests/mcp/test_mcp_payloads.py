"""Payloads over MCP: git, outlines, outputs, related files and templates by the words of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp import Client

from ctxtui.core import get_counter
from ctxtui.core.text.secrets import SecretFound
from ctxtui.mcp.payload_tools import recipe_text
from ctxtui.mcp.project import Project
from ctxtui.mcp.server import make_server
from ctxtui.session.assembly.templates import TemplateName, agree, own_folder, read_template
from tests.audit.repositories import Repo
from tests.mcp.mcp_helpers import call, write
from tests.session.test_notebook_picks import FILE, KEY
from tests.session.test_outline_picks import MIX, ORDERS, OUTLINE


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


async def test_a_recipe_may_be_stricter_with_secrets_than_the_server(tmp_path: Path, opened: Project) -> None:
    (tmp_path / "a.md").write_text(f"# A\n\nkey {KEY}\n")
    write(
        tmp_path, {f".ctxtui/recipes/{word}.yaml": f"picks: [a.md]\nsecrets: {word}\n" for word in ("keep", "fail")}
    )
    async with Client(make_server(opened)) as client:
        kept = await call(client, "build_payload", recipe="keep")
        assert KEY not in kept.text
        assert "[redacted: " in kept.result["text"]
        refused = await call(client, "build_payload", recipe="fail")
        assert refused.is_error
        assert "a.md:3 contains a secret" in refused.text
    with pytest.raises(SecretFound):
        recipe_text(opened.workspace(), "fail")
    assert recipe_text(opened.workspace(), "keep") == kept.result["text"]


async def test_a_recipe_that_leaves_out_whole_files_does_so_over_mcp(tmp_path: Path, opened: Project) -> None:
    write(tmp_path, {"a.md": "# A\n\n" + "one two three. " * 40, "b.md": "# B\n\nshort\n"})
    write(tmp_path, {".ctxtui/recipes/r.yaml": "picks: [a.md, b.md]\nbudget: 60\nover: fit\n"})
    async with Client(make_server(opened)) as client:
        built = (await call(client, "build_payload", recipe="r")).result
        assert (built["truncated"], built["omitted"]) == ([], ["a.md"])
        assert built["text"] == recipe_text(opened.workspace(), "r")


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
