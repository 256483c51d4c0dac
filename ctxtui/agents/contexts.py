"""What every agent found in a project has in context, when, and at what cost in tokens."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ctxtui.agents.classify import Found, settled, trace
from ctxtui.agents.costs import AgentContext
from ctxtui.agents.files import Files
from ctxtui.agents.imports import MAX_IMPORTS, Unmet, follow, unmet
from ctxtui.agents.measure import Chains, Count, CountFile, Scales, weigh
from ctxtui.agents.paths import Index, inner, is_found
from ctxtui.agents.repeats import find_repeats
from ctxtui.agents.shared_limits import list_entries, with_pointers
from ctxtui.agents.table import load_table
from ctxtui.agents.types import AT_START, LISTED, MOMENTS, Agent

RealPath = Callable[[str], str]

_UNREAD = ("never", "reference")


def audit_agents(
    paths: Sequence[str],
    read: Callable[[str], str | None],
    count: Count,
    *,
    count_file: CountFile | None = None,
    real: RealPath | None = None,
    cwd: str = "",
    window: int | None = None,
    table: Sequence[Agent] | None = None,
    moments: Collection[str] = MOMENTS,
) -> tuple[AgentContext, ...]:
    """The contexts of all agents found in a project, in table order.

    `paths` are relative POSIX paths below the repository's root, `cwd` the folder where agents start, `read`
    gives a file's text or None. `count` gives the tokens of a text and is asked once for each distinct one;
    `count_file` those of a whole file, which then need not be read, or None. `real` tells the real path of a
    link, `window` is the model's in tokens. Only these `moments` are charged and counted.

    Text that agents put around files, such as a heading with the path, is in no charge, because it is not
    known; an `@path` is counted where it is written. No content makes it raise, what the callables raise
    passes; a `cwd` outside the project is a ContextError (invalid_request).
    """
    index = Index(paths)
    files = Files(read, index.paths)
    project = _Project(index, Scales(files, count, count_file), real or str, inner(cwd), window, frozenset(moments))
    agents = load_table() if table is None else table
    return tuple(_context(agent, project) for agent in agents if is_found(agent, index))


@dataclass(frozen=True, slots=True)
class _Project:
    index: Index
    scales: Scales
    real: RealPath
    cwd: str
    window: int | None
    moments: frozenset[str]


def _context(agent: Agent, project: _Project) -> AgentContext:
    scales, files = project.scales, project.scales.files
    met = settled(trace(agent, project.index, files, project.cwd), repeats=True)
    found = [each for each in _read_once(agent, met, project.real) if each.load.moment in project.moments]
    chains = Chains()
    entries, listings = list_entries(found, scales, project.window)
    charges = [weigh(each, scales, chains, entries.get(place)) for place, each in enumerate(found)]
    charges = with_pointers(charges, scales)
    repeats = find_repeats(charges, files.text, project.real)
    return AgentContext(agent, tuple(charges), listings, tuple(repeats), tuple(_unmet(found, files, project.index)))


def _read_once(agent: Agent, found: Sequence[Found], real: RealPath) -> Iterator[Found]:
    """Loads of an agent that knows links: what is there from the start is not read again under another path."""
    linked = [each for each in found if _knows_links(agent, each)]
    first: dict[str, str] = {}
    for load, _ in sorted(linked, key=lambda each: MOMENTS.index(each.load.moment)):
        if load.moment in (*AT_START, *LISTED):
            first.setdefault(real(load.path), load.path)
    for each in found:
        winner = first.get(real(each.load.path)) if first and _knows_links(agent, each) else None
        yield each if winner in (None, each.load.path) else _spared(each, str(winner))


def _knows_links(agent: Agent, found: Found) -> bool:
    load, row = found
    is_inlined = row.again and load.imported_by is not None
    return agent.reads_once(row) and load.moment not in _UNREAD and not is_inlined


def _spared(found: Found, winner: str) -> Found:
    reason = f"the same file as {winner}, which is read already"
    return Found(replace(found.load, moment="never", reason=reason, globs=()), found.row)


def _unmet(found: Iterable[Found], files: Files, index: Index) -> Iterator[Unmet]:
    following = [each for each in found if each.row.imports and each.load.moment not in _UNREAD]
    for path in dict.fromkeys(each.load.path for each in following):
        yield from unmet(path, files.text(path) or "", index.paths)
    if len(following) > MAX_IMPORTS:
        for load, row in following:
            if row.again and not load.imported_by:
                imports = follow(load.path, row.imports, files.mentions, index.paths, again=True)
                if sum(each.reached for each in imports) >= MAX_IMPORTS:
                    yield Unmet(load.path, 1, "", f"after {MAX_IMPORTS:,} imports no more are followed")
