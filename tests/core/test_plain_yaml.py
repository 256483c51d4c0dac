"""Plain mappings: read as the YAML library reads them, or left to it."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ctxtui.core.data.bounds import DataProblem
from ctxtui.core.data.plain_yaml import plain_mapping, plain_texts
from ctxtui.core.data.yaml import load_texts, load_yaml

_USUAL = [
    "key: ",
    "a: ",
    "b: ",
    "tags:",
    "\n",
    "\n",
    "\n",
    "[a, b]",
    "[x]",
    '"q"',
    "'s'",
    "two words",
    "1",
    "2.5",
    "C#",
]
_NESTED = [
    "sections:\n",
    "  - name: x\n",
    "    keywords: [a]\n",
    "    b: 1\n",
    "  c: d\n",
    "  e:\n",
    "- f: g\n",
    "  - h\n",
]
_LISTS = ["- item\n", "  - item\n", "- 1\n", "tags:\n", "[]", "[1, yes, 'a, b']", "[ x , y ]"]
_WORDS = [
    "yes",
    "No",
    "null",
    "~",
    "TRUE",
    "nULL",
    "1.5",
    "007",
    "0",
    "1e3",
    "0x1f",
    "1:30",
    "٣",
    "1" * 20,
    "2026-01-01",
]
_SIGNS = [
    *"-.:,#[]{}\"'*&!|>%@`~?/\\$(+= \t",
    "é",
    "\u2028",
    "\xa0",
    "\ufeff",
    "\x85",
    "\r\n",
    "\0",
    "---",
    "...",
    "<<",
    " #",
]


def from_library(raw: str) -> object:
    # A comment is not plain.
    try:
        return load_yaml(f"#\n{raw}")
    except DataProblem as problem:
        return problem


def texts_from_library(raw: str) -> object:
    try:
        return load_texts(f"#\n{raw}")[0]
    except DataProblem as problem:
        return problem


def kinds_of(data: object) -> object:
    """Data with the type of each text in its place."""
    if isinstance(data, dict):
        return {key: kinds_of(value) for key, value in data.items()}
    return [kinds_of(each) for each in data] if isinstance(data, list) else type(data)


_RAW = st.lists(st.sampled_from([*_USUAL, *_USUAL, *_LISTS, *_NESTED, *_NESTED, *_WORDS, *_SIGNS]), max_size=8).map(
    "".join
)


@given(_RAW)
@settings(max_examples=500)
@example("a: http://x.y/z?a=b#c\nb: it's 5:30, isn't it\n")
@example("a: b:\n")
@example("a: b #c\n")
@example("a: \nb:\n- x\n-  'y z'\n- 12")
@example("yes: a\n")
@example("a: 1\na: 2\n")
def test_what_is_plain_is_read_as_the_library_reads_it(raw: str) -> None:
    found = plain_mapping(raw)
    if found is not None:
        assert repr(from_library(raw)) == repr((found, []))


@given(_RAW)
@settings(max_examples=500)
@example("a: 007\nb: 1e3\nc: ~x\nd:\ne: yes\nf: [1, no, '2']\n")
@example("a:\n- 1\n- b: 2\n  c:\nd:\n  e:\n")
@example("a: 'b'\nc: x * y [ [ z\n")
def test_what_is_plain_is_read_as_texts_as_the_library_reads_it(raw: str) -> None:
    found = plain_texts(raw)
    if found is not None:
        from_it = texts_from_library(raw)
        assert repr(from_it) == repr(found)
        assert kinds_of(from_it) == kinds_of(found)
    if plain_mapping(raw) is not None:
        assert found is not None


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("description: Use it when a user asks: how, why\n", None),
        ("description: Use it when a user asks; it's C# (or F#), 5:30\n", {"description": "Use it when a user asks; it's C# (or F#), 5:30"}),
        ("name: 'a: b'\ntags: [x, \"y, z\", 3]\nalways: yes\n", {"name": "a: b", "tags": ["x", "y, z", 3], "always": True}),
        ("globs:\n  - src/a.py\n  - \"**/*.ts\"\nempty:\n", {"globs": ["src/a.py", "**/*.ts"], "empty": None}),
        ("estimatedTokens: 900\nshare: 0.25\nlong: 1234567890123456\n", None),
        (
            "sections:\n  - name: A b\n    keywords: [x, y]\n    tokens: 3\n  - name: 'C'\nmetadata:\n  version: 1.5\n  by: ann\n",
            {
                "sections": [{"name": "A b", "keywords": ["x", "y"], "tokens": 3}, {"name": "C"}],
                "metadata": {"version": 1.5, "by": "ann"},
            },
        ),
        ("a:\n  b: 1\n  b: 2\n", None),
        ("a:\n  b:\n    c: d\n", None),
        ("a:\n  - b: c\n   d: e\n", None),
        ("a: &x b\n", None),
        ("a: |\n  b\n", None),
        ("a: b\n  c\n", None),
        ("a:\n  - x\n - y\n", None),
        ("a: x\n- y\n", None),
        ("", None),
    ],
)  # fmt: skip
def test_plain_mappings_are_read_and_others_left(raw: str, value: object) -> None:
    assert plain_mapping(raw) == value
