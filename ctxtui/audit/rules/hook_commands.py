"""Commands of Claude Code's hooks that count on variables, arguments and exit statuses that do not work."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ctxtui.agents.configuration import value_at
from ctxtui.audit.context import Audited
from ctxtui.audit.types import Finding, Remedy

SETTINGS: Final = (".claude/settings.json", ".claude/settings.local.json")
_SRC: Final = "https://code.claude.com/docs/en/hooks, checked 2026-11-29"
_AGENT: Final = "claude-code"
# Variables that many commands read and that nobody sets.
_UNSET: Final = re.compile(r"\$\{?(CLAUDE_(?:TOOL_[A-Z_]+|FILE_PATHS?|USER_PROMPT|NOTIFICATION))\b")
# A shell may pass arguments of its own.
_ARGUMENT: Final = re.compile(r"(?<![\\\w$])\$(?:1\b|\{1[:}])")
_PASSES: Final = re.compile(r"\bset --|\bawk\b|\bxargs\b|\bfunction\b|\(\)\s*\{|['\"]\s+\S+\s+\S+\s*$")
_FAILS: Final = re.compile(r"\bexit 1\b")
_FORBIDS: Final = re.compile(r"\b(?:block|den[iy]|forbid|refus|prohibit|not allowed|must not|cannot|never)", re.I)
_EVENTS_THAT_BLOCK: Final = frozenset(("PreToolUse", "UserPromptSubmit"))


class _Flaw(NamedTuple):
    """A flaw of a hook's command: the word at fault, a subject, and sentences for one finding and for several."""

    word: str
    subject: str
    fact: str
    many: str
    remedy: str


def hook_commands(audited: Audited) -> Iterator[Finding]:
    """Flaws of the commands in the project's settings, each kind once in a file."""
    for file in SETTINGS:
        text = audited.text(file) or ""
        told = dict[_Flaw, str]()
        for event, command in _commands(audited, file):
            for flaw in _flaws(event, command, text):
                told.setdefault(flaw, command)
        for flaw, command in told.items():
            # A file may write a command with other escapes.
            words = (json.dumps(command, ensure_ascii=False), flaw.word)
            at = next((place for word in words if (place := text.find(word)) >= 0), 0)
            line = text.count("\n", 0, at) + 1
            cause = f"{_AGENT}: {flaw.subject.partition(' ')[0]}"
            more = (_AGENT, flaw.subject, Remedy(flaw.remedy), cause, flaw.many)
            yield Finding("unknown-name", "warning", flaw.fact, file, line, 0, _SRC, *more)


def _commands(audited: Audited, file: str) -> Iterator[tuple[str, str]]:
    events = value_at(f"{file}#hooks", audited.text)
    for event, groups in events.items() if isinstance(events, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            hooks = group.get("hooks") if isinstance(group, dict) else None
            for hook in hooks if isinstance(hooks, list) else ():
                command = hook.get("command") if isinstance(hook, dict) else None
                if isinstance(command, str):
                    yield str(event), command


def _flaws(event: str, command: str, settings: str) -> Iterator[_Flaw]:
    for name in _UNSET.findall(command):
        # The settings or the command itself may set it.
        if f"{name}=" not in command and f'"{name}"' not in settings:
            fact = f"Claude Code does not know the variable `{name}`"
            many = f"Claude Code does not know {{subjects}} variables, such as `{name}`"
            yield _Flaw(name, f"variable {name}", fact, many, "read it from the JSON on the standard input")
    if _ARGUMENT.search(command) and not _PASSES.search(command):
        fact = "a hook reads `$1`, but Claude Code gives hooks no arguments"
        yield _Flaw("$1", "argument $1", fact, fact, "read the JSON on the standard input")
    if event in _EVENTS_THAT_BLOCK and _FAILS.search(command) and _FORBIDS.search(command):
        fact = "a hook forbids something with `exit 1`, after which Claude Code goes on"
        yield _Flaw("exit 1", "status exit 1", fact, fact, "write `exit 2`, which blocks")
