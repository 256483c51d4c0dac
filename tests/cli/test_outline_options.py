"""Outlines on the command line: what `--outline` makes of each kind of pick, and the numbers beside the whole."""

from pathlib import Path

import pytest

from ctxtui.cli.status import DONE, NOT_FOUND, WRONG_USAGE
from ctxtui.core.tokens.by_name import get_counter
from tests.cases import cases
from tests.cli.conftest import recipe
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


def test_outlines_stand_beside_other_picks(asked: Asked, root: Path) -> None:
    # An id and a taken away pattern work as those of pick.
    assert sources(asked("build", "--outline", "src/orders.py").out) == ["src/orders.py; outline"]
    out = asked("build", "--outline", "src", "--outline", "!*.ts", "--outline", "!**/shop*").out
    assert sources(out) == ["src/orders.py; outline"]
    # Files picked by name stay whole, and sections stay beside the outline.
    out, err = asked("build", "--pick", "orders.py#cancel", "--pick", "src/shop.ts", "--outline", "src/*.*")
    assert sources(out) == ["src/orders.py; sections: Orders.cancel; outline of the rest", "src/shop.ts"]
    for told, text in ((MIX, out), (SHOP, out), ("flags.py", err)):
        assert told in text
    # What a pattern picks becomes an outline if it has one.
    out, err = asked("build", "--pick", "src/**", "--outline", "src/**")
    assert sources(out) == ["src/flags.py", "src/orders.py; outline", "src/shop.ts; outline"]
    assert "outline" not in err
    recipe(root, "review", "picks:\n- src/shop.ts\n- glob: 'src/*.py'\n- id: README.md\n")
    out = asked("build", "review", "--outline", "src/**").out
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
    count, file = get_counter("o200k_base").count, "src/orders.py"

    def shown(*words: str) -> str:
        return asked("show", *words).out

    assert shown(file, "--outline") == shown(f"{file}#(outline)") == OUTLINE
    assert shown(file, "--outline", "--section", "cancel") == MIX
    outer = (file, "--outline", "--section", "Orders")
    assert shown(*outer, "--section", "cancel") == shown(*outer)
    first, second = ORDERS.splitlines(keepends=True)[:2]
    assert shown(f"{file}#L1-L2", "--content") == first + second
    assert shown(f"{file}#L1-L1", "--section", "main").startswith(first)
    for options, content in (((), ORDERS), (("--outline",), OUTLINE)):
        row = asked("show", file, *options, "--json").result
        assert (row["tokens"], row["outlineTokens"]) == (count(ORDERS), count(OUTLINE)), options
        assert not options or row["content"] == content
    assert f"outlineTokens  {count(OUTLINE)}" in shown(file)
    assert "outlineTokens" not in shown("README.md")
    assert "not code" in asked("show", "README.md", "--outline", status=2).err
