"""Symbols of code as sections on the command line: shown, picked, searched and kept in recipes by one name."""

from pathlib import Path

import pytest

from ctxtui.core.tokens.by_name import get_counter
from ctxtui.session.session import Session
from ctxtui.workspace.workspace import Workspace
from tests.conftest import Asked, Project

CANCEL = "    # Gives the money back.\n    def cancel(self, order):\n        return order.refund()\n\n"
CLASS = f"class Orders:\n    size = 3\n\n    def add(self, order):\n        self.size += 1\n\n{CANCEL}"
SHOP = "class Shop:\n    def open(self):\n        pass\n"
ORDERS = f'"""Orders."""\n\n{CLASS}{SHOP}'
GO = "package shop\n\n// Cancel refunds.\nfunc (o *Orders) Cancel() {\n}\n"
count = get_counter("o200k_base").count


@pytest.fixture(autouse=True)
def root(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = project({"src/orders.py": ORDERS, "orders.go": GO, "README.md": "# Shop\n"})
    monkeypatch.chdir(place)
    return place


def test_a_symbol_is_shown_by_its_name(asked: Asked) -> None:
    for name in ("src/orders.py#Orders.cancel", "orders.py#cancel", "orders.py#Orders/cancel"):
        assert asked("show", name).out == CANCEL, name
    assert "Orders.cancel" in asked("show", "src/orders.py#cancl", status=3).err


def test_titles_of_restructured_text_are_sections(root: Path, asked: Asked) -> None:
    install = "Install\r\n-------\r\n\r\nRun it::\r\n\r\n  Not one\r\n  =======\r\n\r\n"
    text = f"=====\r\nGuide\r\n=====\r\n\r\n{install}Use of :mod:`shop`\r\n------------------\r\n\r\nFrobnicate.\r\n"
    (root / "guide.rst").write_bytes(text.encode())
    assert asked("show", "guide.rst#Install", "--content").out == install
    assert "sections: Install" in asked("build", "--pick", "guide.rst#Install").out
    shown = asked("show", "guide.rst", "--json").result["sections"]
    assert [(each["slug"], each["level"]) for each in shown] == [("guide", 1), ("install", 2), ("use-of-shop", 2)]
    assert "guide.rst#use-of-shop" in asked("search", "--in", "text", "frobnicate").out
    assert "Guide / Use of shop" in asked("retrieve", "frobnicate").out


def test_the_symbols_of_a_file_add_up_to_it(asked: Asked) -> None:
    shown = asked("show", "src/orders.py", "--json").result
    assert [(each["slug"], each["level"], each["line"]) for each in shown["sections"]] == [
        *(("(preamble)", 0, 1), ("Orders", 1, 3), ("Orders.add", 2, 6)),
        *(("Orders.cancel", 2, 9), ("Shop", 1, 13), ("Shop.open", 2, 14)),
    ]
    outer = [each["tokens"] for each in shown["sections"] if each["level"] < 2]
    assert sum(outer) == shown["tokens"] == count(ORDERS)


def test_picked_symbols_are_exported_with_their_names_and_exact_tokens(asked: Asked) -> None:
    result = asked("build", "--pick", "src/orders.py#cancel", "--pick", "orders.go#Cancel", "--json").result
    text = result["text"]
    assert f"<!-- source: src/orders.py; sections: Orders.cancel -->\n```py\n{CANCEL}" in text
    assert ("class Orders" in text, "sections: Orders.Cancel -->" in text) == (False, True)
    assert result["tokens"] == count(text)


def test_a_recipe_keeps_a_symbol_wherever_it_goes(root: Path, asked: Asked) -> None:
    (root / "r.yaml").write_text("picks:\n- id: src/orders.py\n  sections: [Orders.cancel]\n")
    (root / "src/orders.py").write_text(ORDERS.replace("    size = 3\n", "    size = 3\n\n    def new(self): ...\n"))
    assert CANCEL in asked("build", "r.yaml").out


def test_hits_name_the_symbol(asked: Asked) -> None:
    found = asked("search", "refund", "--in", "text", "--json").result
    assert {hit["id"] for hit in found} == {"src/orders.py#Orders.cancel", "orders.go#Orders.Cancel"}
    found = asked("retrieve", "money back", "--json").result
    assert found[0]["source"].endswith("Orders / cancel")


def test_rows_of_the_tree_are_the_symbols(root: Path) -> None:
    workspace = Workspace.open(root)
    node = workspace.find("src/orders.py")
    assert node is not None
    rows = [(child.title, child.tokens) for child in node.children]
    assert rows[1:] == [("Orders", count(CLASS)), ("Shop", count(SHOP))]
    session: Session = workspace.session().pick("src/orders.py#Orders")
    assert session.state("src/orders.py#Orders.cancel") == "all"
    assert session.drop("src/orders.py#Orders.cancel").state("src/orders.py#Orders") == "part"
