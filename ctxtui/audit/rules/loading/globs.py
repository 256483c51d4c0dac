"""Rules about globs that an agent ignores, and globs without a match."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice

from ctxtui.agents.costs import Charge
from ctxtui.agents.loads import Scope
from ctxtui.agents.project.base import is_above
from ctxtui.agents.project.frontmatter import globs_of, holds
from ctxtui.agents.project.globs import Trigger, narrows, split_globs
from ctxtui.agents.types import AT_START, LISTED
from ctxtui.audit.context import Audited
from ctxtui.audit.rules.phrases import AgentCharge, agent_names, contexts_in, finding_of, is_plural, short_list
from ctxtui.audit.rules.references.removed import Removal, removed
from ctxtui.audit.rules.remedies import replace_on_line, set_keys_at
from ctxtui.audit.types import Finding, Remedy, Severity
from ctxtui.core.text.globs import compile_glob

# Real rules have fewer globs, and each is compared with every path.
_MOST_GLOBS = 100
# The literal folders of a glob.
_LITERAL = re.compile(r"[^*?\[{]+(?=/|$)")
_GLOB_KEYS = ("globs", "paths", "applyTo", "fileMatchPattern", "glob")
_CHOSEN, _CHOSEN_ALL = "loads only if the model chooses it", "load only if the model chooses them"
_QUOTES = "\"'"
# The rows whose files the model may also choose by their description.
_OFFERED = ("copilot.scoped",)
_NESTED = re.compile(r"\{[^}]*\{")


def ignored_globs(audited: Audited) -> Iterator[Finding]:
    """Rules with globs that an agent ignores, so that they always load."""
    ignored: defaultdict[tuple[str, str, Remedy], list[AgentCharge]] = defaultdict(list)
    for context, charge in audited.real_charges(*AT_START, *LISTED):
        key = _ignored_key(charge, audited)
        if key:
            ignored[charge.path, key, _remedy(key, charge, audited)].append((context, charge))
    for (path, key, remedy), met in ignored.items():
        contexts, line = contexts_in(met), audited.line_of(path, key)
        who = f"{agent_names(contexts)} {'ignore' if is_plural(contexts) else 'ignores'} `{key}`"
        # The model may still choose a rule by its description.
        loads, load = ("always loads", "always load") if met[0][1].moment in AT_START else (_CHOSEN, _CHOSEN_ALL)
        message, many = f"{who}, so the rule {loads}", f"{who} of {{count}} rules, which therefore {load}"
        tokens, more = met[0][1].tokens or 0, {"remedy": remedy, "cause": f"{who}: {remedy.words}", "many": many}
        # A rule with a switch may be meant to load always.
        severity: Severity = "info" if _always_switch(met[0][1], audited) else "warning"
        yield finding_of(met, "globs-ignored", severity, message, line, tokens, key, **more)


def _remedy(key: str, charge: Charge, audited: Audited) -> Remedy:
    """The remedy for globs that an agent ignores. It has steps only if every glob matches a file."""
    switch, path, own = _always_switch(charge, audited), charge.path, charge.row.globs
    if switch and key in own:
        return Remedy(f"drop `{switch}`, or the globs")
    words = f"write `{key}` as a YAML list" if key in own else f"write `{own[0]}`"
    globs = globs_of((audited.files.meta(path, charge.row) or {}).get(key, ()))
    return Remedy(words, steps=set_keys_at(audited, path, {own[0]: globs}) if match_files(audited, globs) else ())


def match_files(audited: Audited, globs: Sequence[str]) -> bool:
    """Whether there are globs, and each matches a file of the project."""
    return bool(globs) and all(any(map(compile_glob(glob).matches, audited.paths)) for glob in globs)


def _ignored_key(charge: Charge, audited: Audited) -> str | None:
    """The key whose globs an agent ignores: another agent's, text in place of a list, or under a switch, or None."""
    row = charge.row
    if not row.globs or charge.imported_by:
        return None
    meta = audited.files.meta(charge.path, row) or {}
    keys = [key for key in _GLOB_KEYS if globs_of(meta.get(key, ()))]
    own = next((key for key in keys if key in row.globs), None)
    if own is None:
        # A rule that is to load always needs no globs.
        is_meant = keys and narrows(globs_of(meta[keys[0]])) and not _always_switch(charge, audited)
        return keys[0] if is_meant else None
    if _always_switch(charge, audited):
        return own if narrows(globs_of(meta[own])) else None
    takes_lists_only = any(case.test == f"{own}=[*]" and case.moment == "touch" for case in row.load)
    return own if takes_lists_only and isinstance(meta[own], str) else None


def _always_switch(charge: Charge, audited: Audited) -> str:
    """The frontmatter line that makes a rule load always despite its globs, such as `alwaysApply: true`, or empty."""
    meta = audited.files.meta(charge.path, charge.row) or {}
    case = next((case for case in charge.row.load if holds(case.test, meta)), None)
    key, _, value = case.test.partition("=") if case else ("", "", "")
    return f"{key}: {value}" if value == "true" else ""


