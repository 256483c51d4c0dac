"""The rule about tools, models and events that an agent does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from ctxtui.agents.configuration import value_at
from ctxtui.audit.context import Audited
from ctxtui.audit.rules.remedies import put_in
from ctxtui.audit.text.facts import split_lines
from ctxtui.audit.text.near import near_name
from ctxtui.audit.types import Finding, Remedy, Severity
from ctxtui.core.text.data.toml import packaged_toml

_CLAUDE: Final = "claude-code"
_SETTINGS: Final = (".claude/settings.json", ".claude/settings.local.json")
_HOOKS: Final = ((_CLAUDE, _SETTINGS), ("cursor", (".cursor/hooks.json",)))
# A tool with what it may do in parentheses. Names with other signs are those of servers and plugins.
_TOOL: Final = re.compile(r"([^\s,(]+)(?:\([^)]*\)?)?")
_PLAIN: Final = re.compile(r"(?!\w*__)[A-Za-z][A-Za-z_]*")
# Identifiers of models and of other providers may be any.
_MODEL: Final = re.compile(r"(?!.*(?:claude|anthropic))[A-Za-z][\w.-]*", re.IGNORECASE)
_PATTERNS: Final = {"model": _MODEL, "color": re.compile(".+")}
_KEYS: Final = ("tools", "disallowedTools", "allowed-tools")


class Named(NamedTuple):
    """A name in a file: the agent that reads it, what it is, and the names of this kind that the agent knows."""

    path: str
    agent: str
    kind: str
    name: str
    known: tuple[str, ...]


def unknown_names(audited: Audited) -> Iterator[Finding]:
    """Names in metadata and settings that an agent does not know, each once in a file."""
    known = _known()
    for each in dict.fromkeys((*_in_metadata(audited), *_in_settings(audited))):
        pattern = _PATTERNS.get(each.kind, _PLAIN)
        if each.name not in each.known and pattern.fullmatch(each.name):
            yield _finding(audited, each, known[_CLAUDE]["gone"])


@cache
def _known() -> dict[str, Any]:
    return packaged_toml(__package__, "known_names.toml")


def _in_metadata(audited: Audited) -> Iterator[Named]:
    """The tools and models of Claude Code's agents, skills and commands."""
    known = _known()
    tools = (*known[_CLAUDE]["tools"], *known["copilot-cli"]["tools"])
    for context in audited.real_agents:
        for charge in context.charges if context.agent.id == _CLAUDE else ():
            if charge.imported_by or charge.row.kind not in ("agent", "skill", "command"):
                continue
            if charge.moment == "never" or audited.is_vendored(charge.path):
                continue
            meta = audited.files.meta(charge.path, charge.row) or {}
            for key in _KEYS:
                for name in _tools(meta.get(key)):
                    yield Named(charge.path, _CLAUDE, "tool", name, tools)
            color = meta.get("color")
            if charge.row.kind == "agent" and isinstance(color, str):
                yield Named(charge.path, _CLAUDE, "color", color, tuple(known[_CLAUDE]["colors"]))
            model = meta.get("model")
            if isinstance(model, str) and model:
                yield Named(charge.path, _CLAUDE, "model", model.partition("[")[0], tuple(known[_CLAUDE]["models"]))


def _in_settings(audited: Audited) -> Iterator[Named]:
    """The tools of permissions, and the events of hooks."""
    known = _known()
    for file in _SETTINGS:
        permissions = value_at(f"{file}#permissions", audited.text)
        lists = permissions.values() if isinstance(permissions, dict) else ()
        for each in (each for list_ in lists if isinstance(list_, list) for each in list_):
            # A permission is one tool, and its parentheses may have any text.
            name = each.partition("(")[0] if isinstance(each, str) else ""
            yield Named(file, _CLAUDE, "tool", name, tuple(known[_CLAUDE]["tools"]))
    for agent, places in _HOOKS:
        for file in places:
            events = value_at(f"{file}#hooks", audited.text)
            for name in events if isinstance(events, dict) else ():
                yield Named(file, agent, "hook event", str(name), tuple(known[agent]["events"]))


def _tools(value: object) -> Iterator[str]:
    """The names in a list, or in a text with commas, without what each tool may do."""
    # A reader may have divided a text at the commas within parentheses.
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
    yield from _TOOL.findall(text) if isinstance(text, str) else ()


def _finding(audited: Audited, named: Named, gone: Mapping[str, str]) -> Finding:
    path, agent, kind, name, known = named
    line = _line_of(audited, path, name)
    is_gone = kind == "tool" and name in gone
    meant = gone[name] if is_gone else near_name(name, known)
    # A new version may know names that are not like others.
    severity: Severity = "warning" if is_gone or meant else "info"
    message = f"{_NAMES[agent]} {'no longer knows' if is_gone else 'does not know'} the {kind} `{name}`"
    many = f"{message}, in {{count}} files"
    remedy = Remedy("remove it") if is_gone else Remedy("")
    if meant:
        remedy = Remedy(f"write `{meant}`", "", meant, put_in(audited, path, line, name, meant))
    data = _known()[agent]
    evidence, subject = f"{data['src']}, checked {data['checked']}", f"{kind} {name}"
    cause = f"{agent}: {kind} {name}"
    return Finding("unknown-name", severity, message, path, line, 0, evidence, agent, subject, remedy, cause, many)


_NAMES: Final = {_CLAUDE: "Claude Code", "cursor": "Cursor"}


def _line_of(audited: Audited, path: str, name: str) -> int:
    pattern = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    lines = enumerate(split_lines(audited.text(path) or ""), 1)
    return next((number for number, line in lines if pattern.search(line)), 1)
