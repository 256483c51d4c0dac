"""The rule about imports that are not followed."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator

from ctxtui.agents import AgentContext
from ctxtui.agents.imports import Unmet
from ctxtui.agents.types import Row
from ctxtui.audit.context import Audited
from ctxtui.audit.rules.phrases import Met, agents_in, finding_of, names, only, source
from ctxtui.audit.rules.spoilt import links_as_text, spoilt_imports, unfollowed_imports
from ctxtui.audit.types import Finding

_PERSONAL = re.compile(r"\.local\.|^~")


def broken_imports(audited: Audited) -> Iterator[Finding]:
    """Imports that are missing, too deep, circular, broken by punctuation, or links stored as text."""
    missing: defaultdict[tuple[str, str], list[tuple[AgentContext, Unmet]]] = defaultdict(list)
    deep: defaultdict[str, list[Met]] = defaultdict(list)
    for context in audited.agents:
        for unmet in context.unmet:
            if not unmet.target or _is_missing(unmet, audited):
                missing[audited.real(unmet.importer), unmet.target].append((context, unmet))
        for charge in context.at("never"):
            if charge.imported_by and charge.row.imports:
                deep[charge.path].append((context, charge))
    for (importer, target), unmets in missing.items():
        context, unmet = unmets[0]
        message = f"imports {target}, which does not exist" if target else unmet.why
        evidence, agent = _source(context, unmet.importer), only([each for each, _ in unmets])
        yield Finding("broken-import", "warning", message, importer, unmet.line, 0, evidence, agent, target)
    for path, met in deep.items():
        message = f"not loaded into {names(agents_in(met))}: {met[0][1].reason}"
        yield finding_of(met, "broken-import", "warning", message, None, audited.tokens(path) or 0, "depth")
    yield from _cycles(audited)
    yield from spoilt_imports(audited)
    yield from links_as_text(audited)
    yield from unfollowed_imports(audited)


def _source(context: AgentContext, path: str) -> str:
    return next((source(context, charge) for charge in context.charges if charge.path == path), "")


def _is_missing(unmet: Unmet, audited: Audited) -> bool:
    """Whether an import names a missing project file. Personal files may be elsewhere."""
    if _PERSONAL.search(unmet.target) or unmet.why != "no such file":
        return False
    return not audited.exists(_beside(unmet.importer, unmet.target))


def _beside(path: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


def _cycles(audited: Audited) -> Iterator[Finding]:
    """Imports that lead back to the importing file."""
    known: set[frozenset[str]] = set()
    for context in audited.agents:
        importing = {charge.path: charge for charge in context.charges if charge.row.imports}
        for path, charge in importing.items():
            if charge.moment == "never" or charge.imported_by:
                continue
            for circle in _circles(path, charge.row, audited):
                if frozenset(circle) not in known:
                    known.add(frozenset(circle))
                    chain = " imports ".join((*circle, circle[0]))
                    message = f"{chain}; the last import brings nothing"
                    evidence, subject = source(context, charge), ", ".join(sorted(circle))
                    yield Finding("broken-import", "info", message, circle[-1], evidence=evidence, subject=subject)


def _circles(start: str, row: Row, audited: Audited) -> Iterator[tuple[str, ...]]:
    """The import cycles reachable from a file, each file entered once."""
    entered, mentioned = {start}, audited.files.mentioned(row)
    todo: list[tuple[str, ...]] = [(start,)]
    while todo:
        way = todo.pop()
        for target in mentioned(way[-1]):
            path = _beside(way[-1], target)
            if path in way:
                yield way[way.index(path) :]
            elif path not in entered and path in audited.known and len(way) <= row.imports:
                entered.add(path)
                todo.append((*way, path))
