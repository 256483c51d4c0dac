"""Settings of agents: text that an agent refuses, and scripts for hooks that nothing runs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ctxtui.agents.configuration import parse_data
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


class _Read(NamedTuple):
    """A settings file that its agent must be able to parse. `refused.toml` explains the fields."""

    agent: str
    cost: str
    src: str
    extras: str = ""
    table: str = ""


def refused_settings(audited: Audited) -> Iterator[Finding]:
    """Configurations that their agent cannot parse."""
    agents = {context.agent.id for context in audited.real_agents}
    for path, row in packaged_toml(__package__, "refused.toml").items():
        how, text = _Read(**row), audited.text(path) or ""
        problem = _problem(path, text, how) if how.agent in agents and text.strip() else None
        if problem:
            message, line = f"{how.cost}: {problem}", problem.line + 1
            yield Finding("refused-configuration", "error", message, path, line, 0, how.src, how.agent)


def _problem(path: str, text: str, how: _Read) -> DataProblem | None:
    try:
        load_toml(text) if path.endswith(".toml") else load_jsonc(text)
    except DataProblem as problem:
        return problem
    is_strict = path.endswith(".json") and how.extras != "all"
    refused = json_problem(text, comments=how.extras == "comments") if is_strict else None
    if refused:
        kind = "a last comma" if how.extras else "a comment or a last comma"
        return DataProblem(f"{kind}, which other agents take", refused.line)
    table = parse_data(path, text).get(how.table, {}) if how.table else {}
    line = key_lines(path, text)((how.table,)) or 1
    return None if isinstance(table, dict) else DataProblem(f"`{how.table}` is no table of servers", line - 1)


def unused_hooks(audited: Audited) -> Iterator[Finding]:
    """Scripts in Claude Code's folder for hooks that nothing runs. Only settings make a script a hook."""
    scripts = (path for path in audited.paths if _HOOK.fullmatch(path) and not audited.is_vendored(path))
    hooks = [path for path in scripts if not _TEST.search(posixpath.basename(path))]
    for path in sorted(named_nowhere(audited, hooks, lambda other: not is_markdown(other))):
        if any(_is_run(posixpath.basename(path), audited.text(each.path) or "") for each in audited.references):
            continue
        settings = posixpath.join(posixpath.dirname(posixpath.dirname(path)), "settings.json")
        why = f"no entry of `hooks` in {settings} does"
        if not audited.exists(settings):
            why = f"git ignores {settings}" if audited.is_made_later(settings) else f"there is no {settings}"
        message = f"nothing runs this script: {why}"
        many = f"nothing runs these {{count}} scripts: {why}"
        remedy = Remedy(f"name it in {settings}, or remove it", f"name them in {settings}, or remove them")
        evidence, cause = "the name occurs in no settings, manifest or script", f"hooks of {settings}"
        tokens = audited.tokens(path) or 0
        found = (message, path, 1, tokens, evidence, "claude-code", "hook", remedy, cause, many)
        yield Finding("never-loaded", "info", *found)


def _is_run(name: str, text: str) -> bool:
    """Whether a text tells to run, link or copy a script."""
    starts = (found.start() for found in re.finditer(re.escape(name), text))
    return any(_RUNS.search(text[max(0, start - _NEAR) : start]) for start in starts)
