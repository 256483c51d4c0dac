"""`build` with `--template`, `--tree`, `--outputs` and `--measure`: exact, refused with a reason, sent only after a yes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxtui.core import get_counter
from ctxtui.session.assembly.templates import TemplateName, agree, own_folder, read_template
from ctxtui.workspace.workspace import Workspace
from tests.conftest import Ctxtui, Project
from tests.session.test_notebook_picks import FILE, KEY
from tests.vendors import serving

TEMPLATE = "# {{ project }}\n{% for b in blocks %}\n{{ b.path }}:\n{{ b.text }}{% endfor %}\n{{ prompt }}\n"
MEASURE = ("build", "--pick", "AGENTS.md", "--model", "claude-opus-5", "--measure")


@pytest.fixture
def template(tmp_path: Path) -> Path:
    file = tmp_path / "mine.txt.j2"
    file.write_text(TEMPLATE)
    return file


def recipe(root: Path, text: str) -> None:
    (root / ".ctxtui/recipes").mkdir(parents=True, exist_ok=True)
    (root / ".ctxtui/recipes/r.yaml").write_text(text)


def test_a_payload_is_what_the_template_makes_of_it(template: Path, ctxtui: Ctxtui) -> None:
    words = ("build", "--pick", "AGENTS.md", "--prompt", "Why?", "--template", str(template))
    done = ctxtui(*words, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)["result"]
    assert result["text"].startswith("# sample_context\n\nAGENTS.md:\n# Acme Orders API\n")
    assert result["text"].endswith("\nWhy?\n")
    assert result["tokens"] == get_counter().count(result["text"])
    assert ctxtui(*words).stdout == result["text"]
    template.write_text(TEMPLATE, "utf-8-sig")
    assert ctxtui(*words).stdout == result["text"]
    over = ctxtui(*words, "--budget", "300")
    assert (over.returncode, over.stdout) == (1, "")
    assert f"{result['tokens']} tokens exceed the limit of 300" in over.stderr
    cut = ctxtui(*words, "--budget", "300", "--over", "cut")
    assert cut.returncode == 0
    assert get_counter().count(cut.stdout) <= 300


def test_a_template_and_a_format_are_one_too_many(template: Path, ctxtui: Ctxtui) -> None:
    done = ctxtui("build", "--pick", "AGENTS.md", "--template", str(template), "--format", "xml")
    assert (done.returncode, done.stdout) == (2, "")
    assert "give --template or --format" in done.stderr


def test_what_is_wrong_with_a_template_is_told_with_its_line(tmp_path: Path, ctxtui: Ctxtui) -> None:
    file = tmp_path / "bad.j2"
    for text, told in (
        ("\n{{ nope }}", "bad.j2:2: 'nope' is undefined"),
        ("{{ 'x' * 10**9 }}", "bad.j2:1: `*` would"),
    ):
        file.write_text(text)
        done = ctxtui("build", "--pick", "AGENTS.md", "--template", str(file))
        assert (done.returncode, done.stdout) == (2, "")
        assert told in done.stderr
        assert "Traceback" not in done.stderr
    gone = ctxtui("build", "--pick", "AGENTS.md", "--template", str(tmp_path / "gone.j2"))
    assert gone.returncode == 3
    assert "no template" in gone.stderr


def test_a_recipe_names_yours_or_the_projects_if_you_agreed(template: Path, sample: Path, ctxtui: Ctxtui) -> None:
    own_folder().mkdir(parents=True)
    (own_folder() / "mine.j2").write_text(f"MINE {TEMPLATE}")
    recipe(sample, "picks: [AGENTS.md]\ntemplate: mine\n")
    assert ctxtui("build", "r").stdout.startswith("MINE # sample_context")
    assert ctxtui("build", "r", "--format", "xml").stdout.startswith("<documents>")
    (sample / ".ctxtui/templates").mkdir()
    (sample / ".ctxtui/templates/review.j2").write_text(f"THEIRS {TEMPLATE}")
    recipe(sample, "picks: [AGENTS.md]\ntemplate: .ctxtui/templates/review.j2\n")
    refused = ctxtui("build", "r")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "you have not agreed to its text" in refused.stderr
    assert "--template .ctxtui/templates/review.j2" in refused.stderr
    # To name the file oneself is a yes, for this time.
    assert ctxtui("build", "r", "--template", ".ctxtui/templates/review.j2").stdout.startswith("THEIRS")
    assert ctxtui("build", "r").returncode == 2
    root = Workspace.open(sample).reader.root
    agree(read_template(root, TemplateName.of(".ctxtui/templates/review.j2")), root)
    assert ctxtui("build", "r").stdout.startswith("THEIRS # sample_context")
    assert ctxtui("check", "r").stdout.startswith("ok   r")


def test_the_tree_comes_first_and_may_be_alone(ctxtui: Ctxtui, sample: Path) -> None:
    done = ctxtui("build", "--pick", "src/main.py", "--tree", "--json")
    result = json.loads(done.stdout)["result"]
    assert [block["id"] for block in result["blocks"]] == ["(tree)", "src/main.py"]
    assert result["tokens"] == get_counter().count(result["text"])
    assert "AGENTS.md" not in result["text"].partition("src/main.py -->")[0]
    alone = ctxtui("build", "--tree", "all")
    assert "── AGENTS.md\n" in alone.stdout
    recipe(sample, "picks: []\ntree: all\n")
    assert ctxtui("build", "r").stdout == alone.stdout


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


def test_with_a_yes_the_vendors_number_is_used(ctxtui: Ctxtui) -> None:
    with serving() as vendors:
        vendors.answer = lambda _path: (200, {}, b'{"input_tokens": 861}')
        done = ctxtui(*MEASURE, "--yes", **vendors.environment(ANTHROPIC_API_KEY="key-1"))
        assert done.returncode == 0, done.stderr
        assert "861 tokens (claude-opus-5, measured)" in done.stderr
        assert "ANTHROPIC_API_KEY" in done.stderr
        assert vendors.seen[0][2]["messages"][0]["content"] == done.stdout
        again = ctxtui(*MEASURE[:-1], "--json", **vendors.environment())
        whole = json.loads(again.stdout)["result"]["whole"]
        assert (whole["tokens"], whole["label"]) == (861, "measured")
        assert len(vendors.seen) == 1


def test_without_a_terminal_to_ask_at_nothing_is_sent(ctxtui: Ctxtui) -> None:
    with serving() as vendors:
        done = ctxtui(*MEASURE, **vendors.environment(ANTHROPIC_API_KEY="key-1"))
        assert done.returncode == 2
        assert "--yes" in done.stderr
        assert not vendors.seen


def test_no_key_is_said(ctxtui: Ctxtui) -> None:
    done = ctxtui(*MEASURE, "--yes", ANTHROPIC_API_KEY="")
    assert done.returncode == 4, done
    assert "set ANTHROPIC_API_KEY" in done.stderr
