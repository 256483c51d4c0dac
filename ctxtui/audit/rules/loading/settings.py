"""Settings of agents: text that an agent refuses, scripts for hooks that nothing runs, and hooks that do not work."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ctxtui.agents.project.configuration import parse_data, value_at
from ctxtui.audit.context import Audited
from ctxtui.audit.text.named import named_nowhere
from ctxtui.audit.types import Finding, Remedy
from ctxtui.core.text.data.bounds import DataProblem
from ctxtui.core.text.data.jsonc import json_problem, load_jsonc
from ctxtui.core.text.data.lines import key_lines
from ctxtui.core.text.data.toml import load_toml, packaged_toml
from ctxtui.core.text.markdown.scan import is_markdown

# A program that takes a script, in the line and the code span before its name.
_RUNS: Final = re.compile(r"\b(?:bash|sh|python3?|node|ln -s|cp|source) [^\n`]*\Z")
_NEAR: Final = 200
# The test of a hook is none.
_TEST: Final = re.compile(r"(?:^|[._-])tests?[._-]")
_HOOK: Final = re.compile(r"(?:.*/)?\.claude/hooks/[^/]+\.(?:sh|bash|py|rb|[cm]?[jt]s|ps1)")
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
# Seconds that nobody waits for a hook, so that milliseconds are meant.
_LONG: Final = 10_000


class _ParsedSettings(NamedTuple):
    """A settings file that its agent must be able to parse. `refused.toml` explains the fields."""

    agent: str
    cost: str
    src: str
    extras: str = ""
    table: str = ""


def refused_settings(audited: Audited) -> Iterator[Finding]:
    """Configurations that an agent in use cannot parse. Empty files are left out."""
    agents = {context.agent.id for context in audited.real_agents}
    for path, row in packaged_toml(__package__, "refused.toml").items():
        settings, text = _ParsedSettings(**row), audited.text(path) or ""
        problem = _problem(path, text, settings) if settings.agent in agents and text.strip() else None
        if problem:
            message, line = f"{settings.cost}: {problem}", problem.line + 1
            yield Finding("refused-configuration", "error", message, path, line, 0, settings.src, settings.agent)


def _problem(path: str, text: str, settings: _ParsedSettings) -> DataProblem | None:
    """The error in a text, comments and last commas where the agent takes none, or a value that is no table."""
    try:
        load_toml(text) if path.endswith(".toml") else load_jsonc(text)
    except DataProblem as problem:
        return problem
    extras, key = settings.extras, settings.table
    is_strict = path.endswith(".json") and extras != "all"
    refused = json_problem(text, comments=extras == "comments") if is_strict else None
    if refused:
        kind = "a last comma" if extras else "a comment or a last comma"
        return DataProblem(f"{kind}, which other agents take", refused.line)
    table = parse_data(path, text).get(key, {}) if key else {}
    line = key_lines(path, text)((key,)) or 1
    return None if isinstance(table, dict) else DataProblem(f"`{key}` is no table of servers", line - 1)


def unused_hooks(audited: Audited) -> Iterator[Finding]:
    """Scripts in Claude Code's folder for hooks that nothing runs. Only settings make a script a hook."""
    scripts = (path for path in audited.paths if _HOOK.fullmatch(path) and not audited.is_vendored(path))
    hooks = [path for path in scripts if not _TEST.search(posixpath.basename(path))]
    for path in sorted(named_nowhere(audited, hooks, lambda other: not is_markdown(other))):
        if any(_is_run(posixpath.basename(path), audited.text(each.path) or "") for each in audited.references):
            continue
        settings = posixpath.join(posixpath.dirname(posixpath.dirname(path)), "settings.json")
        is_there = audited.exists(settings)
        if not is_there and audited.is_made_later(settings):
            # Everybody has settings of their own.
            continue
        why = f"no entry of `hooks` in {settings} does" if is_there else f"there is no {settings}"
        message = f"nothing runs this script: {why}"
        many = f"nothing runs these {{count}} scripts: {why}"
        remedy = Remedy(f"name it in {settings}, or remove it", f"name them in {settings}, or remove them")
        evidence, cause = "the name occurs in no settings, manifest or script", f"hooks of {settings}"
        found = (message, path, 1, 0, evidence, "claude-code", "hook", remedy, cause, many)
        yield Finding("never-loaded", "info", *found)


def _is_run(name: str, text: str) -> bool:
    """Whether a text tells to run, link or copy a script."""
    starts = (found.start() for found in re.finditer(re.escape(name), text))
    return any(_RUNS.search(text[max(0, start - _NEAR) : start]) for start in starts)


class _Flaw(NamedTuple):
    """A flaw of a hook's command: the word at fault, a subject, and sentences for one finding and for several."""

    word: str
    subject: str
    fact: str
    many: str
    remedy: str


def hook_commands(audited: Audited) -> Iterator[Finding]:
    """Flaws of the hooks in the project's settings, each kind once in a file."""
    for file in SETTINGS:
        text = audited.text(file) or ""
        first_commands = dict[_Flaw, str]()
        for event, command, timeout in _hooks_with_timeouts(audited, file):
            for flaw in _flaws(event, command, timeout, text):
                first_commands.setdefault(flaw, command)
        for flaw, command in first_commands.items():
            # A file may write a command with other escapes.
            words = (json.dumps(command, ensure_ascii=False), flaw.word)
            at = next((place for word in words if (place := text.find(word)) >= 0), 0)
            line = text.count("\n", 0, at) + 1
            cause = f"{_AGENT}: {flaw.subject.partition(' ')[0]}"
            more = (_AGENT, flaw.subject, Remedy(flaw.remedy), cause, flaw.many)
            yield Finding("unknown-name", "warning", flaw.fact, file, line, 0, _SRC, *more)


def _hooks_with_timeouts(audited: Audited, file: str) -> Iterator[tuple[str, str, object]]:
    """The event, the command and the `timeout` of each hook in a settings file, None for one without a timeout."""
    events = value_at(f"{file}#hooks", audited.text)
    for event, groups in events.items() if isinstance(events, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            hooks = group.get("hooks") if isinstance(group, dict) else None
            for hook in hooks if isinstance(hooks, list) else ():
                command = hook.get("command") if isinstance(hook, dict) else None
                if isinstance(command, str):
                    yield str(event), command, hook.get("timeout")


def _flaws(event: str, command: str, timeout: object, settings: str) -> Iterator[_Flaw]:
    """The flaws of a hook's command. `settings` is the text of its file, which may set variables."""
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
    if isinstance(timeout, int) and timeout >= _LONG and timeout % 100 == 0:
        fact = f"a hook may take {timeout:,} seconds, because Claude Code does not count milliseconds"
        many = "{count} hooks may take hours, because Claude Code does not count milliseconds"
        yield _Flaw(str(timeout), f"timeout {timeout}", fact, many, "write seconds")
