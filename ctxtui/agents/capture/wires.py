"""The four wire formats in which agents talk to models, read into parts: system texts, tools, messages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

SYSTEM, TOOL, MESSAGE = "system", "tool", "message"

_PATHS: Final = (
    ("anthropic", re.compile(r"/messages(/count_tokens)?$")),
    ("responses", re.compile(r"/responses$")),
    ("chat", re.compile(r"/chat/completions$")),
    ("gemini", re.compile(r":(streamGenerateContent|generateContent|countTokens)$")),
)
_MODEL = re.compile(r"/models/([^/:]+):")
_VERSION = re.compile(r"\d+\.\d+\.\d+[-\w.]*")


class Part(NamedTuple):
    """One text of a request, in the place where the model reads it. A tool is compact JSON under its name."""

    place: str
    name: str
    text: str


class Recorded(NamedTuple):
    """A request: wire format, path, the name and version in its headers, its body."""

    wire: str
    path: str
    sender: str
    body: Mapping[str, Any]

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts in the order of the request. Every string that the model reads is in exactly one."""
        return tuple(part for part in _READERS[self.wire](self.body) if part.text)

    @property
    def has_tools(self) -> bool:
        """Whether the request offers tools. False for requests that only count tokens."""
        return "count" not in self.path and any(part.place == TOOL for part in self.parts)

    @property
    def model(self) -> str:
        """The model asked for, in the body or the path, empty if neither names one."""
        named = self.body.get("model")
        found = _MODEL.search(self.path)
        return named if isinstance(named, str) else found[1] if found else ""

    @property
    def version(self) -> str:
        """The agent's version as its headers name it, empty if they name none."""
        found = _VERSION.search(self.sender)
        return found[0] if found else ""


def wire_of(path: str) -> str | None:
    """The wire format of an API path, None for any other path."""
    bare = path.partition("?")[0]
    return next((wire for wire, pattern in _PATHS if pattern.search(bare)), None)


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _anthropic(body: Mapping[str, Any]) -> Iterator[Part]:
    yield from _texts(SYSTEM, "system", body.get("system"))
    yield from _tools(body.get("tools"))
    yield from _messages(body.get("messages"), frozenset())


def _responses(body: Mapping[str, Any]) -> Iterator[Part]:
    yield from _texts(SYSTEM, "instructions", body.get("instructions"))
    yield from _tools(body.get("tools"))
    items = body.get("input")
    for item in items if isinstance(items, list) else [{"role": "user", "content": items}]:
        if isinstance(item, dict) and item.get("type") == "additional_tools":
            yield from _tools(item.get("tools"))
        else:
            yield from _messages([item], _INSTRUCTING)


def _chat(body: Mapping[str, Any]) -> Iterator[Part]:
    yield from _tools(body.get("tools"))
    yield from _messages(body.get("messages"), _INSTRUCTING)


def _gemini(body: Mapping[str, Any]) -> Iterator[Part]:
    told = body.get("systemInstruction") or body.get("system_instruction")
    yield from _texts(SYSTEM, "system", told.get("parts") if isinstance(told, dict) else told)
    for each in _list_or_empty(body.get("tools")):
        declared = each.get("functionDeclarations") if isinstance(each, dict) else None
        yield from _tools(declared if isinstance(declared, list) else [each])
    for each in _list_or_empty(body.get("contents")):
        if isinstance(each, dict):
            yield from _texts(MESSAGE, str(each.get("role", "")), each.get("parts"))


_INSTRUCTING: Final = frozenset({"system", "developer"})
_READERS: Final[Mapping[str, Callable[[Mapping[str, Any]], Iterator[Part]]]] = {
    "anthropic": _anthropic,
    "responses": _responses,
    "chat": _chat,
    "gemini": _gemini,
}


def _list_or_empty(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _messages(messages: object, instructing: frozenset[str]) -> Iterator[Part]:
    """The parts of messages. Roles in `instructing` are system texts. Calls and results are parts of their own."""
    for each in _list_or_empty(messages):
        if not isinstance(each, dict):
            continue
        role = str(each.get("role", ""))
        place = SYSTEM if role in instructing else MESSAGE
        yield from _texts(place, role, each.get("content"))
        called = [each[key] for key in ("tool_calls", "arguments", "output") if each.get(key)]
        yield from (Part(place, role, value if isinstance(value, str) else compact(value)) for value in called)


def _texts(place: str, name: str, content: object) -> Iterator[Part]:
    """A part for each text of a content: one text, or a list of blocks. What is no text is compact JSON."""
    if isinstance(content, str):
        yield Part(place, name, content)
    for block in _list_or_empty(content):
        is_text = isinstance(block, dict) and isinstance(block.get("text"), str)
        yield Part(place, name, block["text"] if is_text else compact(block))


def _tools(tools: object) -> Iterator[Part]:
    for tool in _list_or_empty(tools):
        function = tool.get("function") if isinstance(tool, dict) else None
        named = function if isinstance(function, dict) else tool if isinstance(tool, dict) else {}
        yield Part(TOOL, str(named.get("name") or named.get("type") or ""), compact(tool))
