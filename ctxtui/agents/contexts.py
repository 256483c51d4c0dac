"""The context of every agent found in a project: files, moments and tokens."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from posixpath import basename, join

from ctxtui.agents.costs import AgentContext, Charge, Entry, Listing, Loss, PackageCost, Part
from ctxtui.agents.find_loads import all_loads, earliest_loads
from ctxtui.agents.listing import draft_line, fit_lines
from ctxtui.agents.measure import Count, CountFile, Scales, SharedBytes, charge_of, weigh
from ctxtui.agents.project.base import HOME, UNREAD, AtHome, Base
from ctxtui.agents.project.configuration import MAX_NAMES
from ctxtui.agents.project.files import Files
from ctxtui.agents.project.imports import MAX_IMPORTS, Unmet, follow, unmet_imports
from ctxtui.agents.project.packages import MAX_BROUGHT, find_packages
from ctxtui.agents.project.paths import Index, is_used, path_from_root
from ctxtui.agents.sums import find_repeats
from ctxtui.agents.table import load_table
from ctxtui.agents.types import AT_START, LISTED, MOMENTS, Agent, Limit, RowLoad
from ctxtui.core.base.batches import grouped
from ctxtui.core.text.decode import Lines
from ctxtui.core.text.markdown.light import Span

PLUGIN = "plugin"
RealPath = Callable[[str], str]

_UNREAD = ("never", "reference")


def list_entries(
    found: Sequence[RowLoad], scales: Scales, window: int | None
) -> tuple[dict[int, Entry], tuple[Listing, ...]]:
    """The list entry of each load that an agent lists, by the load's position, and the lists, cut to their room."""
    files = scales.files
    drafts = {
        place: draft_line(each.row, each.load.path, files, each.load.package)
        for place, each in enumerate(found)
        if _is_listed(each)
    }
    limited = ((found[place].row.limit("listing", "shorten", "names"), place) for place in drafts)
    sharing = grouped((limit, place) for limit, place in limited if limit and found[place].load.moment in LISTED)
    listings = []
    for limit, places in sharing.items():
        lines, listing = fit_lines([drafts[place] for place in places], limit, window)
        drafts.update(zip(places, lines, strict=True))
        listings.append(listing)
    return {place: line.entry(scales.text) for place, line in drafts.items()}, tuple(listings)


def with_pointers(charges: Sequence[Charge], scales: Scales) -> list[Charge]:
    """The charges, with the largest texts at the start replaced by their paths until the rest fits a shared limit."""
    result = list(charges)
    limited = ((charge.row.limit("start", "pointer"), place) for place, charge in enumerate(charges))
    sharing = grouped((limit, place) for limit, place in limited if limit and charges[place].moment in AT_START)
    for limit, places in sharing.items():
        tokens = {place: charges[place].tokens or 0 for place in places}
        total = sum(tokens.values())
        for place in sorted(places, key=lambda place: -tokens[place]):
            if total <= limit.max:
                break
            total -= tokens[place]
            result[place] = _charge_as_pointer(charges[place], limit, scales.files.text(charges[place].path) or "")
    return result


def _is_listed(found: RowLoad) -> bool:
    load, row = found
    if load.imported_by or not row.meta:
        return False
    return load.moment in LISTED or (load.moment == "touch" and row.kind == "skill")


def _charge_as_pointer(charge: Charge, limit: Limit, text: str) -> Charge:
    """A charge whose text is lost to a shared limit, so that only its path enters."""
    kept = (Span(0, len(text)),) if charge.kept is None else charge.kept
    lines = Lines.of(text)
    # The stretches were counted together, so the first stretch carries all tokens.
    tokens = [charge.tokens or 0, *[0] * len(kept)]
    lost = [Loss(span, cost, lines.at(span.start) + 1, limit) for span, cost in zip(kept, tokens, strict=False)]
    reason = f"{charge.reason}; too large with the others, so only its path is given"
    return replace(charge, tokens=0, kept=(), lost=(*lost, *charge.lost), reason=reason)


