"""Outlines on the command line: what `--outline` makes of each kind of pick, and the numbers beside the whole."""

from pathlib import Path

import pytest

from ctxtui.cli.status import DONE, NOT_FOUND, WRONG_USAGE
from ctxtui.core.tokens.by_name import get_counter
from tests.cases import cases
from tests.conftest import Asked, Project
from tests.session.test_outline_picks import MIX, ORDERS, OUTLINE

SHOP = "export function sell(id: string): void {\n  console.log(id);\n  console.log('sold');\n}\n"
FLAGS = "DEBUG = False\nVERBOSE = True\n"


@pytest.fixture(autouse=True)
def root(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = project({"src/orders.py": ORDERS, "src/shop.ts": SHOP, "src/flags.py": FLAGS, "README.md": "# Shop\n"})
    monkeypatch.chdir(place)
    return place


def sources(text: str) -> list[str]:
    return [line[13:-4] for line in text.splitlines() if line.startswith("<!-- source: ")]


def test_a_pattern_picks_outlines_and_tells_what_has_none(asked: Asked) -> None:
    out, err = asked("build", "--outline", "src/**")
    assert sources(out) == ["src/orders.py; outline", "src/shop.ts; outline"]
    assert OUTLINE in out
    assert err.count("src/flags.py") == 1
    assert f"{get_counter('o200k_base').count(out)} tokens" in err


def test_an_id_and_a_taken_away_pattern_work_as_those_of_pick(asked: Asked) -> None:
    assert sources(asked("build", "--outline", "src/orders.py")[0]) == ["src/orders.py; outline"]
    out = asked("build", "--outline", "src", "--outline", "!*.ts", "--outline", "!**/shop*")[0]
    assert sources(out) == ["src/orders.py; outline"]


def test_files_picked_by_name_stay_whole_and_sections_stay_beside_the_outline(asked: Asked) -> None:
    out, err = asked("build", "--pick", "orders.py#cancel", "--pick", "src/shop.ts", "--outline", "src/*.*")
    assert sources(out) == ["src/orders.py; sections: Orders.cancel; outline of the rest", "src/shop.ts"]
    assert MIX in out
    assert SHOP in out
    assert "flags.py" in err


def test_what_a_pattern_picks_becomes_an_outline_if_it_has_one(asked: Asked) -> None:
    out, err = asked("build", "--pick", "src/**", "--outline", "src/**")
    assert sources(out) == ["src/flags.py", "src/orders.py; outline", "src/shop.ts; outline"]
    assert "outline" not in err


def test_a_recipe_may_be_outlined_beside(asked: Asked, root: Path) -> None:
    (root / ".ctxtui/recipes").mkdir(parents=True)
    recipe = root / ".ctxtui/recipes/review.yaml"
    recipe.write_text("picks:\n- src/shop.ts\n- glob: 'src/*.py'\n- id: README.md\n")
    out, _ = asked("build", "review", "--outline", "src/**")
    assert sources(out) == ["src/shop.ts", "src/flags.py", "src/orders.py; outline", "README.md"]


@cases(
    ("word", "told", "status"),
    [
        ("README.md", "is not code", WRONG_USAGE),
        ("{README.md,src/*.py}", "2 files without an outline", DONE),
        ("{README.md,src/flags.py}", "finds no file with an outline", WRONG_USAGE),
        ("src/flags.py", "no class or function", WRONG_USAGE),
        ("src/orders.py#main", "only whole files are outlined", WRONG_USAGE),
        ("nothing/**", "finds no file", NOT_FOUND),
    ],
)
def test_without_code_there_is_an_error_with_a_remedy(asked: Asked, word: str, told: str, status: int) -> None:
    said = asked("build", "--outline", word, status=status)[1]
    assert told in said
    assert status == DONE or "\n  " in said


def test_show_prints_the_outline_and_both_numbers(asked: Asked) -> None:
    count = get_counter("o200k_base").count
    assert asked("show", "src/orders.py", "--outline")[0] == OUTLINE
    assert asked("show", "src/orders.py#(outline)")[0] == OUTLINE
    assert asked("show", "src/orders.py", "--outline", "--section", "cancel")[0] == MIX
    outer = ("show", "src/orders.py", "--outline", "--section", "Orders")
    assert asked(*outer, "--section", "cancel")[0] == asked(*outer)[0]
    first, second = ORDERS.splitlines(keepends=True)[:2]
    assert asked("show", "src/orders.py#L1-L2", "--content")[0] == first + second
    assert asked("show", "src/orders.py#L1-L1", "--section", "main")[0].startswith(first)
    shown = asked("show", "src/orders.py", "--json").result
    assert (shown["tokens"], shown["outlineTokens"]) == (count(ORDERS), count(OUTLINE))
    shown = asked("show", "src/orders.py", "--outline", "--json").result
    assert (shown["content"], shown["tokens"], shown["outlineTokens"]) == (OUTLINE, count(ORDERS), count(OUTLINE))
    assert f"outlineTokens  {count(OUTLINE)}" in asked("show", "src/orders.py")[0]
    assert "outlineTokens" not in asked("show", "README.md")[0]
    assert "not code" in asked("show", "README.md", "--outline", status=2)[1]
