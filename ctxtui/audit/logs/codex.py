"""Transcripts of Codex, its rollouts: JSON lines with a time, a type and a payload.

`docs/transcripts.md` names the sources for each kind of record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from ctxtui.audit.logs.draft import StartDraft, entries_in
from ctxtui.audit.logs.lines import a_dict, a_list, a_text, an_amount, texts_in
from ctxtui.audit.logs.types import (
    DEFINITIONS,
    INSTRUCTIONS,
    PROMPT,
    REMINDERS,
    SERVER,
    SKILL,
    SKILLS,
    SUBAGENT,
    SYSTEM,
    Billed,
    SentPart,
)

USER_PART: Final = "(user)"
"""The name of the user's part of the instructions."""
PROJECT_PART: Final = "(project)"
"""The name of the part that joins the project's files."""

SEPARATOR: Final = "\n\n--- project-doc ---\n\n"
_INSTRUCTIONS = re.compile(
    r"(?:# AGENTS\.md instructions(?: for [^\n]*)?\n\n<INSTRUCTIONS>\n|<user_instructions>\n\n)(.*?)"
    r"(?:\n</INSTRUCTIONS>|\n\n</user_instructions>)\s*\Z",
    re.DOTALL,
)
_SKILLS = "<skills_instructions>"
_ROOTS = re.compile(r"^- `(r\d+)` = `([^`\n]+)`", re.MULTILINE)
_AVAILABLE = "### Available skills\n"
_ALIAS = re.compile(r"\(file: (r\d+)/")
_NAMED_SKILL = re.compile(r"\A<skill>\s*<name>([^<>\n]{1,200})</name>")
_PATHS = re.compile(r"[\w./~@+-]{1,300}\.(?:md|mdc|toml)\b")


def feed(draft: StartDraft, record: dict[str, Any]) -> None:
    draft.set_time(record.get("timestamp"))
    kind = a_text(record.get("type"))
    handler = _RECORDS.get(kind)
    if handler is not None:
        handler(draft, a_dict(record.get("payload")))
    elif kind not in _SILENT:
        draft.count_unknown(kind)


def _meta(draft: StartDraft, payload: dict[str, Any]) -> None:
    """Fill the draft from the metadata record. If it is the second one, or names a fork, the transcript is a copy."""
    if draft.folder or draft.version:
        draft.is_copy = True
        return
    draft.folder, draft.version = a_text(payload.get("cwd")), a_text(payload.get("cli_version"))
    draft.id = a_text(payload.get("id")) or a_text(payload.get("session_id")) or draft.id
    draft.is_copy = bool(payload.get("forked_from_id"))
    spawned = a_dict(a_dict(a_dict(payload.get("source")).get(SUBAGENT)).get("thread_spawn"))
    draft.owner = a_text(payload.get("parent_thread_id")) or a_text(spawned.get("parent_thread_id"))
    has_source = SUBAGENT in a_dict(payload.get("source")) or payload.get("thread_source") == SUBAGENT
    draft.is_subagent = has_source or bool(draft.owner)
    draft.send(SYSTEM, (SentPart("", text) for text in texts_in([payload.get("base_instructions")])))
    tools = [each for each in a_list(payload.get("dynamic_tools")) if isinstance(each, dict)]
    if tools:
        texts = (json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in tools)
        draft.send(DEFINITIONS, (SentPart("", a_text(text)) for text in texts))


def _item(draft: StartDraft, payload: dict[str, Any]) -> None:
    """Read an item of the conversation. The first item that the model wrote ends the first request."""
    kind = a_text(payload.get("type"))
    if kind == "message" and payload.get("role") != "assistant":
        for text in texts_in(payload.get("content")):
            _message(draft, a_text(payload.get("role")), text)
        return
    draft.is_answered = draft.is_answered or kind in _ANSWERS
    if kind in ("function_call", "custom_tool_call"):
        _call(draft, payload)
    elif kind not in _ITEMS:
        draft.count_unknown(f"item {kind}")


