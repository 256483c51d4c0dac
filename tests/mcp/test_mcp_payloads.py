"""Payloads over MCP: git, outlines, outputs, related files and templates by the words of the command line."""

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
        for part in ("-key [redacted: ", "sections: One -->\n# One\n\n## A\n\naa\n", " Begin\n"):
            assert part in built["text"]
        assert KEY not in built["text"]
        assert "git does not know nope" in (await call(client, "build_payload", diff="nope")).refusal
        assert "not a git ref" in (await call(client, "build_payload", diff="--output=/tmp/x")).refusal


async def test_code_is_outlined_beside_what_is_picked(tmp_path: Path, opened: Project) -> None:
    write(tmp_path, {"orders.py": ORDERS, "README.md": "# Shop\n"})
    async with Client(make_server(opened)) as client:
        built = await call(client, "build_payload", outline=["**"])
        text = built.result["text"]
        assert OUTLINE in text
        assert "# Shop" not in text
        assert (built.result["tokens"], "no-outline" in built.codes) == (get_counter().count(text), True)
        mixed = await call(client, "build_payload", picks=["orders.py#cancel"], outline=["orders.py"])
        assert MIX in mixed.result["text"]
        assert "is not code" in (await call(client, "build_payload", outline=["README.md"])).refusal


async def test_outputs_are_built_without_secrets(tmp_path: Path, opened: Project) -> None:
    recipe = "picks:\n- query: notebook\n  outputs: orders.ipynb\n"
    write(tmp_path, {"orders.ipynb": FILE, ".ctxtui/recipes/r.yaml": recipe})
    async with Client(make_server(opened)) as client:
        built = (await call(client, "build_payload", recipe="r", budget=5_000)).result
        assert "<!-- outputs of cell 2 -->" in built["text"]
        assert KEY not in built["text"]
        assert built["tokens"] == get_counter().count(built["text"])


async def test_a_recipe_may_be_stricter_with_secrets_than_the_server(tmp_path: Path, opened: Project) -> None:
    recipes = {f".ctxtui/recipes/{word}.yaml": f"picks: [a.md]\nsecrets: {word}\n" for word in ("keep", "fail")}
    write(tmp_path, {"a.md": f"# A\n\nkey {KEY}\n", **recipes})
    async with Client(make_server(opened)) as client:
        kept = await call(client, "build_payload", recipe="keep")
        assert KEY not in kept.text
        assert "[redacted: " in kept.result["text"]
        assert "a.md:3 contains a secret" in (await call(client, "build_payload", recipe="fail")).refusal
    with pytest.raises(SecretFound):
        recipe_text(opened.workspace(), "fail")
    assert recipe_text(opened.workspace(), "keep") == kept.result["text"]


async def test_a_recipe_that_leaves_out_whole_files_does_so_over_mcp(tmp_path: Path, opened: Project) -> None:
    recipe = "picks: [a.md, b.md]\nbudget: 60\nover: fit\n"
    files = {"a.md": "# A\n\n" + "one two three. " * 40, "b.md": "# B\n\nshort\n"}
    write(tmp_path, {**files, ".ctxtui/recipes/r.yaml": recipe})
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
            assert (await call(client, "build_payload", picks=["one.py"], related=steps)).is_error
        assert "nothing is picked" in (await call(client, "build_payload", related=1)).text


async def test_a_recipe_with_a_template_needs_a_format(tmp_path: Path, opened: Project) -> None:
    recipe = "picks: [AGENTS.md]\ntemplate: {}\n"
    recipes = {".ctxtui/recipes/r.yaml": recipe.format("t.j2"), ".ctxtui/recipes/own.yaml": recipe.format("mine")}
    write(tmp_path, {"AGENTS.md": "# Agents\n", "t.j2": "{{ blocks }}", **recipes})
    write(own_folder(), {"mine.j2": "{{ blocks }}"})
    root = opened.workspace().reader.root
    agree(read_template(root, TemplateName.of("t.j2")), root)
    async with Client(make_server(opened)) as client:
        for name in ("r", "own"):
            refused = (await call(client, "build_payload", recipe=name)).refusal
            assert "the recipe is written with a template" in refused
            assert "name a format" in refused
            built = (await call(client, "build_payload", recipe=name, format="xml")).result
            assert "<document_content>\n# Agents\n" in built["text"]
