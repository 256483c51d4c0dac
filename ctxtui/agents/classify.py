"""What each coding agent loads from a project, when, and why."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ctxtui.agents.imports import follow
from ctxtui.agents.paths import Hit, Index, Texts, claimed, hits, is_found
from ctxtui.agents.table import MOMENTS, Agent, Row, load_table
from ctxtui.agents.verdict import judge


@dataclass(frozen=True, slots=True)
class Load:
    """One file that one agent loads, or seems to: the moment, the row that says so, and the reason.

    `globs` are what fires a `touch`; `imported_by` is the file that pulled this one in.
    """

    agent: str
    agent_name: str
    path: str
    moment: str
    row: str
    kind: str
    reason: str
    globs: tuple[str, ...] = ()
    imported_by: str | None = None


def classify(
    paths: Sequence[str], read: Callable[[str], str | None], table: Sequence[Agent] | None = None
) -> tuple[Load, ...]:
    """What every agent found in a project loads: agents in table order, each one's files in loading order.

    `paths` are relative POSIX paths below the folder where agents start, which is the repository's root.
    `read` gives a file's text, or None when it cannot; only files on which a rule depends are read, once.
    An agent meets a path once, at its earliest moment. No content makes it raise; what `read` raises passes.
    """
    index = Index(paths)
    texts = Texts(read, index.paths)
    agents = load_table() if table is None else table
    return tuple(load for agent in agents if is_found(agent, index) for load in _loads(agent, index, texts))


def agent_files(paths: Iterable[str], table: Sequence[Agent] | None = None) -> frozenset[str]:
    """The paths that belong to any agent by their names alone, with all files below the folders of skills.

    Files that only an import or a configuration names are not among them. Reads nothing, raises nothing.
    """
    index = Index(paths)
    rows = [row for agent in (load_table() if table is None else table) for row in _claiming(agent, index)]
    found = {path for row in rows for path in claimed(row, index)}
    skills = {posixpath.dirname(path) for row in rows if row.kind == "skill" for path in claimed(row, index)}
    return frozenset(found.union(path for _, path in index.under(filter(None, skills))))


def _claiming(agent: Agent, index: Index) -> Iterator[Row]:
    yield from (row for row in agent.rows if not row.common or is_found(agent, index))


def _loads(agent: Agent, index: Index, texts: Texts) -> Iterable[Load]:
    kept: dict[str, Load] = {}
    for row in agent.rows:
        for hit in hits(row, index, texts):
            load = _load(agent, row, hit, texts)
            _keep(kept, load)
            if row.imports and load.moment != "never":
                for imported in _imports(load, row.imports, index, texts):
                    _keep(kept, imported)
    for beside in list(_beside_skills(kept.values(), index)):
        kept.setdefault(beside.path, beside)
    return kept.values()


def _load(agent: Agent, row: Row, hit: Hit, texts: Texts) -> Load:
    moment, reason, globs = judge(row, hit, texts)
    return Load(agent.id, agent.name, hit.path, moment, row.id, row.kind, reason, globs)


def _keep(kept: dict[str, Load], load: Load) -> None:
    old = kept.get(load.path)
    if old is None or MOMENTS.index(load.moment) < MOMENTS.index(old.moment):
        kept.pop(load.path, None)
        kept[load.path] = load


def _imports(load: Load, hops: int, index: Index, texts: Texts) -> Iterator[Load]:
    for path, importer, reached in follow(load.path, hops, texts, index.paths):
        moment, reason = load.moment, f"imported by {importer}, {load.reason}"
        if not reached:
            moment, reason = "never", f"imported by {importer}, but more than {hops} imports deep"
        yield replace(
            load,
            path=path,
            moment=moment,
            reason=reason,
            globs=load.globs if reached else (),
            imported_by=importer,
        )


def _beside_skills(loads: Iterable[Load], index: Index) -> Iterator[Load]:
    skills = [load for load in loads if load.kind == "skill" and load.moment != "never"]
    by_folder = {posixpath.dirname(load.path): load for load in skills}
    for folder, path in index.under(filter(None, by_folder)):
        skill = by_folder[folder]
        reason = f"beside {skill.path}, opened when the skill names it"
        yield replace(skill, path=path, moment="reference", reason=reason, globs=())