def _message(draft: StartDraft, role: str, text: str) -> None:
    """Record a text of a request by its role and beginning: instructions, skills, the agent's own or the user's."""
    if named := _NAMED_SKILL.match(text):
        draft.call(SKILL, named[1])
    if instructions := _INSTRUCTIONS.match(text):
        draft.send(INSTRUCTIONS, _instructions(instructions[1]), text)
    elif text.startswith(_SKILLS):
        draft.send(SKILLS, _skills(text), text)
    elif role != "user":
        # Permissions, modes and personality are the agent's own text, beside its base instructions.
        draft.send(SYSTEM, (SentPart("", text),))
    else:
        kind = REMINDERS if text.startswith("<environment_context>") else PROMPT
        draft.send(kind, (SentPart("", text),))


def _instructions(text: str) -> Iterator[SentPart]:
    """Split the instructions at the separator into user and project text. Without it, the origin is unknown."""
    user, separator, project = text.partition(SEPARATOR)
    if separator:
        yield SentPart(USER_PART, user)
    yield SentPart(PROJECT_PART, project if separator else text)


def _skills(text: str) -> Iterator[SentPart]:
    """The entries of the list of skills, with full paths in place of the aliases of folders."""
    roots = dict(_ROOTS.findall(text))
    listed = text.partition(_AVAILABLE)[2]
    # Usage notes follow the list.
    listed = re.split(r"\n(?:###|</skills_instructions>)", listed, maxsplit=1)[0]
    for name, entry in entries_in(listed):
        yield SentPart(name, _ALIAS.sub(lambda match: f"(file: {roots.get(match[1], match[1])}/", entry))


def _call(draft: StartDraft, payload: dict[str, Any]) -> None:
    """Record the server, the files and the subagent that a call of a tool names."""
    given = a_text(payload.get("arguments")) or a_text(payload.get("input"))
    name = a_text(payload.get("name"))
    draft.call_servers_in(f"{a_text(payload.get('namespace'))}__ {name} {given}")
    for path in dict.fromkeys(_PATHS.findall(given)):
        draft.read(path)
    if name == "spawn_agent" and (kind := re.search(r'"agent_type"\s*:\s*"([^"\\]{1,200})"', given)):
        draft.call(SUBAGENT, kind[1])


def _event(draft: StartDraft, payload: dict[str, Any]) -> None:
    kind = a_text(payload.get("type"))
    if kind == "token_count":
        _usage(draft, a_dict(a_dict(payload.get("info")).get("last_token_usage")))
    elif kind == "mcp_tool_call_begin":
        draft.call(SERVER, a_text(a_dict(payload.get("invocation")).get("server")))
    elif kind == "item_completed":
        item = a_dict(payload.get("item"))
        if item.get("type") == "McpToolCall":
            draft.call(SERVER, a_text(item.get("server")))


def _usage(draft: StartDraft, usage: dict[str, Any]) -> None:
    """Write the tokens of the first request into the draft. `input_tokens` include cached tokens."""
    if draft.billed is not None:
        return
    total, read, written = (an_amount(usage.get(key)) for key in _USAGE)
    if total:
        read = min(read, total)
        written = min(written, total - read)
        draft.billed = Billed(total - read - written, written, read)
        draft.is_answered = True


_USAGE = ("input_tokens", "cached_input_tokens", "cache_write_input_tokens")


def _turn_context(draft: StartDraft, payload: dict[str, Any]) -> None:
    draft.model = draft.model or a_text(payload.get("model"))


def _compacted(draft: StartDraft, _payload: dict[str, Any]) -> None:
    draft.is_copy = draft.is_copy or not draft.is_answered
    draft.is_answered = True


_RECORDS: Final[dict[str, Callable[[StartDraft, dict[str, Any]], None]]] = {
    "session_meta": _meta,
    "response_item": _item,
    "event_msg": _event,
    "turn_context": _turn_context,
    "compacted": _compacted,
    "token_usage_record": lambda draft, payload: _usage(draft, a_dict(payload.get("usage"))),
}
_SILENT = frozenset({"inter_agent_communication", "inter_agent_communication_metadata", "world_state"})
_ANSWERS = frozenset(
    "custom_tool_call function_call image_generation_call local_shell_call message reasoning tool_search_call"
    " web_search_call".split()
)
_ITEMS = _ANSWERS | {
    "compaction",
    "context_compaction",
    "custom_tool_call_output",
    "function_call_output",
    "ghost_snapshot",
    "tool_search_output",
}

MARKS: Final = tuple(b'_call" mcp_tool_call_begin McpToolCall <skill> "token_count" "token_usage_record"'.split())
"""The signs of a line that may contain a call or a bill."""
