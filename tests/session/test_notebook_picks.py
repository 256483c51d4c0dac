"""Outputs of notebooks as picks: texts as a terminal shows them, exact to the token, named if nobody can read them."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui import ContextError, Session, Workspace
from ctxtui.core import get_counter
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.text.notebook import notebook_outputs, notebook_text
from ctxtui.session.queries.notebook_picks import outputs_words, with_outputs
from ctxtui.session.saved.recipe import load_recipe, save_recipe
from ctxtui.session.session import resolved
from tests.conftest import Project
from tests.core.test_notebooks import code, notebook, prose

KEY = "AKIAIOSFODNN7EXAMPLF"
PICTURE = b64encode(b"\x89PNG" * 3_000).decode()
PRINTED = {"output_type": "stream", "name": "stdout", "text": ["one\n", "10%\r50%\r100%\n", "\x1b[31mred\x1b[0m\n"]}
PLOT = {"output_type": "display_data", "data": {"image/png": PICTURE, "text/plain": ["<Figure>"]}}
TABLE = {"output_type": "execute_result", "data": {"text/html": "<table>", "text/plain": "a  b\n1  2"}}
FAILED = {"output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": ["\x1b[1mTrace\x1b[0m", "bad"]}
HUGE = {"output_type": "stream", "text": "word " * 20_000}
FILE = notebook(
    prose("# Orders"),
    code("run()", PRINTED, TABLE),
    code("plot()", PRINTED, PLOT, FAILED),
    code("quiet()"),
    code("flood()", HUGE),
    code("leak()", {"output_type": "stream", "text": f"key {KEY}\n"}),
)
TEXT = f"""<!-- outputs of cell 2 -->
```
one
100%
red
a  b
1  2
```

<!-- outputs of cell 3 -->
```
one
100%
red
<Figure>
```
(image/png, 12 kB, not shown)
```
Trace
bad
```

<!-- outputs of cell 5 -->
(text, 100 kB, not shown)