def uncounted_parts(agent: Agent, index: Index, files: Files, folder: str) -> Iterator[Part]:
    """The agent's uncounted parts: those of every start, then those that configurations of a folder or home name.

    A place that names nothing gives no part.
    """
    for part in agent.uncounted:
        if not part.places:
            yield Part(part.what, (), "", part.note)
        for place in part.places:
            found = [*_names_at(place, index, files, folder)]
            # Active plugins at home are counted.
            is_counted = part.what == PLUGIN and agent.installed_in
            if index.home and agent.home and place.startswith(f"{agent.home}/") and not is_counted:
                found += _names_at(place, index.home, files, HOME)
            for file, names in found:
                yield Part(part.what, tuple(dict.fromkeys(names)), file, part.note)


def package_costs(agent: Agent, charges: Iterable[Charge], index: Index, files: Files) -> Iterator[PackageCost]:
    """The tokens that each plugin would add to a start if it were installed, in the order of discovery."""
    brought = grouped((charge.package, charge) for charge in charges)
    for package in find_packages(agent, index, files):
        own = tuple(brought.get(package.name, ()))
        tokens = sum(charge.start_tokens for charge in own)
        parts = tuple(uncounted_parts(agent, index, files, package.folder))
        yield PackageCost(package.name, package.folder, package.manifest, tokens, own, parts, package.missing)


def _names_at(place: str, index: Index, files: Files, folder: str) -> Iterator[tuple[str, Sequence[str]]]:
    """A place with its names: the paths that match a pattern, or the names under a configuration's `FILE#key`."""
    if "#" not in place:
        found = index.find_in(place, folder)[:MAX_NAMES]
        yield from [(join(folder, place), found)] if found else []
    elif named := [name for name, _ in files.names((place,), (folder,))]:
        yield join(folder, place.partition("#")[0]), named


def audit_agents(
    paths: Sequence[str] | Index,
    read: Callable[[str], str | None],
    count: Count,
    *,
    count_file: CountFile | None = None,
    real: RealPath | None = None,
    cwd: str = "",
    base: str = "",
    window: int | None = None,
    table: Sequence[Agent] | None = None,
    moments: Collection[str] = MOMENTS,
    home: AtHome = UNREAD,
    is_repository: bool = True,
    top: str = "",
) -> tuple[AgentContext, ...]:
    """The contexts of all agents found in a project, in table order, and of its files to install.

    `paths` are relative POSIX paths below the repository's root, or seen from the folder `base` in it: paths above
    begin with `../`. `cwd` is the folder where agents start. `read` gives a file's text or None. `count` gives the
    tokens of a text and is called once for each distinct text.
    `count_file` gives the tokens of a whole file without reading it, or None. `real` returns the real path of a link.
    `window` is the model's window in tokens, by default the usual window of each agent. Only these `moments` are
    charged and counted. Loads at other moments are `uncharged`. With files of the user's `home` folder, agents load
    those files as well. An index given as `paths` already has them, and the callables know paths such as
    `~/.claude/CLAUDE.md`.

    Without a `.git` above (not `is_repository`), some agents read only the folder where they start. `top` is the
    repository's place, which some lists of skills contain. Without it, their tokens are the same in every place.

    Text that agents add around files, such as a heading with the path, is unknown and not charged. An `@path` is
    counted in its file. Never raises for content. Exceptions of the callables propagate. A `cwd` outside the project
    is a ContextError (invalid_request).
    """
    opened = Base(path_from_root(base), home.is_read)
    index = paths if isinstance(paths, Index) else Index(map(opened.to_root, paths), home, is_repository)
    files = Files(opened.from_root(read), index.known, opened.to_folder, top=top)
    scales = Scales(files, count, opened.from_root(count_file) if count_file else None)
    start = opened.to_root(path_from_root(cwd))
    project = _Project(index, scales, opened.from_root(real or str), start, window, frozenset(moments))
    agents = load_table() if table is None else table
    contexts = (_agent_context(agent, project) for agent in agents if is_used(agent, index, project.cwd))
    return tuple(each.seen_from(opened) for each in contexts if each.charges or not each.agent.installable)


