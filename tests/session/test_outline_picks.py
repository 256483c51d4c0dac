"""Outlines among the picks: what is not taken is outlined, with exact counts, everywhere a selection goes."""

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.payload.formats import FORMATS
from ctxtui.session.picks import GlobPick, Pick
from ctxtui.session.saved.autosave import dump_saved, parse_saved
from ctxtui.session.saved.recipe_yaml import dump_recipe, parse_recipe
from ctxtui.session.session import Session
from ctxtui.workspace.workspace import Workspace
from tests.cases import cases
from tests.conftest import Project

ORDERS = '''"""Orders of the shop."""

import os
import sys


class Orders:
    """All orders."""

    limit = 3

    def cancel(self, order: str) -> bool:
        """Cancel an order."""
        os.stat(order)
        return sys.exit()

    def ship(self, order: str) -> None:
        """Ship an order."""
        os.stat(order)
        sys.exit()


def main() -> None:
    sys.exit(Orders().ship("a"))
'''
OUTLINE = '''"""Orders of the shop."""
…
class Orders:
    """All orders."""
    limit = 3
    def cancel(self, order: str) -> bool:
        """Cancel an order."""
        …
    def ship(self, order: str) -> None:
        """Ship an order."""
        …
def main() -> None:
    …
'''
CANCEL = ORDERS[ORDERS.index("    def cancel") : ORDERS.index("    def ship")]
MIX = OUTLINE.replace(OUTLINE[OUTLINE.index("    def cancel") : OUTLINE.index("    def ship")], CANCEL)


@pytest.fixture
def shop(project: Project) -> Session:
    files = {
        "src/orders.py": ORDERS,
        "src/shop.ts": "export function sell(id: string): void {\n  console.log(id);\n  console.log('sold');\n}\n",
        "src/flags.py": "DEBUG = False\nVERBOSE = True\n",
        "src/data.json": "{}\n",
        "README.md": "# Shop\n\nAll of it.\n",
    }
    return Workspace.open(project(files)).session()


def body(session: Session) -> str:
    """The text of the only block, without its wrapping."""
    payload = session.payload()
    assert payload.tokens == session.budget.counter.count(payload.text)
    return payload.text.partition("```py\n")[2].removesuffix("```\n")


def header(session: Session) -> str:
    return session.payload().text.partition("\n")[0]


def test_an_outline_is_a_pick_and_a_symbol_beside_it_is_whole(shop: Session) -> None:
    session = shop.outline("src/orders.py")
    assert session.picks == (Pick("src/orders.py", False, outline=True),)
    assert body(session) == OUTLINE
    assert header(session) == "<!-- source: src/orders.py; outline -->"
    assert session.state("src/orders.py") == "part"
    assert session.state("src/orders.py#Orders.cancel") == "part"
    session = shop.outline("src/orders.py").pick("src/orders.py#Orders.cancel")
    assert body(session) == MIX
    assert header(session) == "<!-- source: src/orders.py; sections: Orders.cancel; outline of the rest -->"
    assert session.state("src/orders.py#Orders.cancel") == "all"
    assert session.state("src/orders.py#Orders.ship") == "part"
    assert session.state("src/orders.py#Orders") == "part"
    assert body(shop.pick("src/orders.py#Orders.cancel").outline("src/orders.py")) == MIX
    # Without its last symbol the outline is left, without its row nothing.
    assert session.drop("src/orders.py#Orders.cancel").picks == shop.outline("src/orders.py").picks
    assert session.drop("src/orders.py").picks == ()


def test_a_whole_file_has_no_outline_and_pins_and_undo_keep_it(shop: Session) -> None:
    outlined = shop.outline("src/orders.py")
    every = [part.slug for part in shop.workspace.document(shop.workspace.require("src/orders.py")).parts]
    for session in (
        outlined.pick("src/orders.py", every),
        outlined.pick("src/orders.py"),
        outlined.outline("src/orders.py", False),
    ):
        assert session.picks == (Pick("src/orders.py"),)
        assert body(session) == ORDERS
    assert Pick("a", True, (), outline=True) == Pick("a")
    left = shop.pick("src/orders.py").drop("src/orders.py", ["main"])
    dropped = Pick("src/orders.py", True, left.picks[0].marks, outline=True)  # type: ignore[union-attr]
    assert body(shop.with_selection(shop.selection.with_pick(dropped))).endswith("def main() -> None:\n    …\n")
    session = shop.outline("src/orders.py").pin("src/orders.py")
    assert session.picks == (Pick("src/orders.py", False, pinned=True, outline=True),)
    assert session.pin("src/orders.py", False).picks == shop.outline("src/orders.py").picks
    assert session.on(Workspace.open(shop.workspace.root)).picks == session.picks