def dead_globs(audited: Audited) -> Iterator[Finding]:
    """Rules of which no glob matches a file of the project. Of more than 100 globs, only the first count."""
    met: defaultdict[tuple[str, tuple[Scope, ...]], list[AgentCharge]] = defaultdict(list)
    for context, charge in audited.real_charges("touch"):
        # Rules above the opened folder may match files elsewhere.
        if charge.row.globs and not charge.imported_by and not is_above(charge.path):
            met[charge.path, charge.scopes].append((context, charge))
    dead: defaultdict[tuple[str, tuple[str, ...]], list[AgentCharge]] = defaultdict(list)
    for (path, scopes), agents in met.items():
        by_glob = dict(pair for scope in scopes for pair in scope.each())
        if by_glob and all(_is_dead(scope, audited) for scope in islice(by_glob.values(), _MOST_GLOBS)):
            dead[path, tuple(by_glob)] += agents
    gone = removed(audited, (_literal_folder(glob) for _, globs in dead for glob in globs))
    yield from (_dead_finding(audited, *rule, agents, gone) for rule, agents in dead.items())


def _dead_finding(
    audited: Audited, path: str, dead: Sequence[str], met: list[AgentCharge], gone: Mapping[str, Removal]
) -> Finding:
    """The finding about a rule whose `dead` globs match nothing.

    A warning if the fault, the new place or, for a single glob, the removal of its folder is known.
    """
    # The quotes of a list that its reader takes for a text.
    charge, shown = met[0][1], short_list([f"`{glob.strip(_QUOTES)}`" for glob in dead])
    match = "matches" if len(dead) == 1 else "match"
    is_offered = charge.row.id in _OFFERED and bool((audited.files.meta(path, charge.row) or {}).get("description"))
    then = "only its description may bring the rule" if is_offered else "the rule never loads"
    message, words = f"{shown} {match} no file; {then}", ""
    if charge.row.whole_globs and any(len(split_globs(glob)) > 1 for glob in dead):
        message, words = f"{message}; commas do not separate globs here", "write a YAML list"
    if any(glob.endswith("/") for glob in dead):
        message, words = f"{message}; a pattern that ends in `/` never matches a file", "write `…/**`"
    if charge.row.globs_as.anywhere and any(glob.startswith(("/", "./")) for glob in dead):
        message += "; the agent compares whole paths of the machine"
        words = "write it without `/` or `./` at its start"
    known = {folder: gone[folder] for glob in dead if (folder := _literal_folder(glob)) in gone}
    message = "; ".join((message, *(removal.told_of(folder) for folder, removal in known.items())))
    moved = [] if words else [_moved_glob(audited, glob, gone) for glob in dead]
    # The files of another glob may be there one day.
    is_sure = bool(words or (moved and all(moved)) or (known and len(dead) == 1))
    severity: Severity = "warning" if is_sure else "info"
    line, subject = audited.line_of(path, *charge.row.globs), ", ".join(dead)
    tokens = 0 if is_offered else charge.tokens or 0
    cause, many = f"{charge.row.id}: {subject}", f"{shown} {match} no file; {{count}} rules never load"
    if not is_sure or is_offered:
        cause, many = f"{charge.row.id}: dead", f"the globs of {{count}} rules match no file, such as {shown}"
    remedy = Remedy(words)
    if moved and all(moved):
        block = audited.files.block(path)
        numbers = range(line, line + (block.text.count("\n") + 1 if block else 1))
        steps = [
            next(filter(None, (replace_on_line(audited, path, number, old, new) for number in numbers)), ())
            for old, new in zip(dead, moved, strict=True)
        ]
        new = short_list([f"`{glob}`" for glob in moved])
        remedy = Remedy(f"write {new}", steps=tuple(chain.from_iterable(steps)) if all(steps) else ())
    more = {"remedy": remedy, "cause": cause, "many": many}
    return finding_of(met, "dead-glob", severity, message, line, tokens, subject, **more)


def _literal_folder(glob: str) -> str:
    """The folders at the beginning of a glob, up to the first wildcard, without a final slash."""
    head = _LITERAL.match(glob.removeprefix("./").lstrip("/"))
    return head[0].rstrip("/") if head else ""


def _moved_glob(audited: Audited, glob: str, gone: Mapping[str, Removal]) -> str:
    """A glob that matches nothing, rewritten for the folder's new place: by git, or the only one with matches.

    Empty if there is no such place or several.
    """
    head = _literal_folder(glob)
    removal = gone.get(head)
    new = f"{removal.to}{glob[glob.index(head) + len(head) :]}" if removal and removal.to else ""
    if new and any(map(compile_glob(new).matches, audited.paths)):
        return new
    if not head or "/" not in glob:
        return ""
    inside, matches = f"/{head}/", compile_glob(f"**/{glob}").matches
    bases = {path[: path.index(inside)] for path in audited.paths if inside in path and matches(path)}
    return f"{bases.pop()}/{glob}" if len(bases) == 1 else ""


def _is_dead(scope: Scope, audited: Audited) -> bool:
    """Whether a glob matches nothing on disk as the agent reads it, and no ignored path.

    False for nested braces, about which agents disagree, and if there are too many paths to tell.
    """
    if any(_NESTED.search(glob) or glob.count("{") != glob.count("}") for glob in scope.globs):
        return False
    base = audited.workspace.above.base
    folder = _literal_folder(scope.globs[0].removeprefix("**/"))
    if folder and audited.is_made_later(base.to_folder(posixpath.join(scope.folder, folder, "new"))):
        return False
    fires = base.from_folder(Trigger((scope,)).fires)
    if any(map(fires, audited.paths)):
        return False
    others = audited.unlisted
    return others is not None and not any(map(fires, others))
