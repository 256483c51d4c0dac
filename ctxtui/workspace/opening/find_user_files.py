"""The user's own files at home that agents read in every project, as named by the table of agents."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from ctxtui.agents import Agent, load_table
from ctxtui.agents.project.base import HOME, AtHome, is_at_home
from ctxtui.agents.project.configuration import file_of, names_at, names_of, parse_data, value_at
from ctxtui.agents.project.files import Files
from ctxtui.agents.project.globs import is_literal
from ctxtui.agents.project.imports import MAX_IMPORTS, follow
from ctxtui.agents.project.packages import MANIFEST, MAX_PACKAGES
from ctxtui.agents.project.paths import Index
from ctxtui.agents.types import Row
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.disk.content import Stamp
from ctxtui.core.disk.git.repository import repository_root
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.walk import is_unicode
from ctxtui.core.text.globs import compile_glob
from ctxtui.workspace.opening.user_files import CODE, NO_HOME, Home, Places, text_of
from ctxtui.workspace.scope import Scope

_MOST_FILES = 5_000
_MOST_FOLDERS = 20_000
_DEPTH = 16

_OTHER = re.compile(r"[^A-Za-z0-9]")


class Finder:
    """The files found at home so far, by path and version. A refused file is a notice.

    `is_full` once there are too many files or folders, whose rest is not looked at.
    """

    def __init__(self, places: Places, project: Root, on_notice: OnNotice) -> None:
        self.found: dict[str, Stamp] = {}
        self.is_full = False
        self._places, self._project, self._on_notice = places, project, on_notice
        self._folders = _MOST_FOLDERS

    def tell(self, message: str, path: str | None = None) -> None:
        self._on_notice(Notice(CODE, message, path))

    def text(self, path: str) -> str | None:
        """The text of a file found so far. None for any other file, or if it cannot be read."""
        return text_of(*self._places.place(path)) if path in self.found else None

    def add_matching(self, patterns: Iterable[str]) -> None:
        """Add the files below the home folder that match globs, which are relative to it."""
        for pattern in patterns:
            for inner in self._expanded("", pattern.split("/"), _DEPTH):
                self.add(posixpath.join(HOME, inner))

    def add(self, path: str) -> bool:
        """Add a regular file of the home folder that is outside the project. Return whether it is in `found` now."""
        if path in self.found:
            return True
        if len(self.found) >= _MOST_FILES:
            self.is_full = True
            return False
        root, below = self._places.place(path)
        try:
            real = root.resolve(below) if root else None
            if real is None or not real.is_file() or real.is_relative_to(self._project.path):
                return False
            self.found[path] = Stamp.of(real.stat())
        except ContextError:
            self.tell("leads out of your home folder; it is not read", path)
            return False
        except OSError as error:
            self.tell(f"cannot be read: {error.strerror}", path)
            return False
        return True

    def _expanded(self, folder: str, parts: Sequence[str], depth: int) -> Iterator[str]:
        """The paths below `folder` that match a pattern in `parts`, `**` up to `depth` deep. They need not exist."""
        head, rest = parts[0], parts[1:]
        if is_literal(head):
            place = posixpath.join(folder, head)
            yield from self._expanded(place, rest, depth) if rest else (place,)
            return
        names = self._names(folder)
        if head == "**":
            yield from self._expanded(folder, rest, depth) if rest else ()
            for name, is_folder in names if depth else ():
                if is_folder:
                    yield from self._expanded(posixpath.join(folder, name), parts, depth - 1)
                elif not rest:
                    yield posixpath.join(folder, name)
            return
        matches = compile_glob(head).matches
        for name, is_folder in names:
            if matches(name) and is_folder == bool(rest):
                place = posixpath.join(folder, name)
                yield from self._expanded(place, rest, depth) if rest else (place,)

    def _names(self, folder: str) -> list[tuple[str, bool]]:
        """The names in a folder, sorted, and whether each is a folder. Empty if it cannot be listed."""
        self._folders -= 1
        self.is_full |= self._folders < 0
        root, inner = self._places.place(posixpath.join(HOME, folder, ""))
        if root is None or self._folders < 0:
            return []
        try:
            here = root.resolve(inner.rstrip("/"))
            with root.scanned(inner.rstrip("/")) as entries:
                found = [
                    (each.name, _is_folder(each), each.is_symlink()) for each in entries if is_unicode(each.name)
                ]
        except (ContextError, OSError):
            return []
        # A link to an ancestor folder would recurse without end.
        return sorted(
            (name, is_folder)
            for name, is_folder, is_link in found
            if not (is_folder and is_link and here.is_relative_to(os.path.realpath(here / name)))
        )


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def add_active_plugins(agent: Agent, finder: Finder, places: Places, project: Root) -> Iterator[tuple[str, str]]:
    """The name and folder of every active plugin. Adds the plugin's files to the finder."""

    def read(path: str) -> str | None:
        return finder.text(posixpath.join(HOME, path))

    installed = value_at(agent.installed_in, read) if agent.installed_in else None
    if not isinstance(installed, Mapping):
        return
    enabled = (
        *names_at(agent.enabled_in, read, ("",)),
        *names_at(agent.enabled_in, partial(text_of, project), ("",)),
    )
    for key in list(dict.fromkeys(name for name, _ in enabled))[:MAX_PACKAGES]:
        where = _installed_path(installed.get(key), project)
        if where is None:
            continue
        try:
            folder = places.shown(Path(os.path.realpath(where)))
        except ValueError:
            folder = None
        if folder is None:
            finder.tell(f"the plugin {key} is installed outside your home folder; it is not read", HOME)
            continue
        _add_package_files(agent, folder, finder)
        yield key.partition("@")[0], folder


