"""Notebooks: the text of their cells is what is counted, shown, searched and exported."""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui import Workspace
from ctxtui.core import get_counter
from ctxtui.core.disk.content import Stamp
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.text.decode import decode
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.notebook import is_damaged, notebook_text
from ctxtui.workspace.counting import count_all
from ctxtui.workspace.search import Searcher
from tests.cases import cases
from tests.conftest import Project


def notebook(*cells: dict[str, Any], language: str = "python") -> str:
    metadata = {"kernelspec": {"name": "k", "language": language}, "language_info": {"name": language}}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": list(cells)}, indent=1)


def code(source: str | list[str], *outputs: Any) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs), "execution_count": 1, "metadata": {}}


def prose(source: str | list[str]) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": source, "metadata": {}}


PLOT = {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo" * 50, "text/plain": "zebra plot"}}
FILE = notebook(
    prose(["# Orders\n", "\n", "What sold."]),
    code("import pandas as pd"),
    prose("## Load\n"),
    prose("More words."),
    code(["df = pd.read_csv('o.csv')\n", "df.plot()"], PLOT),
    code("  \n"),
    prose("## Result\n"),
    code("print('```')\n"),
)
TEXT = """<!-- cell 1 -->
# Orders

What sold.

<!-- cell 2 -->
```python
import pandas as pd
```

<!-- cell 3 -->
## Load

<!-- cell 4 -->
More words.

<!-- cell 5, outputs left out -->
```python
df = pd.read_csv('o.csv')
df.plot()
```

<!-- cell 7 -->
## Result

<!-- cell 8 -->
```python
print('```')
```
"""
SECTIONS = [("orders", 1), ("cell-2", 2), ("load", 2), ("cell-4", 3), ("cell-5", 3), ("result", 2), ("cell-8", 3)]


@pytest.fixture
def root(project: Project) -> Path:
    return project({"a.ipynb": FILE, "copy.json": FILE, "b.md": "# B\n"})


def test_a_notebook_is_the_text_of_its_cells(root: Path) -> None:
    workspace = Workspace.open(root)
    document = workspace.document(workspace.by_id["a.ipynb"])
    assert document.text == TEXT
    assert [(part.slug, part.level) for part in document.parts] == SECTIONS
    assert "".join(document.own_text(part) for part in document.parts) == TEXT
    assert document.parts[2].line == TEXT[: TEXT.index("<!-- cell 3")].count("\n")
    node = workspace.find("a.ipynb")
    assert [each.id for each in node.children] == ["a.ipynb#orders"]
    assert sum(each.tokens for each in node.children) == node.tokens == get_counter().count(TEXT)


@cases("tokenizer", ["o200k_base", "cl100k_base"])
@cases("form", FORMATS)
def test_cells_are_picked_exactly(root: Path, tokenizer: str, form: str) -> None:
    session = Workspace.open(root).session(tokenizer=tokenizer).pick("a.ipynb#load").pick("a.ipynb#cell-8")
    payload = session.payload(form)
    assert payload.tokens == get_counter(tokenizer).count(payload.text)
    assert "df.plot()" in payload.text
    assert "import pandas" not in payload.text
    whole = session.pick("a.ipynb").payload("markdown")
    assert whole.text == f"<!-- source: a.ipynb -->\n{TEXT}"


def test_the_same_bytes_under_another_name_are_counted_as_that_file(root: Path) -> None:
    for _ in range(2):
        workspace, counter = Workspace.open(root), get_counter()
        assert count_all(workspace, counter) == []
        sizes = {each.id: workspace.tokens(each, counter) for each in workspace.references}
        assert (sizes["a.ipynb"], sizes["copy.json"]) == (counter.count(TEXT), counter.count(FILE))


def test_a_search_finds_cells_and_never_outputs(root: Path) -> None:
    search = Searcher(Workspace.open(root))
    assert [hit.id for hit in search.text("read_csv") if hit.id.startswith("a")] == ["a.ipynb#cell-5"]
    assert [hit.reference.id for hit in search.text("zebra")] == ["copy.json"]


@cases(
    "raw",
    ["", "{", "[]", "null", '{"cells": 7}', '{"worksheets": [7]}', "[" * 100_000, FILE[:-40], '{"a": "```\\n````"}'],
)
def test_a_damaged_notebook_is_shown_as_it_is_with_a_notice(project: Project, raw: str) -> None:
    workspace = Workspace.open(project({"a.ipynb": raw}))
    document = workspace.document(workspace.by_id["a.ipynb"])
    assert raw in document.text
    assert document.text.startswith("```json\n")
    assert [notice.code for notice in document.notices] == ["damaged-notebook"]
    payload = workspace.session().pick("a.ipynb").payload()
    assert payload.tokens == get_counter().count(payload.text)


def test_older_notebooks_and_odd_cells_are_read() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Old"]},
        {"cell_type": "code", "input": "x = 1", "outputs": []},
        {"cell_type": "raw", "source": "---"},
        {"cell_type": "heading", "level": [], "source": "Odd"},
        *(7, {"cell_type": [], "source": [1, None, "kept"]}),
    ]
    older = {"metadata": {"language_info": {"name": "] bad name"}}, "worksheets": [{"cells": cells}]}
    text = notebook_text(json.dumps(older).replace('"level": 2', f'"level": 2, "n": {"9" * 5_000}, "m": NaN'))
    assert not is_damaged(text)
    lines = [line for line in text.splitlines() if line and not line.startswith("<!--")]
    assert lines == ["## Old", "```python", "x = 1", "```", "```", "---", "```", "# Odd", "```", "kept", "```"]


