"""Rules about large files at the start, nearly reached limits, and limits that only a subfolder exceeds."""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from ctxtui.agents import AgentContext, Chain
from ctxtui.agents.costs import Charge
from ctxtui.agents.measure import bytes_within, limited_size, size_of, with_configured_max
from ctxtui.agents.project.configuration import spoken_ref
from ctxtui.agents.project.imports import offset_of, without_code
from ctxtui.agents.types import AT_START, Limit
from ctxtui.audit.context import Audited
from ctxtui.audit.rules.hygiene import is_utf8
from ctxtui.audit.rules.phrases import (
    AgentCharge,
    agent_names,
    agent_source,
    contexts_in,
    finding_of,
    full_list,
    only_agent,
    short_list,
)
from ctxtui.audit.types import Finding, Remedy
from ctxtui.core.base.wording import noun

_NEARLY = 0.9
_LOSING = ("cut", "cut_line", "drop")
_INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")


class Brought(NamedTuple):
    """The files that imports bring into a start, with `root` as the first importer: their number and tokens.

    `most_from` is the file that imports most of them itself, `direct` the number of these.
    """

    root: str
    files: int
    tokens: int
    most_from: str
    direct: int


def most_at_start(audited: Audited, contexts: Sequence[AgentContext]) -> int:
    """The tokens allowed for a file at the start of agents. Larger windows allow more."""
    return int(_scaled_limit(audited.settings.large_tokens, contexts, audited.settings.window))


def _scaled_limit(most: int, contexts: Sequence[AgentContext], window: int | None) -> float:
    """A limit, raised in proportion to a `window` that is larger than the usual one of the agents."""
    usual = max(each.agent.window or 1 for each in contexts)
    return most * max((window or usual) / usual, 1)


def large_imports(audited: Audited) -> Iterator[Finding]:
    """Files whose imports exceed, all together, the tokens allowed for a file at the start.

    Large imports do not count, because each has a finding of its own. A single import is no sum.
    """
    met: defaultdict[Brought, list[AgentContext]] = defaultdict(list)
    first: dict[Brought, Charge] = {}
    for context in audited.real_agents:
        most = most_at_start(audited, [context])
        imported = {charge.path: charge for charge in context.at(*AT_START) if charge.imported_by and not charge.home}
        small = {path for path, charge in imported.items() if (charge.tokens or 0) <= most and not _warns(charge)}
        for brought in _imports_by_root(imported, small):
            if brought.files > 1 and brought.tokens > most:
                met[brought].append(context)
                importer = brought.most_from
                first.setdefault(brought, next(each for each in imported.values() if each.imported_by == importer))
    for brought, contexts in met.items():
        yield _imports_finding(audited, brought, contexts, first[brought])


def _warns(charge: Charge) -> bool:
    return any(passed.limit.then == "warn" for passed in charge.passed)


def _imports_finding(audited: Audited, brought: Brought, contexts: Sequence[AgentContext], first: Charge) -> Finding:
    found = import_of(audited, first)
    most = f"; {brought.most_from} imports {brought.direct:,} of them" if brought.most_from != brought.root else ""
    message = (
        f"{agent_names(contexts)} {noun(len(contexts), 'reads', 'read')} {brought.files:,} files at every start"
        f" because of the imports that begin in {brought.root}: {brought.tokens:,} tokens, more"
        f" than {most_at_start(audited, contexts):,}{most}"
    )
    remedy = Remedy("import only what every task needs, and name the others by their paths, without `@`")
    path, line, evidence, agent = brought.most_from, found[1] if found else 1, audited.measured, only_agent(contexts)
    return Finding("large-start", "info", message, path, line, brought.tokens, evidence, agent, "imports", remedy)


def _imports_by_root(imported: Mapping[str, Charge], small: Collection[str]) -> Iterator[Brought]:
    """For each file that no file imports: the sum of the files in `small` that it imports, directly or not."""
    above = {path: charge.imported_by or "" for path, charge in imported.items()}
    trees: defaultdict[str, list[str]] = defaultdict(list)
    for path in above:
        root, seen = path, {path}
        # Imports may lead back to a file.
        while (importer := above.get(root)) and importer not in seen:
            seen.add(importer)
            root = importer
        trees[root].append(path)
    for root, paths in trees.items():
        own = [path for path in paths if path in small]
        direct = Counter(above[path] for path in own)
        if direct:
            most_from = max(sorted(direct), key=lambda each: direct[each])
            tokens = sum(imported[path].tokens or 0 for path in own)
            yield Brought(root, len(own), tokens, most_from, direct[most_from])


def import_of(audited: Audited, charge: Charge) -> tuple[str, int] | None:
    """The import of a charged file as written, and its line, from 1. None if not found."""
    importer = charge.imported_by or ""
    for written in audited.files.mentions(importer, charge.row.imports_as):
        if posixpath.normpath(posixpath.join(posixpath.dirname(importer), written)) == charge.path:
            text = audited.text(importer) or ""
            return written, text.count("\n", 0, offset_of(text, without_code(text), written)) + 1
    return None


def large_start(audited: Audited) -> Iterator[Finding]:
    """Files over the size at which an agent warns at every start, or over our threshold."""
    for context, charge in audited.real_charges(*AT_START):
        for passed in charge.passed:
            most = _scaled_limit(passed.limit.max, [context], audited.settings.window)
            if passed.limit.then == "warn" and passed.size > most:
                size = f"{passed.size:,} {unit_of(passed.limit)}, more than {passed.limit.max:,}"
                message = f"{context.agent.name} warns of it at every start: {size}"
                met, tokens, remedy = [(context, charge)], charge.tokens or 0, _remedy(audited, charge)
                yield finding_of(met, "large-start", "info", message, 1, tokens, passed.limit.of, remedy=remedy)
    yield from _large_for_all(audited)
    yield from large_imports(audited)


