"""Outlines of code: what they show in each language, and rules that hold for all real, broken and hostile files."""

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.text.code.languages import language_of
from ctxtui.core.text.code.outline import MARK, elided, gaps_outside, outline_gaps
from ctxtui.core.text.code.symbols import parse
from ctxtui.core.tokens.by_name import get_counter
from tests.cases import cases
from tests.conftest import REPOSITORY
from tests.core.code.test_code_parts import CHANGES, ENDINGS, SHOPS, changed, real_code, shop


def outline(ending: str, text: str) -> str | None:
    gaps = outline_gaps(f"a.{ending}", text)
    return None if gaps is None else elided(text, gaps)


def assert_beginnings_of_lines(shown: str, text: str) -> None:
    """Each line of an outline, as far as its mark, is a line of the file or its beginning, in order.

    The first line of a docstring or a comment is closed behind it.
    """
    lines = iter(text.split("\n"))
    # What the file itself has of marks says nothing.
    for line in shown.split("\n") if MARK not in text else ():
        kept = line.partition(MARK)[0].rstrip() if MARK in line else line
        if kept.strip():
            begun = re.sub(r" ?(\"\"\"|'''|[\"']|\*/)$", "", kept)
            assert any(each.startswith((kept, begun)) for each in lines), line


def assert_outline(ending: str, text: str) -> None:
    gaps = outline_gaps(f"a.{ending}", text)
    parsed = parse(language_of(f"a.{ending}"), text)  # type: ignore[arg-type]
    assert (gaps is None) == (not parsed.symbols)
    if gaps is None:
        return
    shown = elided(text, gaps)
    assert_beginnings_of_lines(shown, text)
    flat = " ".join(shown.split())
    for symbol in parsed.symbols:
        name = text[symbol.first : symbol.end]
        assert symbol.path[-1] in flat or symbol.path[-1] not in name, symbol
    counter = get_counter("o200k_base")
    assert counter.count(shown) <= counter.count(text)
    assert all(gap.start < gap.end for gap in gaps)
    assert all(one.end <= other.start for one, other in pairwise(gaps))


@cases("ending", ENDINGS)
def test_outlines_look_as_they_should(ending: str) -> None:
    assert outline(ending, shop(ending)) == (SHOPS / f"{ending}.outline").read_text("utf-8")


@pytest.mark.parametrize("ending", ENDINGS)
@given(changes=CHANGES)
def test_rules_hold_for_broken_code(ending: str, changes: list[tuple[float, int, str]]) -> None:
    assert_outline(ending, changed(ending, changes))


@pytest.mark.parametrize("ending", ENDINGS)
@given(cuts=st.lists(st.integers(0, 60), max_size=6))
def test_what_is_taken_is_shown_in_full(ending: str, cuts: list[int]) -> None:
    text = shop(ending)
    gaps = outline_gaps(f"a.{ending}", text) or ()
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    lines = sorted({starts[min(cut, len(starts) - 1)] for cut in cuts})
    taken = list(zip(lines[::2], lines[1::2], strict=False))
    mixed = gaps_outside(text, gaps, taken)
    shown = elided(text, mixed)
    for start, end in taken:
        assert not any(gap.start < end and start < gap.end for gap in mixed)
        assert text[start:end] in shown
    assert elided(text, gaps_outside(text, gaps, [(0, len(text))])) == text
    assert gaps_outside(text, gaps, []) == list(gaps)


def test_real_modules_obey_the_rules() -> None:
    for file in sorted((REPOSITORY / "ctxtui").rglob("*.py"))[::11]:
        assert_outline("py", file.read_text("utf-8"))


@cases(
    "text",
    [
        'def a():\n    """Says it.\n\n    At length.\n    """\n    return 1\n',
        'def a():\n    """\n    Says it.\n\n    At length.\n    """\n    return 1\n',
        "class A:\n    r'''Says \\\n    it.'''\n\n    def b(self):\n        'One\\\n    two'\n        x()\n        y()\n",
        'def a():\n    """Says "it"\n    in full."""\n    return 1\n',
        'def a():\r\n    """Says it.\r\n    """\r\n    return 1\r\n',
        '"""About.\n\nMore.\n"""\n\nx = {\n    1: 2,\n    3: 4,\n}\n\n\ndef a():\n    return 1\n',
    ],
)
def test_the_outline_of_a_docstring_is_closed(text: str) -> None:
    shown = outline("py", text)
    kept, whole = ast.parse(shown.replace(MARK, "...")), ast.parse(text)
    for one, other in zip(documented(kept), documented(whole), strict=True):
        first, full = ((ast.get_docstring(each) or "").split() for each in (one, other))
        assert first == full[: len(first)]
        assert bool(first) == bool(full)


def documented(tree: ast.Module) -> list[ast.Module | ast.ClassDef | ast.FunctionDef]:
    return [each for each in ast.walk(tree) if isinstance(each, ast.Module | ast.ClassDef | ast.FunctionDef)]


def test_outlines_of_the_standard_library_are_python() -> None:
    for file in sorted(Path(ast.__file__).parent.glob("*.py"))[::5]:
        text = file.read_text("utf-8")
        shown = outline("py", text)
        # What is defined only under a condition is shown without that.
        if shown is not None and not any(_defines(each) for each in ast.walk(ast.parse(text)) if _has_clauses(each)):
            ast.parse(shown.replace(MARK, "..."))


def _has_clauses(node: ast.AST) -> bool:
    return isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While)


def _defines(node: ast.AST) -> bool:
    return any(isinstance(each, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef) for each in ast.walk(node))


def test_real_code_obeys_the_rules(corpora: Path) -> None:
    for ending, text in real_code(corpora):
        assert_outline(ending, text)


CONSTANTS = "const (\n\tA = 1\n\tB = 2\n\tC = 3\n)\n"
CALLS = (
    "const a = z\n  .b()\n  .c(\n    (x) => {\n      return x + 1;\n    },\n    'long enough to be elided',\n  );\n"
)
COMMENTED = "/* Says it,\n * at length. */\nint f(void) {\n    g();\n    return h();\n}\n"


@pytest.mark.parametrize(
    ("ending", "text", "shown"),
    [
        ("go", f"package a\n\n{CONSTANTS}\nfunc F() {{\n\tg()\n\th()\n}}\n", CONSTANTS),
        *(("ts", CALLS, "  );\n"), ("c", COMMENTED, "/* Says it, */\nint f(void) { … }\n")),
    ],
)
def test_what_an_outline_opens_it_closes(ending: str, text: str, shown: str) -> None:
    assert shown in (outline(ending, text) or "")
