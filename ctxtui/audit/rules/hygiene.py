"""Rules about text that should not reach a model: credentials, invisible characters, encoded data."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from ctxtui.agents import load_table
from ctxtui.agents.configuration import file_of
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import is_fixture, is_sample, is_stand_in
from ctxtui.audit.rules.phrases import listed
from ctxtui.audit.text.dense import Blob
from ctxtui.audit.text.facts import split_lines
from ctxtui.audit.text.invisible import TAGS, Hidden, find_prefix, without_hidden
from ctxtui.audit.text.leaks import Leak, find_leaks
from ctxtui.audit.types import Finding, Remedy, Severity
from ctxtui.core.base.wording import plural
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.text.secrets import find_secrets

_SHAPE = "matches the published shape of the credential"
_NAMED = "a random value under the name of a credential"
_BROWSER_KEY = "google-key"
_CLIENT = re.compile(
    r"authDomain|firebaseapp\.com|\b(?:NEXT_PUBLIC|EXPO_PUBLIC|VITE|REACT_APP|PUBLIC)_\w*FIREBASE\w*"
)
# Settings of agents, in which MCP servers, hooks and programs get their keys.
_ANYWHERE = (".mcp.json", "opencode.json", "opencode.jsonc")
_SETTINGS = frozenset(
    "mcp.json mcp_config.json settings.json settings.local.json config.toml config.json hooks.json".split()
)
_FOLDERS = frozenset(
    ".claude .codex .cursor .gemini .github .kilocode .kiro .opencode .qwen .roo .trae .vscode .windsurf".split()
)
_AROUND = 8
_QUOTED = 30
_CUT_WORD = re.compile(r"\A[!-~]+")
_UNICODE = "https://www.unicode.org/reports/tr36/"


def secrets(audited: Audited) -> Iterator[Finding]:
    for reference, facts in audited.facts():
        by_kind: defaultdict[str, list[Leak]] = defaultdict(list)
        for leak in facts.leaks:
            by_kind[leak.kind].append(leak)
        for kind, leaks in by_kind.items():
            times = f", {plural(len(leaks), 'time')}" if len(leaks) > 1 else ""
            message = f"contains what looks like a credential ({kind}){times}; exports redact it, agents read it"
            is_sure = any(leak.sure for leak in leaks)
            is_public = kind == _BROWSER_KEY and all(_is_of_client(audited, reference, leak) for leak in leaks)
            severity: Severity = "info" if is_public else "error" if is_sure else "warning"
            remedy = Remedy(
                "restrict it to your sites, apps and APIs: clients contain it by design" if is_public else ""
            )
            path, line, evidence = reference.path, leaks[0].line, _SHAPE if is_sure else _NAMED
            yield Finding("secret", severity, message, path, line, evidence=evidence, subject=kind, remedy=remedy)
    yield from _in_settings(audited)


def _in_settings(audited: Audited) -> Iterator[Finding]:
    """Credentials in the settings and lists of MCP servers that the project keeps for agents."""
    known = {path for reference in audited.references for path in reference.paths}
    by_name = (f"{folder}/{name}" for folder in sorted(_FOLDERS) for name in sorted(_SETTINGS))
    table = load_table() if audited.table is None else audited.table
    places = (place for agent in table for each in agent.uncounted for place in each.places if "#" in place)
    at_root = (*_ANYWHERE, *map(file_of, places), *by_name)
    below = (path for path in audited.paths if posixpath.basename(path) in _ANYWHERE)
    for path in dict.fromkeys((*at_root, *below)):
        # What git ignores is for one person.
        is_kept = path not in known and audited.exists(path) and not audited.is_made_later(path)
        text = audited.text(path) if is_kept and not is_fixture(path) else None
        for leak in find_leaks(text, find_secrets(text, audited.workspace.reader.cache)) if text else ():
            message = f"contains what looks like a credential ({leak.kind}), for everyone who has the project"
            severity: Severity = "error" if leak.sure else "warning"
            evidence = _SHAPE if leak.sure else _NAMED
            remedy = Remedy("name a variable of the environment instead, and revoke it")
            found = (message, path, leak.line, 0, evidence, None, leak.kind, remedy)
            yield Finding("secret", severity, *found)


def _is_of_client(audited: Audited, reference: Reference, leak: Leak) -> bool:
    """Whether a key is in the public configuration of a client, by the lines around it."""
    lines = split_lines(audited.text(reference.path) or "")
    return _CLIENT.search("\n".join(lines[max(leak.line - _AROUND, 0) : leak.line + _AROUND])) is not None


def invisible(audited: Audited) -> Iterator[Finding]:
    """Characters that models read as prose and people cannot see."""
    for reference, facts in audited.facts():
        if facts.hidden and _is_instruction(audited, reference):
            yield _hidden(audited, reference, facts.hidden)


def _is_instruction(audited: Audited, reference: Reference) -> bool:
    """Whether models read a file as prose. Code and the inputs of tests may need invisible characters."""
    path = reference.path
    if is_stand_in(path):
        return False
    is_read = not audited.read.isdisjoint(reference.paths)
    return is_read or (audited.is_prose(reference) and not (is_sample(path) or is_fixture(path)))


def _hidden(audited: Audited, reference: Reference, hidden: Sequence[Hidden]) -> Finding:
    counts: Counter[str] = Counter()
    for each in hidden:
        counts[each.kind] += each.count
    codes = listed(sorted({code for each in hidden for code in each.codes}))
    kinds = f"{' and '.join(plural(count, kind) for kind, count in counts.most_common())} ({codes})"
    lines = dict.fromkeys(each.line for each in hidden)
    where = f"line {next(iter(lines)):,}" if len(lines) == 1 else plural(len(lines), "line")
    split = split_lines(audited.text(reference.path) or "")
    shown = [split[line - 1] for line in lines if line <= len(split)]
    tokens = sum(audited.count(line) - audited.count(without_hidden(line)) for line in shown)
    severity: Severity = "error" if TAGS in counts else "warning"
    quoted = f": “{_around(shown[0])}”" if shown else ""
    message = f"{kinds} in {where}, which the model reads and people cannot see{quoted}"
    path, line = reference.path, hidden[0].line
    return Finding("invisible-text", severity, message, path, line, max(tokens, 0), _UNICODE)


def _around(line: str) -> str:
    """The words around the first invisible character, which is shown as a mark."""
    place = len(find_prefix(line))
    start = max(place - _QUOTED, 0)
    before, after = without_hidden(line[start:place]), line[place:]
    if start:
        # A cut word may be the rest of an escape.
        before = _CUT_WORD.sub("", before)
    return f"{before.lstrip()}␣{without_hidden(after)[:_QUOTED].rstrip()}"


def blobs(audited: Audited) -> Iterator[Finding]:
    """Encoded data and minified code."""
    for reference, facts in audited.prose():
        if not facts.blobs:
            continue
        split = split_lines(audited.text(reference.path) or "")
        sized = [(blob, audited.count("\n".join(split[blob.first - 1 : blob.last]))) for blob in facts.blobs]
        large = [(blob, tokens) for blob, tokens in sized if tokens >= audited.settings.blob_tokens]
        if large:
            yield _blobs(audited, reference, large)


def _blobs(audited: Audited, reference: Reference, large: Sequence[tuple[Blob, int]]) -> Finding:
    tokens = sum(cost for _, cost in large)
    blob, cost = max(large, key=lambda each: each[1])
    where = f"line {blob.first:,}" if blob.first == blob.last else f"lines {blob.first:,} to {blob.last:,}"
    more = f" ({plural(len(large), 'place')} in all, {plural(tokens, 'token')})" if len(large) > 1 else ""
    message = f"{blob.kind} of {plural(cost, 'token')} in {where}{more}"
    path, evidence = reference.path, audited.measured
    return Finding("blob", "info", message, path, blob.first, tokens, evidence, subject=blob.kind)
