"""`build` with `--template`, `--tree`, `--outputs` and `--measure`: exact, refused with a reason, sent only after a yes."""

from pathlib import Path

import pytest

from ctxtui.core import get_counter
from ctxtui.session.assembly.templates import TemplateName, agree, own_folder, read_template
from ctxtui.workspace.workspace import Workspace
from tests.cli.conftest import recipe
from tests.cli.streams import Refused
from tests.conftest import Asked, Project
from tests.session.test_notebook_picks import FILE, KEY
from tests.vendors import serving

TEMPLATE = "# {{ project }}\n{% for b in blocks %}\n{{ b.path }}:\n{{ b.text }}{% endfor %}\n{{ prompt }}\n"
PICK = ("build", "--pick", "AGENTS.md")
MEASURE = (*PICK, "--model", "claude-opus-5", "--measure")


@pytest.fixture
def template(tmp_path: Path) -> Path:
    file = tmp_path / "mine.txt.j2"
    file.write_text(TEMPLATE)
    return file


def test_a_payload_is_what_the_template_makes_of_it(template: Path, cli: Asked, refused: Refused) -> None:
    words = (*PICK, "--prompt", "Why?", "--template", str(template))
    result = cli(*words, "--json").result
    assert result["text"].startswith("# sample_context\n\nAGENTS.md:\n# Acme Orders API\n")
    assert result["text"].endswith("\nWhy?\n")
    assert result["tokens"] == get_counter().count(result["text"])
    for encoding in ("utf-8", "utf-8-sig"):
        template.write_text(TEMPLATE, encoding)
        assert cli(*words).out == result["text"], encoding
    assert f"{result['tokens']} tokens exceed the limit of 300" in refused(*words, "--budget", "300", status=1)
    assert get_counter().count(cli(*words, "--budget", "300", "--over", "cut").out) <= 300
    assert "give --template or --format" in refused(*words, "--format", "xml")


def test_what_is_wrong_with_a_template_is_told_with_its_line(tmp_path: Path, refused: Refused) -> None:
    file, gone = tmp_path / "bad.j2", tmp_path / "gone.j2"
    for text, told in (("\n{{ nope }}", "2: 'nope' is undefined"), ("{{ 'x' * 10**9 }}", "1: `*` would")):
        file.write_text(text)
        err = refused(*PICK, "--template", str(file))
        assert f"bad.j2:{told}" in err
        assert "Traceback" not in err
    assert "no template" in refused(*PICK, "--template", str(gone), status=3)


def test_a_recipe_names_yours_or_the_projects_if_you_agreed(
    template: Path, sample: Path, cli: Asked, refused: Refused
) -> None:
    own_folder().mkdir(parents=True)
    (own_folder() / "mine.j2").write_text(f"MINE {TEMPLATE}")
    recipe(sample, "r", "picks: [AGENTS.md]\ntemplate: mine\n")
    assert cli("build", "r").out.startswith("MINE # sample_context")
    assert cli("build", "r", "--format", "xml").out.startswith("<documents>")
    theirs = ".ctxtui/templates/review.j2"
    (sample / theirs).parent.mkdir()
    (sample / theirs).write_text(f"THEIRS {TEMPLATE}")
    recipe(sample, "r", f"picks: [AGENTS.md]\ntemplate: {theirs}\n")
    # To name the file oneself is a yes, for this time.
    for _ in range(2):
        err = refused("build", "r")
        assert "you have not agreed to its text" in err
        assert f"--template {theirs}" in err
        assert cli("build", "r", "--template", theirs).out.startswith("THEIRS")
    root = Workspace.open(sample).reader.root
    agree(read_template(root, TemplateName.of(theirs)), root)
    assert cli("build", "r").out.startswith("THEIRS # sample_context")
    assert cli("check", "r").out.startswith("ok   r")


def test_the_tree_comes_first_and_may_be_alone(cli: Asked, sample: Path) -> None:
    result = cli("build", "--pick", "src/main.py", "--tree", "--json").result
    assert [block["id"] for block in result["blocks"]] == ["(tree)", "src/main.py"]
    assert result["tokens"] == get_counter().count(result["text"])
    assert "AGENTS.md" not in result["text"].partition("src/main.py -->")[0]
    alone = cli("build", "--tree", "all").out
    assert "── AGENTS.md\n" in alone
    recipe(sample, "r", "picks: []\ntree: all\n")
    assert cli("build", "r").out == alone


def test_outputs_are_built_beside_the_cells_and_saved_in_recipes(
    project: Project, cli: Asked, refused: Refused
) -> None:
    root = project({"in/orders.ipynb": FILE, "a.md": "# A\n"})
    done = cli("build", "--pick", "in/orders.ipynb", "--outputs", "in", "--json", cwd=root)
    result = done.result
    assert result["tokens"] == get_counter().count(result["text"])
    assert [block["id"] for block in result["blocks"]] == ["in/orders.ipynb", "query:outputs: in/orders.ipynb"]
    assert "<!-- source: outputs: in/orders.ipynb -->\n<!-- outputs of cell 2 -->\n```\none\n" in result["text"]
    assert KEY not in done.out
    query = "- query: 'outputs: in/orders.ipynb'\n  outputs: in/orders.ipynb\n"
    recipe(root, "r", f"picks:\n- in/orders.ipynb\n{query}")
    assert cli("build", "r", cwd=root).out == result["text"]
    said = refused("build", "--outputs", "a.md", cwd=root)
    assert said == "ctxtui: a.md is not a notebook\n  name an .ipynb file\n"


def test_with_a_yes_the_vendors_number_is_used(cli: Asked) -> None:
    with serving() as vendors:
        vendors.answer = lambda _path: (200, {}, b'{"input_tokens": 861}')
        out, err = cli(*MEASURE, "--yes", **vendors.environment(ANTHROPIC_API_KEY="key-1"))
        assert "861 tokens (claude-opus-5, measured)" in err
        assert "ANTHROPIC_API_KEY" in err
        assert vendors.seen[0][2]["messages"][0]["content"] == out
        whole = cli(*MEASURE[:-1], "--json", **vendors.environment()).result["whole"]
        assert (whole["tokens"], whole["label"]) == (861, "measured")
        assert len(vendors.seen) == 1


def test_without_a_terminal_to_ask_at_or_a_key_nothing_is_sent(cli: Asked) -> None:
    with serving() as vendors:
        assert "--yes" in cli(*MEASURE, **vendors.environment(ANTHROPIC_API_KEY="key-1"), status=2).err
        assert not vendors.seen
    assert "set ANTHROPIC_API_KEY" in cli(*MEASURE, "--yes", ANTHROPIC_API_KEY="", status=4).err
