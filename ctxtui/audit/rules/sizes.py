"""Rules about files that an agent finds too large at its start, or that nearly fill a limit."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator

from ctxtui.agents import AgentContext
from ctxtui.agents.costs import Charge, Passed
from ctxtui.agents.limits import as_set, measured, size_of
from ctxtui.agents.types import AT_START, Limit
from ctxtui.audit.context import Audited
from ctxtui.audit.rules.large_imports import import_of, large_imports, most_at_start
from ctxtui.audit.rules.phrases import Met, agents_in, finding_of, listed, names
from ctxtui.audit.types import Finding
from ctxtui.core.base.wording import noun
from ctxtui.core.text.decode import Lines

_NEARLY = 0.9
_LOSING = ("cut", "cut_line", "drop")
_INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
_NAMES = {"chars": "characters"}
_MEND = "move what some tasks need into skills or into files that it names"


def large_start(audited: Audited) -> Iterator[Finding]:
    """Files so large that an agent itself warns of them at every start, for any agent."""
    for context in audited.real_agents:
        for charge in context.at(*AT_START):
            for passed in charge.passed:
                if passed.limit.then == "warn" and passed.size > _allowed(passed, context, audited.settings.window):
                    yield _large(audited, context, charge, passed)
    yield from _large_for_all(audited)
    yield from large_imports(audited)


def _large_for_all(audited: Audited) -> Iterator[Finding]:
    """Files that are large for agents that do not warn of them."""
    met: defaultdict[str, list[Met]] = defaultdict(list)
    for context in audited.real_agents:
        for charge in context.at(*AT_START):
            if charge.row.kind != "memory" and not charge.lost:
                met[audited.real(charge.path)].append((context, charge))
    for loads in met.values():
        charge, contexts = loads[0][1], agents_in(loads)
        tokens, most = charge.tokens or 0, most_at_start(audited, contexts)
        is_told = any(passed.limit.then == "warn" for _, each in loads for passed in each.passed)
        if tokens > most and not is_told:
            message = (
                f"{names(contexts)} {noun(len(contexts), 'reads', 'read')} all of it at every start: {tokens:,}"
                f" tokens, more than {most:,}; {_mend(audited, charge)}"
            )
            yield finding_of(loads, "large-start", "warning", message, 1, tokens, "file", evidence=audited.measured)


def _mend(audited: Audited, charge: Charge) -> str:
    """What to change: of a document that instructions import the import, of instructions the text."""
    importer = charge.imported_by
    if not importer or posixpath.basename(charge.path) in _INSTRUCTIONS:
        return _MEND
    found = import_of(audited, charge)
    return f"drop the import `@{found[0]}` in {importer}:{found[1]}, or import a shorter file" if found else _MEND


def _allowed(passed: Passed, context: AgentContext, window: int | None) -> float:
    """The limit of a warning that grows with the window."""
    usual = context.agent.window or 1
    return passed.limit.max * max((window or usual) / usual, 1)


def _large(audited: Audited, context: AgentContext, charge: Charge, passed: Passed) -> Finding:
    unit = _NAMES.get(passed.limit.unit, passed.limit.unit)
    size = f"{passed.size:,} {unit}, more than {passed.limit.max:,}"
    message = f"{context.agent.name} warns of it at every start: {size}; {_mend(audited, charge)}"
    return finding_of([(context, charge)], "large-start", "warning", message, 1, charge.tokens or 0, passed.limit.of)


def near_limit(audited: Audited) -> Iterator[Finding]:
    """Files that fill most of a limit, beyond which an agent loses text."""
    for context in audited.real_agents:
        chains: defaultdict[Limit, list[Charge]] = defaultdict(list)
        for charge in context.at(*AT_START):
            for limit in charge.row.limits:
                if not limit.hard or limit.then not in _LOSING or charge.lost:
                    continue
                if limit.of == "chain":
                    chains[limit].append(charge)
                elif limit.of == "file":
                    size = measured(limit, charge.row, charge.path, audited.files) or 0
                    yield from _near(audited, context, [charge], limit, size)
        for limit, charges in chains.items():
            sizes = (size_of(audited.text(each.path) or "", limit.unit) or 0 for each in charges)
            yield from _near(audited, context, charges, as_set(limit, audited.files), sum(sizes))


def _near(
    audited: Audited, context: AgentContext, charges: list[Charge], limit: Limit, size: int
) -> Iterator[Finding]:
    if not _NEARLY * limit.max <= size <= limit.max:
        return
    charge = charges[-1]
    paths = [each.path for each in charges]
    fits = f"{size:,} of the {limit.max:,} {_NAMES.get(limit.unit, limit.unit)} that {context.agent.name} reads"
    who = f"{listed(paths)} have" if len(paths) > 1 else "it has"
    message, line = f"{who} {fits}; text beyond them is lost", len(Lines.of(audited.text(charge.path) or "").starts)
    yield finding_of([(context, charge)], "near-limit", "info", message, line, subject=limit.of)