@dataclass(frozen=True, slots=True)
class _Project:
    """A project for one run. `cwd` is the folder where agents start, `moments` are charged and counted."""

    index: Index
    scales: Scales
    real: RealPath
    cwd: str
    window: int | None
    moments: frozenset[str]


def _agent_context(agent: Agent, project: _Project) -> AgentContext:
    """An agent's context with paths from the root. Empty, without charges, if it loads nothing."""
    scales, files = project.scales, project.scales.files
    loads = earliest_loads(all_loads(agent, project.index, files, project.cwd), repeats=True)
    loads = list(_refuse_known_files(agent, loads, project))
    wanted = [each for each in loads if each.load.moment in project.moments]
    uncharged = tuple(charge_of(each) for each in loads if each.load.moment not in project.moments)
    shared = SharedBytes()
    entries, listings = list_entries(wanted, scales, project.window or agent.window or None)
    charges = [weigh(each, scales, shared, entries.get(place)) for place, each in enumerate(wanted)]
    charges = with_pointers(charges, scales)
    unmet = tuple(_unmet_imports(wanted, files, project.index))
    if agent.installable:
        packages = tuple(package_costs(agent, charges, project.index, files))
        if len(loads) >= MAX_BROUGHT and packages:
            why = f"after {MAX_BROUGHT:,} files no more plugins are looked at"
            unmet += (Unmet(packages[-1].manifest, 1, "", why),)
        return AgentContext(agent, tuple(charges), unmet=unmet, packages=packages, uncharged=uncharged)
    repeats = tuple(find_repeats(charges, files.text, project.real))
    parts = tuple(uncounted_parts(agent, project.index, files, project.cwd))
    is_home_read = project.index.home is not None
    return AgentContext(
        agent, tuple(charges), listings, repeats, unmet, parts, uncharged=uncharged, is_home_read=is_home_read
    )


def _refuse_known_files(agent: Agent, found: Sequence[RowLoad], project: _Project) -> Iterator[RowLoad]:
    """The loads in order. A file that the agent has already read at the start under another path is refused."""
    pairs = [(each, _identity(agent, each, project)) for each in found]
    first: dict[tuple[str, str], str] = {}
    for each, identity in sorted(pairs, key=lambda pair: MOMENTS.index(pair[0].load.moment)):
        if identity and each.load.moment in (*AT_START, *LISTED):
            first.setdefault(identity, each.load.path)
    for (load, row), identity in pairs:
        if agent.known_by(row) == "named" and basename(project.real(load.path)) not in map(basename, row.files):
            load = load.refused("a link to a file of another name, which the agent does not read")
        elif identity and (winner := first.get(identity, load.path)) != load.path:
            shown = project.scales.files.shown(winner)
            load = load.refused(f"the same {identity[0]} as {shown}, which is already read")
        yield RowLoad(load, row)


def _identity(agent: Agent, found: RowLoad, project: _Project) -> tuple[str, str] | None:
    """How an agent recognizes a file, as `text` or `file`, and the file's identity. None if it reads every path."""
    load, row = found
    how = agent.known_by(row)
    if how == "each" or load.moment in _UNREAD or (row.again and load.imported_by is not None):
        return None
    if how == "text" and load.moment in AT_START and (text := project.scales.files.text(load.path)):
        return "text", text
    return "file", project.real(load.path)


def _unmet_imports(found: Iterable[RowLoad], files: Files, index: Index) -> Iterator[Unmet]:
    """The broken imports of loaded files, each file once, and files whose imports exceed the maximum to follow."""
    following = [each for each in found if each.row.imports and each.load.moment not in _UNREAD]
    for path, row in {each.load.path: each.row for each in following}.items():
        yield from unmet_imports(path, files.text(path) or "", files.mentioned(row)(path), index.beside(path).paths)
    if len(following) > MAX_IMPORTS:
        for load, row in following:
            if row.again and not load.imported_by:
                known = index.beside(load.path).paths
                imports = follow(load.path, row.imports, files.mentioned(row), known, again=True)
                if sum(each.reached for each in imports) >= MAX_IMPORTS:
                    yield Unmet(load.path, 1, "", f"only the first {MAX_IMPORTS:,} imports are followed")
