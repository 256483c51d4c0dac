from random import Random

import pytest

from ctxtui.core.disk.content import Stamp
from ctxtui.core.text.markdown.document import PREAMBLE, Document
from ctxtui.core.text.markdown.rst import title_name
from tests.cases import cases

# Lines that decide between titles and what only looks like them.
LINES = (
    [""] * 3
    + "==== ==== ---- ---- ~~~~ === == ^^ :::: .... = - ''' ===== :: .. Title Foo 日本 日本語 e\u0301\u0301\u0301".split()
    + ["Long title here", "===================", "- item", "* ", "1. One", "2. Two", "(a) x", "#. auto", "A."]
    + ["  indented", "   ", "\ttab", "a\tb", "text::", "> quote", "> more", "`role`_", "*emphasis*", "| line"]
    + [".. note::", ".. _t: http://x", "__ http://y", ":field: v", "-a  option", "--help", "--help  text", ">>> x"]
    + ["====  ====", "a     b", "+---+---+", "| a | b |", "+---+"]
)


def _document(text: str) -> Document:
    return Document("a.rst", text, Stamp(1, 1, 1))


def _headings(text: str) -> list[tuple[int, str]]:
    return [(part.level, part.name) for part in _document(text).parts if part.level]


@cases(
    ("text", "found"),
    [
        ("=====\nGuide\n=====\n\nA\n-\n\nB\n~~~\n\nC\n-\n", [(1, "Guide"), (2, "A"), (3, "B"), (2, "C")]),
        ("A\r\n===\r\n\r\nB\r\n---\r\n", [(1, "A"), (2, "B")]),
        ("==\n A\n==\nB\n==\n", [(1, "A"), (2, "B")]),
        *(("日本\n====\n", [(1, "日本")]), ("日本\n===\n", [])),
        ("Longer than it\n====\n", [(1, "Longer than it")]),
        ("A\n=\n\nB\n-\n\nC\n=\n\nskips\n~~~~~\n", [(1, "A"), (2, "B"), (1, "C")]),
        ("1. First\n========\n", [(1, "1. First")]),
        (":mod:`a.b` and ``x_y`` by `me <https://a.example>`_\n=====\n", [(1, "a.b and x_y by me")]),
        *(("text::\n\n  A\n  =\n\n> B\n> =\n", []), ("text::\n\n====\nA\n====\n", [(1, "A")])),
        (".. note::\n\n   A\n   =\n", []),
        *(("- A\n  =\n", []), ("two\nlines\n=====\n", [])),
        ("=== ===\na   b\n=== ===\nc   d\n=== ===\n", []),
        ("+---+\n| a |\n+===+\n| b |\n+---+\n", []),
        *(("text\n\n----\n\ntext\n", []), (">>> x\nA\n==\n", []), ("", [])),
    ],
)
def test_titles_are_sections(text: str, found: list[tuple[int, str]]) -> None:
    assert _headings(text) == found


def _any(random: Random) -> str:
    lines = (random.choice(LINES) for _ in range(random.randint(0, 16)))
    return random.choice(("\n", "\n", "\r\n")).join(lines) + random.choice(("", "\n"))


@cases("seed", range(8))
def test_sections_join_to_the_text(seed: int) -> None:
    random = Random(seed)
    for _ in range(100):
        document = _document(_any(random))
        assert "".join(map(document.own_text, document.parts)) == document.text
        assert all(part.slug == PREAMBLE or part.level for part in document.parts)


@cases("seed", range(8))
def test_sections_are_those_of_docutils(seed: int) -> None:
    nodes = pytest.importorskip("docutils.nodes")
    frontend, utils = pytest.importorskip("docutils.frontend"), pytest.importorskip("docutils.utils")
    parser = pytest.importorskip("docutils.parsers.rst").Parser()
    settings = frontend.get_default_settings(parser)
    settings.report_level, settings.halt_level = 5, 6
    random = Random(seed)
    for _ in range(100):
        text = _any(random)
        document = utils.new_document("a.rst", settings)
        parser.parse(text, document)
        theirs = [(_depth(each), title_name(each[0].rawsource)) for each in document.findall(nodes.section)]
        assert _headings(text) == theirs, text


def _depth(section: object) -> int:
    parent = getattr(section, "parent", None)
    return 1 + _depth(parent) if type(parent) is type(section) else 1
