"""The stand-in answers four wire formats, and each is read without loss."""

import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.agents.capture.categories import sections, tokens_by_category
from ctxtui.agents.capture.launches import launches
from ctxtui.agents.capture.stand_in import StandIn, serving
from ctxtui.agents.capture.wires import Part, Recorded, wire_of
from ctxtui.core import get_counter
from tests.cases import cases

_TOOL = {"name": "look", "description": "d"}
BODIES: dict[str, tuple[str, dict[str, Any]]] = {
    "anthropic": ("/v1/messages?beta=true", {"model": "m", "system": "s", "messages": [], "tools": [_TOOL]}),
    "responses": ("/v1/responses", {"model": "m", "instructions": "s", "input": "i", "tools": [_TOOL]}),
    "chat": (
        "/v1/chat/completions",
        {"model": "m", "messages": [], "tools": [{"type": "function", "function": _TOOL}]},
    ),
    "gemini": (
        "/v1beta/models/m:streamGenerateContent?alt=sse",
        {"contents": [], "tools": [{"functionDeclarations": [_TOOL]}]},
    ),
}


@pytest.fixture
def port_and_records() -> Iterator[tuple[int, StandIn]]:
    records = StandIn()
    with serving(records) as port:
        yield port, records


def _asked(port: int, path: str, body: object = None, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    data = None if body is None else json.dumps(body)
    connection.request("GET" if body is None else "POST", path, data, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


@cases("wire", list(BODIES))
def test_each_format_gets_one_short_text_and_an_end(wire: str, port_and_records: tuple[int, StandIn]) -> None:
    port, records = port_and_records
    path, body = BODIES[wire]
    for is_streamed in (True, False):
        where = path if is_streamed else path.replace("streamGenerate", "generate")
        status, text = _asked(port, where, {**body, "stream": is_streamed}, **{"User-Agent": "agent/1.2.3 (x)"})
        assert status == 200
        lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
        events = [json.loads(line) for line in lines if line != "[DONE]"] if is_streamed else [json.loads(text)]
        assert '"ok"' in text
        assert events
        assert any(end in text for end in ("end_turn", "response.completed", '"completed"', '"stop"', "STOP"))
    counted = records.requests[-1]
    assert counted.has_tools
    assert (counted.wire, counted.model, counted.version) == (wire, "m", "1.2.3")
    assert records.arrived.is_set()


@cases("wire", list(BODIES))
def test_each_format_calls_the_tool_that_starts_a_subagent(wire: str) -> None:
    path, body = BODIES[wire]
    records = StandIn(("tools.look", '{"prompt": "Say hi to me"}'))
    with serving(records) as port:
        _, text = _asked(port, path, {**body, "stream": True})
        for part in ("call_ctxtui", '"look"', "Say hi to me"):
            assert part in text
        assert not records.ended.is_set()
        own = {**body, "tools": [*body["tools"], {"name": "Say hi to me"}]}
        assert "call_ctxtui" not in _asked(port, path, own)[1]
    assert records.ended.is_set()
    assert records.of_subagent is records.requests[-1]


def test_what_does_not_count_as_a_request(port_and_records: tuple[int, StandIn]) -> None:
    port, records = port_and_records
    # A web socket is refused at once.
    assert _asked(port, "/v1/responses", None, Connection="Upgrade", Upgrade="websocket")[0] == 426
    assert _asked(port, "/v1/models")[0] == 200
    assert _asked(port, "/anything", {"model": "m"})[0] == 404
    assert _asked(port, "/v1/messages", [1])[0] == 404
    assert records.requests == []
    path, body = BODIES["chat"]
    _asked(port, path, {**body, "tools": []})
    _asked(port, "/v1/messages/count_tokens", BODIES["anthropic"][1])
    assert records.counted is None
    assert not records.arrived.is_set()


def test_a_schema_is_answered_by_its_smallest_value(port_and_records: tuple[int, StandIn]) -> None:
    port, _ = port_and_records
    kinds = {"a": {"type": "STRING", "enum": ["x", "y"]}, "b": {"type": "number"}, "c": {"type": "array"}}
    settings = {"responseSchema": {"type": "OBJECT", "properties": kinds}}
    answer = json.loads(_asked(port, "/v1beta/models/m:generateContent", {"generationConfig": settings})[1])
    assert json.loads(answer["candidates"][0]["content"]["parts"][0]["text"]) == {"a": "x", "b": 0, "c": []}


@given(st.binary(max_size=50), st.sampled_from([path for path, _ in BODIES.values()]))
def test_no_body_breaks_the_stand_in(data: bytes, path: str) -> None:
    with serving(StandIn()) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("POST", path, data)
        assert connection.getresponse().status in (200, 404)
        connection.close()


_WORD = st.text("abc\n\"'<é", min_size=1, max_size=8)
_BLOCKS = st.one_of(_WORD, st.lists(st.one_of(_WORD.map(lambda text: {"type": "text", "text": text})), max_size=3))
_MESSAGES = st.lists(st.tuples(st.sampled_from(["user", "system", "developer", "assistant"]), _BLOCKS), max_size=4)
_TOOLS = st.lists(st.builds(lambda name, text: {"name": name, "description": text}, _WORD, _WORD), max_size=3)


def _texts(blocks: Any) -> list[str]:
    return [blocks] if isinstance(blocks, str) else [each["text"] for each in blocks]


@given(_BLOCKS, _MESSAGES, _TOOLS)
def test_every_string_is_in_exactly_one_part(system: Any, messages: Any, tools: Any) -> None:
    said = [{"role": role, "content": blocks} for role, blocks in messages]
    parts = [{"role": role, "parts": [{"text": text} for text in _texts(blocks)]} for role, blocks in messages]
    declared = [{"functionDeclarations": tools}] if tools else []
    told = {"parts": [{"text": text} for text in _texts(system)]}
    first = {"role": "system", "content": system}
    bodies = {
        "anthropic": {"system": system, "messages": said, "tools": tools},
        "chat": {"messages": [first, *said], "tools": tools},
        "responses": {"input": [{"type": "additional_tools", "tools": tools}, first, *said]},
        "gemini": {"systemInstruction": told, "contents": parts, "tools": declared},
    }
    texts = sorted([*_texts(system), *(text for _, blocks in messages for text in _texts(blocks))])
    for wire, body in bodies.items():
        found = Recorded(wire, "/", "", body).parts
        assert sorted(part.text for part in found if part.place != "tool") == texts
        assert [json.loads(part.text) for part in found if part.place == "tool"] == tools


@cases(
    ("agent", "before", "hook", "after"),
    [
        ("claude-code", "", "SessionStart:startup hook success: a b", "\n\n# More"),
        ("gemini-cli", "", "<hook_context>a b</hook_context>", "\n\nhi"),
        ("copilot-cli", "hi\n", "<system_reminder>\na b\n</system_reminder>", ""),
    ],
)
def test_the_output_of_a_hook_has_a_category(agent: str, before: str, hook: str, after: str) -> None:
    text = before + hook + after
    parts = [Part("message", "user", text)]
    found = sections(parts, launches()[agent])
    sizes = tokens_by_category(parts, found, get_counter("heuristic"))
    assert {name for name, tokens in sizes.items() if tokens} == {"hooks", "other"}
    assert [text[hit.start : hit.end] for hit, name in found] == [hook]


def test_paths_name_their_formats() -> None:
    assert {wire: wire_of(path) for wire, (path, _) in BODIES.items()} == {wire: wire for wire in BODIES}
    assert wire_of("/v1/embeddings") is None
