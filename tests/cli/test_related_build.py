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


def blocks(text: str) -> list[str]:
    return [block["id"] for block in json.loads(text)["result"]["blocks"]]


def tokens(*paths: str) -> int:
    return sum(get_counter("o200k_base").count(FILES[path]) for path in paths)


def test_related_files_are_listed_with_kind_and_tokens(asked: Asked) -> None:
    out, err = asked("show", "orders.py", "--related")
    size = {path: tokens(path) for path in FILES}
    assert out.splitlines() == [
        f"imports\tshop/money.py\t{size['shop/money.py']}",
        f"imported by\tshop/web.py\t{size['shop/web.py']}",
        f"test\ttests/test_orders.py\t{size['tests/test_orders.py']}",
        f"document\tguide.md\t{size['guide.md']}",
    ]
    total = tokens("shop/money.py", "shop/web.py", "tests/test_orders.py", "guide.md")
    assert f"4 related files, {total} tokens" in err
    shown = asked("show", "shop/orders.py", "guide.md", "--related", "--json").result
    assert [row["kind"] for row in shown[0]["related"]] == ["imports", "imported by", "test", "document"]
    assert shown[0]["related"][2] == {
        "id": "tests/test_orders.py",
        "kind": "test",
        "path": "tests/test_orders.py",
        "tokens": tokens("tests/test_orders.py"),
        "named": True,
    }
    assert shown[1]["related"] == []


def test_a_step_adds_picks_after_the_others_each_once(asked: Asked) -> None:
    out, err = asked("build", "--pick", "shop/web.py", "--pick", "shop/orders.py", "--related", "1", "--json")
    related = ("tests/test_orders.py", "shop/money.py", "guide.md")
    assert blocks(out) == ["shop/web.py", "shop/orders.py", *related]
    assert f"3 related files added, {tokens(*related)} tokens\n" in err
    assert err.count("related file") == 1


def test_more_steps_go_further_and_too_many_of_a_kind_are_left_out(asked: Asked) -> None:
    assert "shop/cents.py" not in blocks(asked("build", "--pick", "shop/orders.py", "--related", "1", "--json").out)
    out, err = asked("build", "--pick", "shop/orders.py", "--related", "3", "--json")
    assert "shop/cents.py" in blocks(out)
    assert not any(id_.startswith("use/") for id_ in blocks(out))
    assert "left out, as over 10 of a kind: 11 that import it" in err
    payload = json.loads(out)["result"]
    assert payload["tokens"] == get_counter("o200k_base").count(payload["text"])


def test_the_related_are_the_first_to_go_under_a_budget(asked: Asked) -> None:
    words = ("build", "--pick", "shop/orders.py", "--related", "1", "--budget", "60", "--over", "fit", "--json")
    kept = [block["id"] for block in asked(*words).result["blocks"] if block["state"] != "dropped"]
    assert kept[0] == "shop/orders.py"
    assert len(kept) < 5


@cases(
    ("words", "told"),
    [
        (("build", "--related", "1"), "nothing is picked that files could be related to"),
        (("build", "--pick", "shop/orders.py", "--related", "0"), "1 to 3 steps"),
        (("build", "--pick", "shop/orders.py", "--related", "4"), "1 to 3 steps"),
        (("show", "shop/orders.py", "--related", "--content"), "leave out --content"),
        (("show", "use/", "--related"), "is a folder"),
    ],
)
def test_wrong_usage_is_told(asked: Asked, words: tuple[str, ...], told: str) -> None:
    assert told in asked(*words, status=2)[1]


def test_without_a_grammar_it_says_so_once(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "find_spec", lambda _name: None)
    languages.is_there.cache_clear()
    try:
        out, err = asked("show", "shop/orders.py", "shop/money.py", "--related")
        assert [line.split("\t")[0] for line in out.splitlines()] == ["test", "document"]
        assert err.count("a grammar cannot be loaded") == 1
        _, err = asked("build", "--pick", "shop", "--related", "2")
        assert err.count("a grammar cannot be loaded") == 1
    finally:
        languages.is_there.cache_clear()


def test_over_a_budget_related_files_come_as_outlines(asked: Asked, root: Path) -> None:
    (root / "shop/money.py").write_text(
        "def pay(cents: int) -> int:\n" + "    cents += 1\n" * 300 + "    return cents\n"
    )
    out, err = asked("build", "--pick", "shop/orders.py", "--related", "1", "--budget", "400", "--over", "cut")
    assert "picked as outlines to fit the budget" in err
    assert "from shop import money" in out
    assert "def pay(cents: int) -> int" in out
    assert "cents += 1" not in out
    assert "see shop/orders.py" in out
    words = ("build", "--pick", "shop/orders.py", "--related", "1", "--model", "claude-opus-5")
    estimate = json.loads(asked(*words, "--json").out)["result"]["tokens"]
    # The limit is compared with the upper end of the band.
    _, err = asked(*words, "--budget", str(estimate + 1))
    assert "picked as outlines to fit the budget" in err
