"""The files that each coding agent loads from a project, when, and why."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from ctxtui.agents.loads import Load
from ctxtui.agents.moments import judge
from ctxtui.agents.project.base import HOME, Base
from ctxtui.agents.project.configuration import file_of
from ctxtui.agents.project.files import Files, name_of
from ctxtui.agents.project.imports import follow
from ctxtui.agents.project.packages import MAX_BROUGHT, find_installed, find_packages, package_folders
from ctxtui.agents.project.paths import Hit, Index, claimed_paths, hits, is_used, path_from_root
from ctxtui.agents.table import load_table
from ctxtui.agents.types import MOMENTS, Agent, Package, Row, RowLoad
from ctxtui.core.base.wording import plural
from ctxtui.core.documents.by_file import NOTHING_KNOWN, ByFile
from ctxtui.core.text.globs import compile_glob

_FOLDERS = {"scripts": "run", "bin": "run", "hooks": "run", "assets": "copied", "templates": "copied"}
_RUN = (".bash", ".bat", ".cjs", ".js", ".mjs", ".pl", ".ps1", ".py", ".rb", ".sh", ".ts", ".zsh")
_COPIED = ".drawio .gif .ico .jpeg .jpg .otf .pdf .png .svg .ttf .webp .woff .woff2".split()
_SWITCHED = {"skill": "skill", "agent": "subagent"}
"""The kinds of rows that switches leave out, and what the switches call them."""
_USED = {"read": "opened", "run": "run", "copied": "copied or filled in"}


def use_of(path: str) -> str:
    """The use of a file of a skill, `read`, `run` or `copied`: by the standard's folders, then by its extension."""
    place = PurePosixPath(path.lower())
    if len(place.parts) > 1 and place.parts[0] in _FOLDERS:
        return _FOLDERS[place.parts[0]]
    if place.suffix in _COPIED or place.name.startswith("license"):
        return "copied"
    return "run" if place.suffix in _RUN and place.parts[0] != "references" else "read"


def classify(
    paths: Sequence[str],
    read: Callable[[str], str | None],
    table: Sequence[Agent] | None = None,
    cwd: str = "",
    base: str = "",
    by_file: ByFile = NOTHING_KNOWN,
) -> tuple[Load, ...]:
    """The files that every agent found in a project loads: agents in table order, files in loading order.

    `paths` are relative POSIX paths below the repository's root, or seen from the folder `base` in it: paths above
    begin with `../`. `cwd` is the folder where the agents start. `read` returns a file's text, or None. It is called
    once for each file on which a rule depends, unless `by_file` knows the facts. Every path has its earliest moment.
    Never raises for content. Exceptions of `read` propagate, and a `cwd` outside the project is a ContextError
    (invalid_request).
    """
    opened = Base(path_from_root(base))
    index = Index(map(opened.to_root, paths))
    start = opened.to_root(path_from_root(cwd))
    files = Files(opened.from_root(read), index.paths, opened.to_folder, by_file.seen_from(opened.to_folder))
    agents = load_table() if table is None else table
    by_agent = (all_loads(agent, index, files, start) for agent in agents if is_used(agent, index, start))
    loads = [each.load for of_agent in by_agent for each in earliest_loads(of_agent)]
    return tuple(load.under(opened.to_folder) for load in loads) if opened.folder else tuple(loads)


def agent_files(paths: Iterable[str] | Index, table: Sequence[Agent] | None = None) -> frozenset[str]:
    """The paths of any agent by name alone, with all files in the folders of skills. Never raises."""
    index = paths if isinstance(paths, Index) else Index(paths)
    agents = load_table() if table is None else table
    found, skills = set[str](), set[str]()
    for agent in agents:
        packages = package_folders(index, agent)
        for row in agent.rows:
            # Rows that agents share count only where the agent itself is found.
            if not row.common or is_used(agent, index):
                paths = tuple(claimed_paths(row, index, packages))
                found.update(paths)
                skills.update(map(posixpath.dirname, paths) if row.kind == "skill" else ())
    return frozenset(found.union(path for _, path in index.under(filter(None, skills))))


def all_loads(agent: Agent, index: Index, files: Files, cwd: str = "") -> Iterator[RowLoad]:
    """Every load of an agent in row order, then of its plugins. A file appears once per row and import."""
    yield from _loads_of_rows(agent, index, files, cwd, None)
    brought = 0
    for package in (*find_packages(agent, index, files), *find_installed(agent, index, files)):
        for found in _loads_of_rows(agent, index, files, cwd, package) if brought < MAX_BROUGHT else ():
            brought += 1
            yield found


