"""Transcripts of Claude Code: JSON lines.

The vendor calls the records internal, so every field is optional. `docs/transcripts.md` names the sources for each
kind of record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from ctxtui.audit.logs.draft import StartDraft, entries_in
from ctxtui.audit.logs.lines import a_dict, a_list, a_text, an_amount, texts_in
from ctxtui.audit.logs.types import (
    AGENTS,
    DEFINITIONS,
    HOOKS,
    INSTRUCTIONS,
    PROMPT,
    REMINDERS,
    SERVERS,
    SKILL,
    SKILLS,
    SUBAGENT,
    SYSTEM,
    TOOLS,
    Billed,
    Sent,
    SentPart,
)

_COMMAND = re.compile(r"<command-name>/?([^<>\n]{1,200})</command-name>")
_FILE_KEYS = ("file_path", "path", "notebook_path")
_FILE_TOOLS = frozenset({"Read", "Edit", "Write", "MultiEdit", "NotebookEdit"})
_SYNTHETIC = "<synthetic>"

Parts = Iterator[SentPart]
Attachment = dict[str, Any]


def feed(draft: StartDraft, record: dict[str, Any]) -> None:
    """Read a record into the draft. Records of subagents only add calls."""
    kind = a_text(record.get("type"))
    if record.get("isSidechain") is True:
        # Old versions mix the records of subagents into the conversation.
        draft.owner = draft.owner or a_text(record.get("sessionId"))
        draft.folder = draft.folder or a_text(record.get("cwd"))
        draft.is_subagent = not draft.has_own
    else:
        draft.has_own = draft.has_own or kind in ("user", "assistant")
        draft.is_subagent = draft.is_subagent and not draft.has_own
        draft.set_time(record.get("timestamp"))
        draft.folder = draft.folder or a_text(record.get("cwd"))
        draft.version = draft.version or a_text(record.get("version"))
        is_foreign = a_text(record.get("sessionId")) not in ("", draft.id)
        is_continued = is_foreign or record.get("isCompactSummary") is True or bool(record.get("forkedFrom"))
        draft.is_copy = draft.is_copy or (is_continued and not draft.is_answered)
    handler = _RECORDS.get(kind)
    if handler is not None:
        handler(draft, record)
    elif kind not in _SILENT:
        draft.count_unknown(kind)


def _assistant(draft: StartDraft, record: dict[str, Any]) -> None:
    message = a_dict(record.get("message"))
    _add_calls(draft, message)
    if record.get("isSidechain") is True or draft.is_answered or message.get("model") == _SYNTHETIC:
        return
    usage = a_dict(message.get("usage"))
    billed = Billed(*(an_amount(usage.get(key)) for key in _USAGE))
    if billed.total:
        draft.billed = billed
        draft.model = a_text(message.get("model"))
        draft.is_answered = True


_USAGE = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def _add_calls(draft: StartDraft, message: dict[str, Any]) -> None:
    for block in map(a_dict, a_list(message.get("content"))):
        if block.get("type") != "tool_use":
            continue
        name, given = a_text(block.get("name")), a_dict(block.get("input"))
        draft.call_servers_in(name)
        if name == "Skill":
            draft.call(SKILL, (a_text(given.get("skill")) or a_text(given.get("command"))).lstrip("/"))
        elif name in ("Task", "Agent"):
            draft.call(SUBAGENT, a_text(given.get("subagent_type")))
        elif name in _FILE_TOOLS:
            draft.read(next(filter(None, (a_text(given.get(key)) for key in _FILE_KEYS)), ""))


def _user(draft: StartDraft, record: dict[str, Any]) -> None:
    content = a_dict(record.get("message")).get("content")
    texts = list(texts_in(content))
    for text in texts:
        for name in _COMMAND.findall(text):
            draft.call(SKILL, name)
    if texts and record.get("isSidechain") is not True:
        kind = REMINDERS if record.get("isMeta") is True else PROMPT
        draft.send(kind, (SentPart("", text) for text in texts))


def _attachment(draft: StartDraft, record: dict[str, Any]) -> None:
    attachment = a_dict(record.get("attachment"))
    kind = a_text(attachment.get("type"))
    if kind == "invoked_skills":
        for skill in map(a_dict, a_list(attachment.get("skills"))):
            draft.call(SKILL, a_text(skill.get("name")))
    if record.get("isSidechain") is True:
        return
    if kind == "prompt_snapshot":
        _prompt_snapshot(draft, attachment)
        return
    if kind in _NOT_SENT:
        return
    given = (each.get("content") if isinstance(each, dict) else each for each in a_list(record.get("rendered")))
    rendered = "\n".join(text for each in given for text in texts_in(each))
    if kind == "skill_listing":
        rendered = rendered or a_text(attachment.get("content"))
    known = _ATTACHMENTS.get(kind)
    if known is None:
        draft.count_unknown(f"attachment {kind}")
        if rendered:
            draft.send(REMINDERS, (), rendered)
        return
    sent_kind, parts_of = known
    parts = tuple(parts_of(attachment))
    # The success of a hook and its output are two records of one text.
    if sent_kind != HOOKS or not any(sent.parts == parts for sent in draft.sent):
        draft.send(sent_kind, parts, rendered)


def _prompt_snapshot(draft: StartDraft, attachment: Attachment) -> None:
    """Record the system prompt and the tools, even after the first answer, until a snapshot with tools has come."""
    if draft.has_tools:
        return
    tools = [each for each in a_list(attachment.get("tools")) if isinstance(each, dict)]
    draft.has_tools = bool(tools)
    draft.sent = [sent for sent in draft.sent if sent.kind != SYSTEM]
    prompt = tuple(SentPart("", text) for text in texts_in(attachment.get("systemPrompt")))
    draft.add(Sent(SYSTEM, prompt))
    if tools:
        draft.add(Sent(DEFINITIONS, tuple(_definition(each) for each in tools)))


def _definition(tool: dict[str, Any]) -> SentPart:
    """A tool as compact JSON. The form that the model receives is unknown."""
    keys = ("name", "description", "input_schema", "schema")
    said = {key: tool[key] for key in keys if key in tool}
    return SentPart(a_text(tool.get("name")), a_text(json.dumps(said, ensure_ascii=False, separators=(",", ":"))))


def _files(attachment: Attachment) -> Parts:
    for file in map(a_dict, a_list(attachment.get("files"))):
        yield SentPart(a_text(file.get("path")), a_text(file.get("content")))


def _memory(attachment: Attachment) -> Parts:
    content = attachment.get("content")
    path = a_text(attachment.get("path")) or a_text(a_dict(content).get("path"))
    yield SentPart(path, a_text(a_dict(content).get("content")) or a_text(content))


def _skills(attachment: Attachment) -> Parts:
    text = a_text(attachment.get("content"))
    yield from entries_in(text, map(a_text, a_list(attachment.get("names"))))


def _parts_by_keys(names: str, texts: str) -> Callable[[Attachment], Parts]:
    """A function that reads an attachment's parts: their names from its array `names`, their texts from `texts`.

    Without texts, the names are the texts.
    """

    def parts(attachment: Attachment) -> Parts:
        words = [a_text(each) for each in a_list(attachment.get(names))]
        lines = [a_text(each) for each in a_list(attachment.get(texts))] or words
        for place, line in enumerate(lines):
            yield SentPart(words[place] if place < len(words) else "", line)

    return parts


def _text_parts(attachment: Attachment) -> Parts:
    for key, value in attachment.items():
        if key in ("text", "content", "context", "date", "snapshot", "prompt"):
            values = value.values() if isinstance(value, dict) else [value]
            yield from (SentPart("", text) for each in values for text in texts_in(each) if text)


_ATTACHMENTS: Final[dict[str, tuple[str, Callable[[Attachment], Parts]]]] = {
    "instructions": (INSTRUCTIONS, _files),
    "nested_memory": (INSTRUCTIONS, _memory),
    "skill_listing": (SKILLS, _skills),
    "agent_listing_delta": (AGENTS, _parts_by_keys("addedTypes", "addedLines")),
    "deferred_tools_delta": (TOOLS, _parts_by_keys("addedNames", "addedLines")),
    "mcp_instructions_delta": (SERVERS, _parts_by_keys("addedNames", "addedBlocks")),
    "hook_success": (HOOKS, _text_parts),
    "hook_additional_context": (HOOKS, _text_parts),
    **dict.fromkeys(
        (
            "auto_mode auto_mode_exit critical_system_reminder date date_change environment model output_style"
            " plan_mode plan_mode_exit session_context task_reminder token_usage total_tokens_reminder"
            " ultrathink_effort"
        ).split(),
        (REMINDERS, _text_parts),
    ),
    **dict.fromkeys(
        (
            "already_read_file compact_file_reference directory edited_text_file file invoked_skills"
            " opened_file_in_ide plan_file_reference queued_command relevant_memories selected_lines_in_ide"
        ).split(),
        (PROMPT, _text_parts),
    ),
}
_NOT_SENT = frozenset(
    "command_permissions credential_org deferred_tools_record diagnostics dynamic_skill hook_cancelled hook_error"
    " hook_failure hook_non_blocking_error prompt_snapshot remote_session_change silent_turn_reminder task_status"
    " thinking_drop thinking_stripped".split()
)
_RECORDS: Final[dict[str, Callable[[StartDraft, dict[str, Any]], None]]] = {
    "assistant": _assistant,
    "user": _user,
    "attachment": _attachment,
}
# Titles, modes, queues and copies of files are neither sent nor billed.
_SILENT = frozenset(
    "agent-color agent-name ai-title atis-latch cost-state custom-title file-history-snapshot frame-link last-prompt"
    " mode permission-mode pr-link progress queue-operation summary system tag worktree-state".split()
)

MARKS: Final = (b'"tool_use"', b"<command-name>", b'"invoked_skills"', b'"prompt_snapshot"')
"""The signs of a line that may contain a call."""