def _large_for_all(audited: Audited) -> Iterator[Finding]:
    """Files over our threshold, for agents without a warning."""
    met: defaultdict[str, list[AgentCharge]] = defaultdict(list)
    for context, charge in audited.real_charges(*AT_START):
        if charge.row.kind != "memory" and not charge.lost:
            met[audited.real(charge.path)].append((context, charge))
    for loads in met.values():
        charge, contexts = loads[0][1], contexts_in(loads)
        tokens, most = charge.tokens or 0, most_at_start(audited, contexts)
        is_large = tokens > most and not any(_warns(each) for _, each in loads)
        # The tokens of damaged text are not those of its words.
        if is_large and is_utf8(audited, charge.path):
            message = (
                f"{agent_names(contexts)} {noun(len(contexts), 'reads', 'read')} all of it at every start: {tokens:,}"
                f" tokens, more than {most:,}"
            )
            more = {"evidence": audited.measured, "remedy": _remedy(audited, charge)}
            yield finding_of(loads, "large-start", "info", message, 1, tokens, "file", **more)


def _remedy(audited: Audited, charge: Charge) -> Remedy:
    importer = charge.imported_by
    is_document = importer and posixpath.basename(charge.path) not in _INSTRUCTIONS
    if found := import_of(audited, charge) if is_document else None:
        return Remedy(f"drop the import `@{found[0]}` in {importer}:{found[1]}, or import a shorter file")
    return Remedy("move what some tasks need into skills or into files that it names")


def near_limit(audited: Audited) -> Iterator[Finding]:
    """Files that nearly reach a limit at which an agent loses text."""
    for context in audited.real_agents:
        chains: defaultdict[Limit, list[Charge]] = defaultdict(list)
        for charge in context.at(*AT_START):
            for limit in charge.row.limits:
                if not limit.hard or limit.then not in _LOSING or charge.lost:
                    continue
                if limit.of == "chain":
                    chains[limit].append(charge)
                elif limit.of == "file":
                    size = limited_size(limit, charge.row, charge.path, audited.files) or 0
                    yield from _near_findings(audited, context, [charge], limit, size)
        for limit, charges in chains.items():
            sizes = (size_of(audited.text(each.path) or "", limit.unit) or 0 for each in charges)
            yield from _near_findings(
                audited, context, charges, with_configured_max(limit, audited.files), sum(sizes)
            )


def _near_findings(
    audited: Audited, context: AgentContext, charges: list[Charge], limit: Limit, size: int
) -> list[Finding]:
    """A finding about the last of these files if their `size` is 90 to 100 % of a limit, else none."""
    if not _NEARLY * limit.max <= size <= limit.max:
        return []
    charge = charges[-1]
    paths = [each.path for each in charges]
    fits = f"{size:,} of the {limit.max:,} {unit_of(limit)} that {context.agent.name} reads"
    who = f"{short_list(paths)} have" if len(paths) > 1 else "it has"
    message, line = f"{who} {fits}; text beyond them is lost", size_of(audited.text(charge.path) or "", "lines") or 1
    return [finding_of([(context, charge)], "near-limit", "info", message, line, subject=limit.of)]


def unit_of(limit: Limit) -> str:
    return "characters" if limit.unit == "chars" else limit.unit


def deep_starts(audited: Audited) -> Iterator[Finding]:
    """For each agent, the start folder that exceeds its limit on instructions most, unless the root does, too.

    The folder `cwd` of the settings is left out, because it has a finding for each cut file.
    """
    for chain in audited.chains:
        context = next((each for each in audited.real_agents if each.agent.id == chain.agent.id), None)
        limit = chain.limit
        is_here = chain.folder == audited.settings.cwd
        if context and limit and chain.lost and not is_here and chain.root_size <= limit.max:
            yield _deep_finding(audited, context, chain, limit)


def _deep_finding(audited: Audited, context: AgentContext, chain: Chain, limit: Limit) -> Finding:
    """The finding for a start folder. Its place is the first lost line, its tokens are those of all lost text."""
    parts, room, first, tokens = list[str](), limit.max, ("", 0), 0
    for path in chain.paths:
        text = audited.text(path) or ""
        size = size_of(text, "bytes") or 0
        if size > room:
            start = bytes_within(text, room)
            parts.append(f"the last {size - room:,} bytes of {path}" if room else f"all of {path}")
            first = first if first[0] else (path, text.count("\n", 0, start) + 1)
            tokens += audited.count(text[start:])
        room = max(room - size, 0)
    kinds = {posixpath.basename(path) for path in chain.paths}
    files = f"{kinds.pop()} files" if len(kinds) == 1 else "instructions"
    it = "them" if len(chain.paths) > 1 else "it"
    raised = f", or raise {spoken_ref(limit.set_in)}" if limit.set_in else ""
    message = (
        f"started in {chain.folder}/, {context.agent.name} reads {chain.size:,} bytes of {files} and drops what is"
        f" over {limit.max:,}: {full_list(parts)}"
    )
    remedy = Remedy(f"shorten {it} by {chain.size - limit.max:,} bytes{raised}")
    evidence, agent, subject = agent_source(context.agent), context.agent.id, f"started in {chain.folder}"
    return Finding("cut-by-limit", "info", message, *first, tokens, evidence, agent, subject, remedy)