def earliest_loads(found: Iterable[RowLoad], repeats: bool = False) -> list[RowLoad]:
    """Each path once, at its earliest moment. With `repeats`, an import that enters the context again repeats.

    The position is that of this moment. A path that loads on touch under several scopes keeps all of them.
    """
    kept: dict[tuple[str, str, int | None], RowLoad] = {}
    for count, each in enumerate(found):
        enters_again = repeats and each.row.again and each.load.imported_by and each.load.moment != "never"
        key = (each.load.path, each.load.package, count if enters_again else None)
        old = kept.get(key)
        if old is None or MOMENTS.index(each.load.moment) < MOMENTS.index(old.load.moment):
            kept.pop(key, None)
            kept[key] = each
        elif old.load.moment == each.load.moment == "touch":
            scopes = dict.fromkeys(old.load.scopes + each.load.scopes)
            kept[key] = RowLoad(replace(old.load, scopes=tuple(scopes)), old.row)
    loaded = {(each.load.path, each.load.package) for each in kept.values() if each.load.moment != "never"}
    return [
        each
        for each in kept.values()
        if each.load.moment != "never" or (each.load.path, each.load.package) not in loaded
    ]


def _loads_of_rows(agent: Agent, index: Index, files: Files, cwd: str, package: Package | None) -> Iterator[RowLoad]:
    """The loads by the rows about a project, or about one plugin, then files beside skills that no row matches."""
    names: dict[str, str] = {}
    met: set[str] = set()
    skills: dict[str, RowLoad] = {}
    for row in agent.rows:
        for hit in hits(row, index, files, cwd, package):
            load = _load_of_hit(agent, row, hit, files, names, package.name if package else "")
            name = name_of(row, hit.path, files) if agent.switches and row.kind in _SWITCHED else ""
            load = _refused_by_settings(agent, load, name, files, (cwd, HOME) if index.home else (cwd,)) or load
            found = RowLoad(load, row)
            met.add(hit.path)
            yield found
            if found.load.moment == "never":
                continue
            if row.imports:
                yield from _imported_loads(found, index, files, cwd)
            if row.kind == "skill":
                skills[posixpath.dirname(hit.path)] = found
    for folder, path in index.under(filter(None, skills)):
        if path not in met:
            yield _load_beside_skill(skills[folder], path, files)


def _refused_by_settings(agent: Agent, load: Load, name: str, files: Files, folders: Sequence[str]) -> Load | None:
    """A load as refused if settings in `folders` turn it off, else None. Only `**/` patterns match whole paths."""
    if load.kind in _SWITCHED and not load.package:
        return _switched_off(agent, load, name, files, folders)
    if load.kind not in ("instructions", "rule") or load.moment == "never":
        return None
    for file in agent.ignored_in:
        if files.ignores(file, load.path):
            return load.refused(f"not loaded: {files.shown(file)} covers it")
    for pattern, file in files.names(agent.excluded_in, folders) if agent.excluded_in else ():
        if pattern.startswith("**/") and compile_glob(pattern).matches(load.path):
            return load.refused(f"not loaded: {files.shown(file)} excludes {pattern}")
    return None


def _switched_off(agent: Agent, load: Load, name: str, files: Files, folders: Sequence[str]) -> Load | None:
    """A skill or subagent as refused if a switch in `folders` hides its `name`, else None."""
    for switch in agent.switches:
        for ref in (switch.place, *switch.also) if switch.what == _SWITCHED[load.kind] else ():
            for folder in folders:
                if switch.hides(files.value(ref, folder), name):
                    file = files.shown(posixpath.join(folder, file_of(ref)))
                    return load.refused(f"not loaded: {file} switches it off")
    return None


def _load_of_hit(agent: Agent, row: Row, hit: Hit, files: Files, names: dict[str, str], package: str) -> Load:
    """A row's verdict on a hit, refused if another path has its unique name. `names` keeps the first path."""
    moment, reason, scopes = judge(row, hit, files)
    who = (agent.id, agent.name, row.id, row.kind)
    load = Load(hit.path, moment, reason, *who, scopes=scopes, package=package)
    if row.unique and moment != "never":
        winner = names.setdefault(name_of(row, hit.path, files), hit.path)
        if winner != hit.path:
            return load.refused(f"not loaded, because {files.shown(winner)} has the same name")
    return load


def _imported_loads(found: RowLoad, index: Index, files: Files, cwd: str) -> Iterator[RowLoad]:
    """The imports of a found file and of imported files. Those that the agent does not follow are refused."""
    load, row = found
    known = index.beside(load.path).paths
    for path, importer, reached in follow(load.path, row.imports, files.mentioned(row), known, row.again):
        by = f"imported by {files.shown(importer)}"
        imported = replace(load, path=path, reason=f"{by}, {load.reason}", imported_by=importer)
        if not reached:
            imported = imported.refused(f"{by}, but more than {plural(row.imports, 'import')} deep")
        elif row.imports_inside and cwd and not path.startswith(f"{cwd}/") and row.at != "home":
            imported = imported.refused(f"{by}, but outside the folder where the agent starts")
        yield RowLoad(imported, row)


def _load_beside_skill(skill: RowLoad, path: str, files: Files) -> RowLoad:
    load, row = skill
    use = use_of(posixpath.relpath(path, posixpath.dirname(load.path)))
    reason = f"beside {files.shown(load.path)}, {_USED[use]} when the skill names it"
    return RowLoad(replace(load, path=path, moment="reference", reason=reason, scopes=(), use=use), row)
