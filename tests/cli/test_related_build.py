"""Related files on the command line: listed with their tokens, added as picks after the others, told in one note."""

import json
from pathlib import Path

import pytest

from ctxtui.core.text.code import languages
from ctxtui.core.tokens.by_name import get_counter
from tests.cases import cases
from tests.conftest import Asked, Project

FILES = {
    "shop/__init__.py": "",
    "shop/orders.py": "from shop import money\n",
    "shop/money.py": "from shop import cents\n",
    "shop/cents.py": "CENT = 1\n",
    "shop/web.py": "from shop import orders\n",
    "tests/test_orders.py": "from shop.orders import x\n",
    "guide.md": "---\ntitle: Guide\n---\n# Guide\n\nsee shop/orders.py\n",
} | {f"use/u{number:02}.py": "import shop.cents\n" for number in range(11)}


@pytest.fixture(autouse=True)
def root(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = project(FILES)
    monkeypatch.chdir(place)
    return place


ORDERS = ("build", "--pick", "shop/orders.py", "--related")


def blocks(text: str) -> list[str]:
    return [block["id"] for block in json.loads(text)["result"]["blocks"]]


def tokens(*paths: str) -> int:
    return sum(get_counter("o200k_base").count(FILES[path]) for path in paths)


def test_related_files_are_listed_with_kind_and_tokens(asked: Asked) -> None:
    out, err = asked("show", "orders.py", "--related")
    kinds = {
        "shop/money.py": "imports",
        "shop/web.py": "imported by",
        "tests/test_orders.py": "test",
        "guide.md": "document",
    }
    assert out.splitlines() == [f"{kind}\t{path}\t{tokens(path)}" for path, kind in kinds.items()]
    assert f"4 related files, {tokens(*kinds)} tokens" in err
    shown = asked("show", "shop/orders.py", "guide.md", "--related", "--json").result
    assert [row["kind"] for row in shown[0]["related"]] == list(kinds.values())
    test = {"id": "tests/test_orders.py", "kind": "test", "path": "tests/test_orders.py", "named": True}
    assert shown[0]["related"][2] == {**test, "tokens": tokens("tests/test_orders.py")}
    assert shown[1]["related"] == []


def test_a_step_adds_picks_after_the_others_each_once(asked: Asked) -> None:
    out, err = asked("build", "--pick", "shop/web.py", "--pick", "shop/orders.py", "--related", "1", "--json")
    related = ("tests/test_orders.py", "shop/money.py", "guide.md")
    assert blocks(out) == ["shop/web.py", "shop/orders.py", *related]
    assert f"3 related files added, {tokens(*related)} tokens\n" in err
    assert err.count("related file") == 1


def test_more_steps_go_further_and_too_many_of_a_kind_are_left_out(asked: Asked) -> None:
    assert "shop/cents.py" not in blocks(asked(*ORDERS, "1", "--json").out)
    out, err = asked(*ORDERS, "3", "--json")
    assert "shop/cents.py" in blocks(out)
    assert not any(id_.startswith("use/") for id_ in blocks(out))
    assert "left out, as over 10 of a kind: 11 that import it" in err
    payload = json.loads(out)["result"]
    assert payload["tokens"] == get_counter("o200k_base").count(payload["text"])
    # The related are the first to go under a budget.
    fit = asked(*ORDERS, "1", "--budget", "60", "--over", "fit", "--json").result["blocks"]
    kept = [block["id"] for block in fit if block["state"] != "dropped"]
    assert (kept[0], len(kept) < 5) == ("shop/orders.py", True)


@cases(
    ("words", "told"),
    [
        (("build", "--related", "1"), "nothing is picked that files could be related to"),
        ((*ORDERS, "0"), "1 to 3 steps"),
        ((*ORDERS, "4"), "1 to 3 steps"),
        (("show", "shop/orders.py", "--related", "--content"), "leave out --content"),
        (("show", "use/", "--related"), "is a folder"),
    ],
)
def test_wrong_usage_is_told(asked: Asked, words: tuple[str, ...], told: str) -> None:
    assert told in asked(*words, status=2)[1]


def test_without_a_grammar_it_says_so_once(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "find_spec", lambda _name: None)
    languages.has_packages.cache_clear()
    try:
        out, err = asked("show", "shop/orders.py", "shop/money.py", "--related")
        assert [line.split("\t")[0] for line in out.splitlines()] == ["test", "document"]
        assert err.count("a grammar cannot be loaded") == 1
        _, err = asked("build", "--pick", "shop", "--related", "2")
        assert err.count("a grammar cannot be loaded") == 1
    finally:
        languages.has_packages.cache_clear()


def test_over_a_budget_related_files_come_as_outlines(asked: Asked, root: Path) -> None:
    body = "    cents += 1\n" * 300
    (root / "shop/money.py").write_text(f"def pay(cents: int) -> int:\n{body}    return cents\n")
    out, err = asked(*ORDERS, "1", "--budget", "400", "--over", "cut")
    assert "picked as outlines to fit the budget" in err
    for told in ("from shop import money", "def pay(cents: int) -> int", "see shop/orders.py"):
        assert told in out
    assert "cents += 1" not in out
    words = (*ORDERS, "1", "--model", "claude-opus-5")
    estimate = asked(*words, "--json").result["tokens"]
    # The limit is compared with the upper end of the band.
    assert "picked as outlines to fit the budget" in asked(*words, "--budget", str(estimate + 1)).err
