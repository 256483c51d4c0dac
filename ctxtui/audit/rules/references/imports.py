"""The rule about imports that are not followed."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace

from ctxtui.agents import AgentContext
from ctxtui.agents.project.imports import Unmet
from ctxtui.agents.types import AT_START, Row
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import folders_above, is_retired
from ctxtui.audit.rules.phrases import (
    AgentCharge,
    agent_names,
    charge_source,
    contexts_in,
    file_source,
    finding_of,
    only_agent,
)
from ctxtui.audit.rules.references.removed import Removal, removed
from ctxtui.audit.rules.remedies import replace_on_line
from ctxtui.audit.text.near import differing_in_case
from ctxtui.audit.types import Finding, Remedy, Severity
from ctxtui.core.base.wording import noun

# A file with so many imports that do not exist has one fault: it lies elsewhere, or all of them moved.
_MANY = 5
# Files of one person, and placeholders of a template.
_NOT_HERE = re.compile(r"\.local\.|^~|<[^<>]+>|\{[^{}]+\}|\$\w")


def broken_imports(audited: Audited) -> Iterator[Finding]:
    """Imports that are missing, too deep or circular, and links stored as text."""
    missing: defaultdict[tuple[str, str], list[tuple[AgentContext, Unmet]]] = defaultdict(list)
    deep: defaultdict[str, list[AgentCharge]] = defaultdict(list)
    for context in audited.agents:
        for unmet in context.unmet:
            if not unmet.target or _is_missing(unmet, audited):
                missing[audited.real(unmet.importer), unmet.target].append((context, unmet))
        for charge in context.at("never"):
            if charge.imported_by and charge.row.imports:
                deep[charge.path].append((context, charge))
    gone = removed(audited, (_target_path(importer, target) for importer, target in missing if target))
    per_file = Counter(importer for importer, target in missing if target)
    for (importer, target), unmets in missing.items():
        context, unmet = unmets[0]
        removal = gone.get(_target_path(importer, target)) if target else None
        known = f"; {removal}" if removal else ""
        message = f"imports {target}, which does not exist{known}" if target else unmet.why
        evidence, agent = file_source(context, unmet.importer), only_agent([each for each, _ in unmets])
        # Sources disagree on the folder from which Copilot resolves an import, and Cursor mentions files by name.
        is_there = audited.exists(target) or target in audited.by_name
        is_unsure = context.agent.id.startswith("copilot") and is_there
        severity: Severity = "info" if is_unsure or is_retired(importer) else "warning"
        remedy = _remedy(audited, importer, target, unmet.line, removal) if target else Remedy("")
        line, more = unmet.line, (evidence, agent, target, remedy)
        finding = Finding("broken-import", severity, message, importer, line, 0, *more)
        if target and per_file[importer] >= _MANY:
            many = f"imports {{count}} files that do not exist, such as {target}"
            finding = replace(finding, cause=f"{importer}: imports", many=many)
        yield finding
    for path, met in deep.items():
        message = f"not loaded into {agent_names(contexts_in(met))}: {met[0][1].reason}"
        yield finding_of(met, "broken-import", "warning", message, None, audited.tokens(path) or 0, "depth")
    yield from _cycles(audited)
    yield from links_as_text(audited)


def _remedy(audited: Audited, importer: str, target: str, line: int | None, removal: Removal | None) -> Remedy:
    """The remedy that corrects an import: by spelling, git's new path or a file above. No words if none fits."""
    spelled = differing_in_case(audited, [_target_path(importer, target)])
    above = (posixpath.normpath(posixpath.join(folder, target)) for folder in (*folders_above(importer), ""))
    moved = [removal.to] if removal and removal.to else []
    there = spelled if len(spelled) == 1 else moved or [path for path in above if path in audited.listed][:1]
    if not there:
        return Remedy("")
    new = posixpath.relpath(there[0], posixpath.dirname(importer) or ".")
    return Remedy(f"write `@{new}`", steps=replace_on_line(audited, importer, line or 1, f"@{target}", f"@{new}"))


def _is_missing(unmet: Unmet, audited: Audited) -> bool:
    """Whether an import names a project file that does not exist and is neither personal nor ignored."""
    if _NOT_HERE.search(unmet.target) or unmet.why != "no such file":
        return False
    path = _target_path(unmet.importer, unmet.target)
    return not (audited.exists(path) or audited.is_made_later(path))


def _target_path(path: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


def _cycles(audited: Audited) -> Iterator[Finding]:
    """One finding for each set of files that import each other in a circle."""
    known: set[frozenset[str]] = set()
    for context in audited.agents:
        starts = {charge.path: charge for charge in context.charges if charge.row.imports}
        for path, charge in starts.items():
            is_start = charge.moment != "never" and not charge.imported_by
            for circle in _import_cycles(path, charge.row, audited) if is_start else ():
                if frozenset(circle) not in known:
                    known.add(frozenset(circle))
                    chain = " imports ".join((*circle, circle[0]))
                    message = f"{chain}; the last import brings nothing"
                    evidence, subject = charge_source(context, charge), ", ".join(sorted(circle))
                    yield Finding("broken-import", "info", message, circle[-1], evidence=evidence, subject=subject)


def _import_cycles(start: str, row: Row, audited: Audited) -> Iterator[tuple[str, ...]]:
    """Yield the import cycles that can be reached from `start`, as tuples of paths. Each file is entered once."""
    entered, mentioned = {start}, audited.files.mentioned(row)
    todo: list[tuple[str, ...]] = [(start,)]
    while todo:
        way = todo.pop()
        for target in mentioned(way[-1]):
            path = _target_path(way[-1], target)
            if path in way:
                yield way[way.index(path) :]
            elif path not in entered and path in audited.listed and len(way) <= row.imports:
                entered.add(path)
                todo.append((*way, path))


_LINK = re.compile(r"[\w./-]{1,300}\.(?:md|mdc|mdx|txt)")


def is_link_text(text: str) -> bool:
    """Whether a text is only a path: a symbolic link checked out as text."""
    return _LINK.fullmatch(text.strip()) is not None


def links_as_text(audited: Audited) -> Iterator[Finding]:
    """Files that contain only a path: symbolic links checked out as text."""
    met: defaultdict[str, list[AgentCharge]] = defaultdict(list)
    for context, charge in audited.real_charges(*AT_START):
        met[audited.real(charge.path)].append((context, charge))
    for loads in met.values():
        charge = loads[0][1]
        written = (audited.text(charge.path) or "").strip()
        path = _target_path(charge.path, written)
        if not is_link_text(written) or path == charge.path or path not in audited.listed:
            continue
        contexts = contexts_in(loads)
        reads = noun(len(contexts), "reads", "read")
        message = f"it says `{written}` and nothing else, so {agent_names(contexts)} {reads} only that"
        target = posixpath.relpath(path, posixpath.dirname(charge.path) or ".")
        is_imported = all(each.row.imports for _, each in loads)
        words = f"write `@{target}`" if is_imported else "make it a link, or write out what it should say"
        steps = replace_on_line(audited, charge.path, 1, written, f"@{target}") if is_imported else ()
        # An agent may read the text under another name.
        is_lost = any(audited.real(path) not in audited.loaded[each.agent.id] for each in contexts)
        remedy, tokens = Remedy(words, steps=steps), (audited.tokens(path) or 0) if is_lost else 0
        yield finding_of(loads, "broken-import", "warning", message, 1, tokens, "link", remedy=remedy)