def test_what_is_code_with_symbols_is_outlined_and_the_rest_says_why_not(shop: Session) -> None:
    session = shop.outline("src/")
    assert {pick.id for pick in session.picks} == {"src/orders.py", "src/shop.ts"}
    assert "sell(id: string): void { … }" in session.payload().text
    session = session.pick("src/flags.py").outline("src/", False)
    wanted = dict.fromkeys(("src/orders.py", "src/shop.ts", "src/flags.py"), False)
    assert {pick.id: pick.outline for pick in session.picks if isinstance(pick, Pick)} == wanted
    reasons = {"README.md": "not code"} | dict.fromkeys(("src/flags.py", "src/data.json"), "no class or function")
    for id_, reason in reasons.items():
        with pytest.raises(ContextError) as caught:
            shop.outline(id_)
        assert reason in f"{caught.value.message} {caught.value.hint}"
    with pytest.raises(NotFound):
        shop.outline("src/none.py")


def test_secrets_in_an_outline_are_treated_as_elsewhere(project: Project) -> None:
    token = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    text = f'TOKEN = "{token}"\n\ndef a():\n    return "{token}" * 3 + str(sum(range(30)))\n'
    session = Workspace.open(project({"a.py": text})).session().outline("a.py")
    for secrets, shown, hidden in (("redact", "[redacted", "ghp_"), ("keep", "ghp_", "[redacted")):
        payload = session.with_output(secrets=secrets).payload()  # type: ignore[arg-type]
        assert (shown in payload.text, hidden in payload.text) == (True, False), secrets
        assert payload.tokens == session.budget.counter.count(payload.text)
        assert [notice.line for notice in payload.notices] == [1]
        assert payload.secrets == 1
    with pytest.raises(ContextError, match=r"a\.py:1"):
        session.with_output(secrets="fail").payload()


def test_recipes_keep_outlines(shop: Session) -> None:
    session = shop.outline("src/orders.py").pick("src/orders.py#Orders.cancel").outline("src/shop.ts")
    session = session.with_selection(session.selection.with_pick(GlobPick.of("lib/**", outline=True)))
    saved = dump_recipe(session)
    assert saved.count("as: outline") == 3
    assert parse_recipe(saved, "a.yaml").selection.picks == session.selection.written.picks
    written = "picks:\n- id: src/orders.py\n  as: outline\n  sections: [Orders.cancel]\n"
    assert body(shop.with_selection(parse_recipe(written, "a.yaml").selection)) == MIX
    rest = "picks:\n- id: src/orders.py\n  sections: ['*']\n  without: [Orders.ship, main]\n  as: outline\n"
    session = shop.with_selection(parse_recipe(rest, "a.yaml").selection)
    assert CANCEL in body(session)
    assert parse_recipe(dump_recipe(session), "b.yaml").selection.picks == session.picks
    kept = parse_saved(dump_saved(session, None), "last.yaml").recipe.selection
    assert kept.picks == session.selection.written.picks
    with pytest.raises(ContextError, match=r"a\.yaml:3"):
        parse_recipe("picks:\n- id: a.py\n  as: outlines\n", "a.yaml")


@cases("id_", ["src/orders.py#(outline)", "src/orders.py#Orders"])
def test_a_recipe_takes_an_outline_or_a_symbol_by_its_id(shop: Session, id_: str) -> None:
    payload = shop.with_selection(parse_recipe(f"picks:\n- {id_}\n", "a.yaml").selection).payload()
    assert (payload.text, payload.missing) == (shop.pick(id_).payload().text, ())
    named = parse_recipe(f"picks:\n- id: {id_}\n  sections: [main]\n", "a.yaml")
    assert shop.with_selection(named.selection).payload().missing == (id_,)


