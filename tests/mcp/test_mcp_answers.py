"""Answers leave bounded, without secrets, and as JSON, whatever goes in."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.mcp.results import MAX_CHARACTERS, bounded_text, refusal, success
from tests.mcp.mcp_helpers import SECRET

ROOM = 1_000
LEAVES = st.none() | st.booleans() | st.floats() | st.integers() | st.text(st.characters(), max_size=20)
ANYTHING = st.recursive(
    LEAVES | st.sampled_from([SECRET, f"a {SECRET}", "\ud800", 10**400, "x" * 700]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=20,
)


@given(value=ANYTHING)
def test_whatever_goes_in_leaves_as_bounded_json(value: Any) -> None:
    answer = success(value, [Notice("a", f"b {SECRET}\n\x1b[0m", SECRET)], ROOM)
    data = json.loads(answer.text.encode())
    assert data == answer.data
    assert SECRET not in answer.text
    assert sum(map(len, _texts(data["result"]))) <= ROOM
    assert sum(map(len, _texts(value))) <= ROOM or "answer-cut" in [notice["code"] for notice in data["notices"]]


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for each in value.values() for text in _texts(each)]
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    return [value] if isinstance(value, str) else []


def test_what_is_small_and_harmless_is_not_touched() -> None:
    value = {"a": [1, 2.5, None, True, {"b": "text ü\n"}], "c": ""}
    answer = success(value, [Notice("code", "message", "a.md", 3)])
    notice = {"code": "code", "message": "message", "path": "a.md", "line": 3}
    assert answer.data == {"result": value, "notices": [notice]}


def test_an_answer_that_is_cut_keeps_its_shape() -> None:
    result = success({"text": "x" * 300_000, "truncated": ["a"], "tokens": 5}, []).data["result"]
    assert (list(result), result["tokens"]) == (["text", "truncated", "tokens"], 5)
    assert len(success([{str(number): "x" for number in range(500_000)}], []).text) < MAX_CHARACTERS * 3


@given(text=st.text(st.characters(), max_size=400))
def test_a_short_text_is_whole(text: str) -> None:
    assert bounded_text(text) == text.encode("utf-8", "replace").decode()


def test_a_refusal_tells_category_message_and_hint() -> None:
    answer = refusal(ContextError("timeout", f"too late\n{SECRET}", retryable=True, hint="ask again"))
    assert answer.text.startswith("timeout: too late ")
    assert answer.text.endswith("(ask again)")
    assert (answer.is_error, SECRET in answer.text) == (True, False)
    error = answer.data["error"]
    assert (error["category"], error["retryable"], error["contract"]) == ("timeout", True, "v1")
