"""Replies of an engine are checked before anybody believes them (retrieval specification 3.2 and 5)."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.types import CallToolResult, TextContent

from ctxtui.core.base.notices import Notice
from ctxtui.retrieval import ContextSnippet, RetrievalError, snippet_json
from ctxtui.retrieval.client.provider import read_reply
from ctxtui.retrieval.contract import CATEGORIES, MAX_CONTENT
from tests.cases import cases

SNIPPET = ContextSnippet("e:a.md#L1-L1", "mcp", "a.md", "A", "alpha", 0.5)
SECRET = "AKIA" + "Z7Q3K5M2N8P4R6T2"


def _reply(data: Any = None, text: str = "", is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=data, is_error=is_error)


def _row(**changes: Any) -> dict[str, Any]:
    return snippet_json(SNIPPET) | changes


def _read(*rows: Any, limit: int = 5) -> tuple[list[ContextSnippet], list[str]]:
    told: list[Notice] = []
    return read_reply(_reply({"result": list(rows)}), limit, told.append), [notice.code for notice in told]


@cases(
    "reply",
    [
        _reply({"result": [_row()]}),
        _reply({"snippets": [_row()]}),
        _reply([_row()]),
        _reply(None, json.dumps([_row()])),
        _reply(None, json.dumps({"result": [_row()]})),
        _reply({"other": 1}, json.dumps([_row()])),
    ],
)
def test_the_list_is_found_where_engines_put_it(reply: CallToolResult) -> None:
    assert read_reply(reply, 5, _never) == [SNIPPET]


def _never(notice: Notice) -> None:
    raise AssertionError(notice)


def _refused(reply: CallToolResult) -> RetrievalError:
    with pytest.raises(RetrievalError) as caught:
        read_reply(reply, 5, _never)
    return caught.value


@cases("reply", [_reply(), _reply(None, "hello"), _reply({"result": 3}), _reply(None, "[" * 99_999)])
def test_a_reply_without_a_list_is_internal(reply: CallToolResult) -> None:
    assert _refused(reply).category == "internal"
    assert _read() == ([], []), "an empty list is no error"


@cases("change", [{"score": math.nan}, {"score": "1"}, {"content": None}, {"provider": "x"}])
def test_a_snippet_that_breaks_the_contract_is_left_out_and_told(change: dict[str, Any]) -> None:
    assert _read(_row(**change), _row()) == ([SNIPPET], ["engine-snippet"])
    with pytest.raises(RetrievalError) as caught:
        _read(_row(**change))
    assert caught.value.category == "internal"


@cases(
    "path",
    [
        *("", "/etc/passwd", "../a.md", "a/../../b", "a/..", "//h/a", "a\0b", "x" * 5_000),
        *("C:\\a.md", "c:a.md", "\\\\host\\a", "a\\..\\b"),
    ],
)
def test_a_path_out_of_the_root_is_left_out_and_told(path: str) -> None:
    assert _read(_row(path=path), _row()) == ([SNIPPET], ["engine-path"])


@cases("path", ["a.md", "a b/c..d.md", "..a", "ü/漢.md", "a\u00a0b.md", ".context/TASKS.md"])
def test_paths_below_the_root_pass(path: str) -> None:
    found, told = _read(_row(path=path))
    assert ([each.path for each in found], told) == ([path], [])


def test_order_and_limit_are_put_right_and_told() -> None:
    rows = [_row(id=str(number), score=number / 10) for number in range(8)]
    found, told = _read(*rows, limit=3)
    assert ([each.id for each in found], told) == (["7", "6", "5"], ["engine-limit", "engine-order"])
    assert len(_read(*[_row()] * 10_000, limit=50)[0]) == 50
    # Equal scores keep the engine's order.
    assert [each.id for each in _read(*(_row(id=str(number)) for number in range(5)))[0]] == list("01234")


def test_content_is_bounded_at_a_word_without_secrets_and_comes_under_our_name() -> None:
    (found,), told = _read(_row(content="word " * 1_000, provider="filesystem"))
    assert (found.provider, told) == ("mcp", ["engine-content"])
    assert len(found.content) <= MAX_CONTENT
    assert found.content.endswith("word…")
    (found,), told = _read(_row(content=f"key {SECRET}", source=f"K {SECRET}", id=SECRET, path=f"{SECRET}/\ud800.md"))
    assert (found.path, told) == ("[redacted: aws-key]/?.md", ["redacted-secrets"])
    assert SECRET not in json.dumps(snippet_json(found))


@cases("category", CATEGORIES)
def test_an_error_keeps_its_category(category: str) -> None:
    error = {"category": category, "message": f"no {SECRET}\n\x1b[31m" + "x" * 5_000}
    for reply in (_reply({"error": error}, is_error=True), _reply(None, f"{category}: no {SECRET}", is_error=True)):
        refused = _refused(reply)
        assert refused.category == category
        assert SECRET not in refused.message
        assert "\x1b" not in refused.message
        assert len(refused.message) < 400


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
VALUES = {key: JSON | st.just(value) for key, value in snippet_json(SNIPPET).items()}
ROWS = st.lists(st.fixed_dictionaries(VALUES | {"path": st.text(max_size=9)}) | JSON, max_size=6)


@given(data=JSON | ROWS | st.builds(lambda rows: {"result": rows}, ROWS), limit=st.integers(1, 50))
def test_whatever_comes_is_the_contract_or_an_error_of_it(data: Any, limit: int) -> None:
    try:
        found = read_reply(_reply(data), limit, lambda _: None)
    except RetrievalError:
        return
    assert len(found) <= limit
    scores = [each.score for each in found]
    assert scores == sorted(scores, reverse=True)
    assert all(map(math.isfinite, scores))
    for each in found:
        assert len(each.content) <= MAX_CONTENT
        assert not each.path.startswith("/")
        assert ".." not in each.path.split("/")