def test_no_fence_in_code_ends_that_of_the_cell() -> None:
    text = notebook_text(notebook(code("x\r```\r# No heading"), prose("# Heading")))
    assert [part.name for part in Document("a.ipynb", text, Stamp(0, 0, 0)).parts] == ["cell 1", "Heading"]


@cases(
    ("left_open", "end"),
    [
        ("# A\n```python\nx", "```"),
        ("# A\n\n ~~~~\n```\n", "~~~~"),
        ("# A\n```\n```\n`````md\n```", "`````"),
        ("# A\n<!-- b\n```", "-->"),
        ("# A\n<SCRIPT>\n\nb", "</script>"),
        ("# A\n<? b", "?>"),
        ("# A\n```\nhalf \ud83d", "```"),
        *((f"# A\n{ended}", "") for ended in ("- b\n  ```\n  c", "> ```", "```\n```", "<pre>\n\n</pre>", "    ```")),
        *((f"# A\n```\nb\n```{behind}", "") for behind in ("\t", " \t")),
    ],
)
def test_what_a_cell_leaves_open_ends_with_it(left_open: str, end: str) -> None:
    text = notebook_text(notebook(prose(left_open), prose("# B\n"), code("b()")))
    assert text.startswith(
        "\n".join(filter(None, (f"<!-- cell 1 -->\n{left_open.rstrip(chr(10))}", end, "\n<!-- cell 2 -->")))
    )
    assert [part.name for part in Document("a.ipynb", text, Stamp(0, 0, 0)).parts] == ["A", "B", "cell 3"]


def test_a_cell_of_many_fences_is_closed_in_time() -> None:
    cell = prose("<!-- \n" + "\n\n".join("a" + "`" * length for length in range(3, 1_200)))
    start = time.process_time()
    assert "-->" in notebook_text(notebook(cell))
    assert time.process_time() - start < 1


_SIGNS = ("a", "# b\n", "\n", "\n\n", "\r", "\t", " ", "- ", "> ", "1. ", "```", "~~~~", "`", "|-|", "===", "[a]:")
_HTML = (
    "<!--",
    "-->",
    "<!-",
    "<!A",
    "<?",
    "?>",
    ">",
    "<pre>",
    "</pre>",
    "<script",
    "<style>",
    "<![CDATA[",
    "<b>",
    "<div",
)


@given(st.lists(st.lists(st.sampled_from(_SIGNS + _HTML), max_size=8).map("".join).map(prose), max_size=4))
def test_no_cell_is_within_another(cells: list[Any]) -> None:
    text = notebook_text(notebook(*cells))
    document = Document("a.ipynb", text, Stamp(0, 0, 0))
    begins = {document.scan.lines.start(first) for first, _ in document.scan.comments}
    assert begins.issuperset(match.start() for match in re.finditer(r"^<!-- cell \d+ -->$", text, re.MULTILINE))


_SOURCES = st.text("ab \n#`~<!->cell1/é", max_size=40)
CELLS = st.lists(_SOURCES.map(code) | _SOURCES.map(prose), max_size=6)


@given(CELLS, st.sampled_from(["o200k_base", "cl100k_base"]))
def test_parts_of_any_notebook_are_its_text_and_add_up(project: Project, cells: list[Any], tokenizer: str) -> None:
    raw = notebook(*cells)
    workspace, counter = Workspace.open(project({"a.ipynb": raw})), get_counter(tokenizer)
    document = workspace.document(workspace.by_id["a.ipynb"])
    assert document.text == decode(raw.encode(), "a.ipynb")[0]
    assert all("".join(cell["source"]) in document.text for cell in cells if cell["source"].strip())
    assert "".join(document.own_text(part) for part in document.parts) == document.text
    assert sum(workspace.reader.part_tokens(document, counter)) == counter.count(document.text)
