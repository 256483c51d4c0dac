"""Outputs of notebooks on the command line, and in recipes: one payload."""

import json

from ctxtui.core import get_counter
from tests.conftest import Ctxtui, Project
from tests.session.test_notebook_picks import FILE, KEY


def test_outputs_are_built_beside_the_cells_and_saved_in_recipes(project: Project, ctxtui: Ctxtui) -> None:
    root = project({"in/orders.ipynb": FILE, "a.md": "# A\n"})
    done = ctxtui("build", "--pick", "in/orders.ipynb", "--outputs", "in", "--json", cwd=root)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)["result"]
    assert result["tokens"] == get_counter().count(result["text"])
    assert [block["id"] for block in result["blocks"]] == ["in/orders.ipynb", "query:outputs: in/orders.ipynb"]
    assert "<!-- source: outputs: in/orders.ipynb -->\n<!-- outputs of cell 2 -->\n```\none\n" in result["text"]
    assert KEY not in done.stdout
    recipe = root / ".ctxtui/recipes/r.yaml"
    recipe.parent.mkdir(parents=True)
    recipe.write_text("picks:\n- in/orders.ipynb\n- query: 'outputs: in/orders.ipynb'\n  outputs: in/orders.ipynb\n")
    assert ctxtui("build", "r", cwd=root).stdout == result["text"]
    refused = ctxtui("build", "--outputs", "a.md", cwd=root)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "ctxtui: a.md is not a notebook\n  name an .ipynb file\n"