def test_what_has_no_outline_is_left_out_of_a_pattern_and_told(shop: Session) -> None:
    session = shop.with_selection(parse_recipe("picks:\n- glob: 'src/**'\n  as: outline\n", "a.yaml").selection)
    names = ["src/flags.py", "src/orders.py", "src/shop.ts"]
    assert [(pick.id, pick.outline) for pick in session.picks if isinstance(pick, Pick)] == [(n, True) for n in names]
    payload = session.payload()
    assert OUTLINE in payload.text
    assert "DEBUG" not in payload.text
    assert {notice.path for notice in payload.notices} <= {None}
    told = " ".join(notice.message for notice in payload.notices)
    assert "src/flags.py" in told
    assert "src/data.json" in told
    # So is a file that lost its symbols.
    session = shop.outline("src/orders.py").outline("src/shop.ts")
    (Path(shop.workspace.root) / "src/orders.py").write_text("print('nothing')\n")
    payload = session.on(Workspace.open(shop.workspace.root)).payload()
    assert "nothing" not in payload.text
    assert [(notice.code, notice.path) for notice in payload.notices] == [("no-outline", "src/orders.py")]
    (Path(shop.workspace.root) / "src/shop.ts").write_text("let a = 1;\n")
    payload = session.on(Workspace.open(shop.workspace.root)).payload()
    (notice,) = payload.notices
    assert notice.message == "2 files without an outline left out: src/orders.py, src/shop.ts"


@given(st.lists(st.tuples(st.sampled_from(["pick", "drop"]), st.integers(0, 5)), max_size=6), st.integers(0, 400))
def test_counts_are_exact_whatever_is_picked(outlined: Session, changes: list[tuple[str, int]], budget: int) -> None:
    document = outlined.workspace.document(outlined.workspace.require("src/orders.py"))
    session = outlined
    for change, place in changes:
        id_ = f"src/orders.py#{document.parts[place % len(document.parts)].slug}"
        session = session.pick(id_) if change == "pick" else session.drop(id_)
    assert len(session.picks) == 2
    for name, limit in product(FORMATS, (None, budget)):
        payload = session.with_budget(limit).payload(format=name, over="cut")
        assert payload.tokens == session.budget.counter.count(payload.text)
        assert session.with_budget(limit).layout(format=name, over="cut").tokens == payload.tokens
        assert not limit or payload.tokens <= limit or payload.notices


@pytest.fixture(scope="module")
def outlined(tmp_path_factory: pytest.TempPathFactory) -> Session:
    root = tmp_path_factory.mktemp("outlined")
    (root / "src").mkdir()
    (root / "src/orders.py").write_text(ORDERS)
    (root / "b.py").write_text(ORDERS.replace("Orders", "Others"))
    return Workspace.open(root).session().pick("b.py").outline("src/orders.py")


def test_the_budget_takes_bodies_before_signatures(shop: Session) -> None:
    wanted = shop.pick("src/orders.py").payload().tokens
    payload = shop.pick("src/orders.py").with_budget(wanted - 10).payload(over="cut")
    assert payload.tokens <= wanted - 10
    assert "def ship(self, order: str) -> None:" in payload.text
    assert "def main() -> None:" in payload.text
    assert "[truncated]" in payload.text


def test_the_row_of_an_outline_is_marked_and_toggled_like_any_other(shop: Session) -> None:
    row = "src/orders.py#(outline)"
    picked = shop.toggle(row)
    assert [each.state(row) for each in (shop, picked, picked.toggle(row))] == ["none", "all", "none"]
    assert not picked.toggle(row).picks
    beside = picked.pick("src/orders.py#Orders.cancel")
    assert beside.state(row) == "all"
    assert beside.toggle(row).selection == shop.pick("src/orders.py#Orders.cancel").selection
    # A whole file has no outline: the row offers it instead.
    whole = shop.pick("src/orders.py")
    assert whole.state(row) == "none"
    assert whole.toggle(row).selection == picked.selection