<!-- outputs of cell 6 -->
```
key {KEY}
```
"""


@pytest.fixture
def root(project: Project) -> Path:
    others = {"in/plain.ipynb": notebook(code("1 + 1", TABLE)), "in/quiet.ipynb": notebook(code("x"))}
    return project({"orders.ipynb": FILE, **others, "a.md": "# A\n"})


def said(root: Path, *words: str) -> Session:
    return resolved(outputs_words(Workspace.open(root).session(), words, lambda _: None))


def test_outputs_are_texts_and_pictures_are_named() -> None:
    assert notebook_outputs(FILE) == TEXT
    assert notebook_outputs(notebook(prose("# A"), code("x"))) == ""
    assert notebook_outputs("not JSON") == ""
    outputs = [
        {"output_type": "pyout", "text": ["four\n"], "png": PICTURE},
        {"output_type": "pyerr", "ename": "E", "evalue": "why", "traceback": []},
    ]
    older = {"cell_type": "code", "input": "x", "outputs": outputs}
    shown = "<!-- outputs of cell 1 -->\n```\nfour\n```\n(image/png, 12 kB, not shown)\n```\nE: why\n```\n"
    assert notebook_outputs(json.dumps({"nbformat": 3, "worksheets": [{"cells": [older]}]})) == shown


def test_the_payload_is_exact_and_without_secrets(root: Path) -> None:
    session = said(root, "orders.ipynb").pick("orders.ipynb")
    for form in FORMATS:
        for tokenizer in ("o200k_base", "cl100k_base"):
            payload = session.with_budget(tokenizer=tokenizer).payload(form)
            assert payload.tokens == get_counter(tokenizer).count(payload.text)
            assert payload.tokens == session.with_budget(tokenizer=tokenizer).layout(form).tokens
            assert [block.id for block in payload.blocks] == ["query:outputs: orders.ipynb", "orders.ipynb"]
            assert KEY not in payload.text
            assert "[redacted: aws-key]" in payload.text
            assert PICTURE[:40] not in payload.text
    small = session.with_budget(session.payload().tokens - 40).payload(over="cut")
    assert small.tokens == get_counter().count(small.text)


def test_what_is_picked_is_dropped_undone_saved_and_follows_the_file(root: Path) -> None:
    session = said(root, "orders.ipynb")
    dropped = session.drop("query:outputs: orders.ipynb")
    assert dropped.picks == ()
    assert dropped.with_selection(session.selection).payload().text == session.payload().text
    save_recipe(session, "r")
    recipe = root / ".ctxtui/recipes/r.yaml"
    assert "outputs: orders.ipynb" in recipe.read_text()
    assert "one" not in recipe.read_text()
    (root / "orders.ipynb").write_text(notebook(code("run()", {"output_type": "stream", "text": "new\n"})))
    fresh = Workspace.open(root)
    again = resolved(fresh.session().with_selection(load_recipe(fresh, "r").selection)).payload()
    assert "<!-- outputs of cell 1 -->\n```\nnew\n```" in again.text
    (root / "orders.ipynb").unlink()
    gone = Workspace.open(root)
    payload = resolved(gone.session().with_selection(load_recipe(gone, "r").selection)).payload()
    assert payload.missing == ("query:outputs: orders.ipynb",)
    assert "query-failed" in [notice.code for notice in payload.notices]


def test_words_choose_notebooks_with_outputs_and_a_recipe_names_one(root: Path) -> None:
    plain, orders = "query:outputs: in/plain.ipynb", "query:outputs: orders.ipynb"
    for words, ids in ((["**/*.ipynb"], [plain, orders]), (["in"], [plain]), (["**/*.ipynb", "!in/**"], [orders])):
        assert [pick.id for pick in said(root, *words).picks] == ids
    for word, problem in (
        ("a.md", "a.md is not a notebook"),
        ("in/quiet.ipynb", "in/quiet.ipynb has no outputs"),
        ("*.md", "finds no notebook with outputs"),
        ("nothing.ipynb", "nothing.ipynb"),
    ):
        with pytest.raises(ContextError, match=problem):
            said(root, word)
    session = Workspace.open(root).session()
    assert with_outputs(session, "orders.ipynb").picks == said(root, "orders.ipynb").picks
    for data, problem in (({"outputs": ["a"]}, "outputs"), ({"outputs": "a", "budget": 5}, "unknown key `budget`")):
        with pytest.raises(ContextError, match=problem):
            session.with_query("q", data)
    assert resolved(session.with_query("q", {"outputs": "a.md"})).payload().missing == ("query:q",)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
_OUTPUT = st.fixed_dictionaries(
    {},
    optional={
        "output_type": st.sampled_from(["stream", "error", "pyout", "pyerr", "display_data", 3]),
        "data": st.dictionaries(
            st.sampled_from(["text/plain", "text/html", "image/png", "image/svg+xml", "x"]), _JSON
        ),
        **dict.fromkeys(("text", "traceback", "ename", "png"), _JSON),
    },
)


@given(st.lists(_OUTPUT | _JSON, max_size=4))
def test_any_outputs_are_a_text_without_controls(outputs: list[Any]) -> None:
    text = notebook_outputs(json.dumps({"cells": [{"cell_type": "code", "source": "x", "outputs": outputs}]}))
    assert not text or text.startswith("<!-- outputs of cell 1 -->\n")
    assert not text or text.endswith("\n")
    assert not any(ord(char) < 32 and char not in "\n\t" for char in text)


@given(st.lists(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=40), max_size=6))
def test_printed_lines_are_kept_and_stay_in_their_fence(lines: list[str]) -> None:
    output = {"output_type": "stream", "text": [f"{line}\n" for line in lines]}
    text = notebook_outputs(notebook(code("x", output)))
    if any(line.strip() for line in lines):
        opening, *shown, closing, end = text.split("\n")[1:]
        assert (shown, end) == ("\n".join(lines).split("\n"), "")
        assert opening == closing
        assert opening.strip("`") == ""
        assert opening not in shown
    assert "outputs left out" in notebook_text(notebook(code("x", output)))
