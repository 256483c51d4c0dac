"""Fences and comments are found where they are, in any text and in little time."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.agents.markdown_spans import comments, prose

TEXTS = st.text(alphabet="`~<!->\n\r ab", max_size=80)


@pytest.mark.parametrize(
    ("text", "outside"),
    [
        ("a\n```\nb\n```\nc", ["a\n", "c"]),
        ("a\r\n~~~ x\r\nb\r\n~~~\r\n", ["a\r\n"]),
        ("```\nnever closed", []),
        ("``` a ` b\nprose", ["``` a ` b\nprose"]),
        ("", []),
    ],
)
def test_prose_is_outside_fences(text: str, outside: list[str]) -> None:
    assert [text[start:end] for start, end in prose(text)] == outside


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<!-- a -->\nb", ["<!-- a -->\n"]),
        ("a\n   <!-- b\nc -->  \r\nd", ["   <!-- b\nc -->  \r\n"]),
        ("<!-- a --> b", ["<!-- a -->"]),
        ("a <!-- b -->", []),
        ("    <!-- a -->", []),
        ("<!-- a", []),
        ("<!--\n```\n-->\n```\n", []),
        ("<!-- a -->\n<!-- b -->", ["<!-- a -->\n", "<!-- b -->"]),
    ],
)
def test_comments_begin_a_line(text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in comments(text)] == found


@given(TEXTS)
def test_spans_lie_inside_in_order_and_apart(text: str) -> None:
    for spans in (list(prose(text)), list(comments(text))):
        edges = [edge for span in spans for edge in span]
        assert edges == sorted(edges)
        assert all(start < end for start, end in spans)
        assert not edges or edges[-1] <= len(text)


@pytest.mark.parametrize(
    "text", ["<!--\n" * 50_000, "<!-- -->\n" * 30_000, "```\n" * 50_000, "`" * 200_000, " " * 200_000 + "<!--"]
)
def test_hostile_texts_take_no_time(text: str) -> None:
    start = time.process_time()
    list(comments(text + "<!--"))
    list(prose(text))
    assert time.process_time() - start < 1
