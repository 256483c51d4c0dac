"""The rule about configurations that name missing files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from ctxtui.agents import AgentContext
from ctxtui.agents.configuration import names_at, value_at
from ctxtui.agents.globs import is_literal
from ctxtui.audit.context import Audited
from ctxtui.audit.rules.phrases import source_of
from ctxtui.audit.text.named import made_by_project
from ctxtui.audit.types import Finding, Severity
from ctxtui.core.text.patterns.globs import compile_glob

_ELSEWHERE = re.compile(r"^[~/$]|^[A-Za-z][A-Za-z0-9+.-]*:|^\.\./|\$\{|%")
_SETTINGS = ".claude/settings.json"
_OF_PROJECT = re.compile(r"\$\{?CLAUDE_PROJECT_DIR\}?[\"']?/([\w./-]{1,300})")
# A command that looks whether the file exists, or does without it.
_TOLERANT = re.compile(r"(?:\[|\btest)\s+(?:!\s+)?-[a-z]\s|\bif\s+\[|\|\|\s*(?:true\b|:|exit\s+0\b)")
_MOST_HOOKS = 500


class Missing(NamedTuple):
    """A file that does not exist: the file that names it, its name as written, for which agent, and who wants it."""

    file: str
    name: str
    context: AgentContext
    who: str


def missing_files(audited: Audited) -> Iterator[Finding]:
    """Missing files that the configuration of an agent, a plugin or a hook names."""
    found = list(_missing(audited))
    # All at once: every context file is read for it.
    made = made_by_project(audited, (each.name for each in found))
    yield from (_finding(audited, each, each.name in made) for each in found)


def _missing(audited: Audited) -> Iterator[Missing]:
    for context in audited.agents:
        yield from _of_packages(context)
        if not context.agent.installable:
            yield from _of_rows(audited, context)
    yield from _of_hooks(audited)


def _of_packages(context: AgentContext) -> Iterator[Missing]:
    for package in context.packages:
        for path in package.missing:
            yield Missing(package.manifest, path, context, f"the plugin {package.name} names")


def _of_rows(audited: Audited, context: AgentContext) -> Iterator[Missing]:
    refs = dict.fromkeys(ref for row in context.agent.rows if row.at != "home" for ref in row.listed_in)
    told = set()
    for name, file in names_at(tuple(refs), audited.text, ("",)):
        is_known = (name, file) in told or _ELSEWHERE.search(name) or _is_there(audited, name, file)
        if not is_known and not (is_literal(name) and audited.is_made_later(posixpath.normpath(name))):
            told.add((name, file))
            yield Missing(file, name, context, f"{context.agent.name} is configured to read")


def _is_there(audited: Audited, name: str, file: str) -> bool:
    """Whether a name leads to a file from the root, or from the folder of the configuration."""
    places = {posixpath.normpath(posixpath.join(base, name)) for base in ("", posixpath.dirname(file))}
    if is_literal(name):
        # Agents may look for a bare name in every folder on the way.
        bare = f"/{name}" if "/" not in name else "\0"
        return any(map(audited.exists, places)) or any(path.endswith(bare) for path in audited.paths)
    return any(any(map(compile_glob(place).matches, audited.all_paths or audited.paths)) for place in places)


def _of_hooks(audited: Audited) -> Iterator[Missing]:
    claude = next((each for each in audited.real_agents if each.agent.id == "claude-code"), None)
    if claude is None:
        return
    told = set()
    for command in _commands(value_at(f"{_SETTINGS}#hooks", audited.text)):
        if _TOLERANT.search(command):
            continue
        for path in _OF_PROJECT.findall(command):
            if path not in told and not audited.exists(posixpath.normpath(path)):
                told.add(path)
                yield Missing(_SETTINGS, path, claude, "a hook runs")


def _commands(value: object) -> Iterator[str]:
    """The commands in a table of hooks, at any depth."""
    todo, seen = [value], 0
    while todo and seen < _MOST_HOOKS:
        each, seen = todo.pop(), seen + 1
        if isinstance(each, dict):
            command = each.get("command")
            if isinstance(command, str):
                yield command
            todo += each.values()
        elif isinstance(each, list):
            todo += each


def _finding(audited: Audited, missing: Missing, is_made: bool) -> Finding:
    file, name, context, who = missing
    made = "; the project says that it is generated" if is_made else ""
    offset = max((audited.text(file) or "").find(name), 0)
    line = (audited.text(file) or "").count("\n", 0, offset) + 1
    severity: Severity = "info" if is_made else "warning"
    message, many = f"{who} {name}, which does not exist{made}", f"{{count}} files that {file} names do not exist"
    evidence, agent = source_of(context.agent), context.agent.id
    return Finding("missing-file", severity, message, file, line, 0, evidence, agent, name, cause=file, many=many)