def _installed_path(entries: object, project: Root) -> str | None:
    """The folder of a plugin that is installed for the user or for this project, None without one."""
    for entry in entries if isinstance(entries, list) else [entries]:
        if isinstance(entry, Mapping) and isinstance(path := entry.get("installPath"), str):
            is_users = entry.get("scope", "user") == "user"
            if is_users or entry.get("projectPath") == str(project.path):
                return path
    return None


def _add_package_files(agent: Agent, folder: str, finder: Finder) -> None:
    """Add a plugin's manifest, and the files of the agent's rows for packages and those that the manifest names."""
    finder.add(posixpath.join(folder, MANIFEST))
    data = parse_data(MANIFEST, finder.text(posixpath.join(folder, MANIFEST)) or "")
    for row in agent.rows:
        if row.at != "package":
            continue
        paths = [posixpath.join(folder, pattern) for pattern in row.files]
        for name in names_of(data.get(row.part)):
            place = posixpath.normpath(posixpath.join(folder, name))
            if place.startswith(f"{folder}/"):
                paths += [place, *(posixpath.join(place, each) for each in row.within)]
        finder.add_matching(path.removeprefix(f"{HOME}/") for path in paths)


def find_user_files(project: Root, paths: Sequence[str], scope: Scope, on_notice: OnNotice) -> Home:
    """Find the files that a project's agents read at home. `paths` are the project's own.

    Only folders that rows name are listed, and only configurations and importing instructions are read.
    """
    if any(map(is_at_home, paths)):
        on_notice(Notice(CODE, "the project has a folder named ~, so your home folder is not looked at", "~"))
        return NO_HOME
    index = Index(paths)
    agents = [agent for agent in _trusted(scope) if not agent.installable and _is_used(agent, index)]
    places = home_places(agents)
    if places.root is None:
        on_notice(Notice(CODE, "your home folder is not known, so it is not looked at"))
        return NO_HOME
    finder = Finder(places, project, on_notice)
    for agent in agents:
        finder.add_matching(_home_patterns(agent, project))
        finder.add_matching(_home_configurations(agent))
    installed = {agent.id: tuple(add_active_plugins(agent, finder, places, project)) for agent in agents}
    for agent in agents:
        for row in agent.rows:
            if row.at == "home" and row.imports:
                _add_imports(agent, row, finder)
    if finder.is_full:
        finder.tell(f"more than {_MOST_FILES:,} files in your home folder; the rest are not looked at")
    return Home(AtHome(True, tuple(finder.found), installed), finder.found, places)


def _trusted(scope: Scope) -> Sequence[Agent]:
    """The packaged agents that are not switched off. No project decides which home files are read."""
    wanted = None if scope.table is None else {agent.id for agent in scope.table}
    return [agent for agent in load_table() if wanted is None or agent.id in wanted]


def _is_used(agent: Agent, index: Index) -> bool:
    return any(index.find(each) or index.find(each, below=True) for each in agent.detect)


def home_places(agents: Sequence[Agent]) -> Places:
    """The user's home folder, None if unknown, and the folders of agents that the environment moves."""
    try:
        root = Root(Path.home())
    except (OSError, RuntimeError):
        return Places()
    return Places(root, {agent.home: Root(where) for agent in agents if (where := moved_folder(agent, os.environ))})


def moved_folder(agent: Agent, environment: Mapping[str, str]) -> Path | None:
    """The agent's folder that a variable of the environment moves. None if it is unset or relative."""
    where = environment.get(agent.variable, "") if agent.variable and agent.home else ""
    return Path(where) if "\0" not in where and Path(where).is_absolute() else None


def _home_patterns(agent: Agent, project: Root) -> Iterator[str]:
    """The globs of the agent's rows below the home folder. A `per_project` row gives only this project's folder."""
    repository = repository_root(project.path)
    place = _OTHER.sub("-", str(repository[0] if repository else project.path))
    for row in agent.rows:
        files = (pattern for pattern in row.files if row.at == "home" and not pattern.startswith("/"))
        yield from (pattern.replace("*", place, 1) if row.per_project else pattern for pattern in files)


def _home_configurations(agent: Agent) -> Iterator[str]:
    refs = [*agent.excluded_in, *agent.enabled_in, agent.installed_in]
    refs += [place for part in agent.uncounted for place in part.places]
    for file in dict.fromkeys(file_of(ref) for ref in refs if "#" in ref):
        if agent.home and file.startswith(f"{agent.home}/"):
            yield file


def _add_imports(agent: Agent, row: Row, finder: Finder) -> None:
    """Add imports of a row's files from the agent's own folder. Report other imports."""
    for pattern in row.files:
        matches = compile_glob(posixpath.join(HOME, pattern)).matches
        for path in [each for each in finder.found if matches(each)]:
            known = _Importable(finder, f"{HOME}/{agent.home}/")
            files = Files(finder.text, known)
            # A membership test adds the path.
            list(islice(follow(path, row.imports, files.mentions, known, row.again), MAX_IMPORTS))
            for target in known.outside:
                finder.tell(f"imports {target}, which is outside ~/{agent.home} and not read", path)


class _Importable:
    """The possible targets of an import: paths in the agent's folder. A membership test adds the file."""

    def __init__(self, finder: Finder, inside: str) -> None:
        self._finder, self._inside = finder, inside
        self.outside: dict[str, None] = {}

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str) or not is_at_home(path):
            return False
        if path.startswith(self._inside):
            return self._finder.add(path)
        self.outside[path] = None
        return False
