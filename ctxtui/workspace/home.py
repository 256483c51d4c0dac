"""The user's own files at home that agents read in every project: only what the table of agents names."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from ctxtui.agents import Agent, load_table
from ctxtui.agents.at_home import HOME, UNREAD, AtHome, is_at_home
from ctxtui.agents.configuration import file_of, names_at, names_of, parse_data, value_at
from ctxtui.agents.files import Files
from ctxtui.agents.globs import is_literal
from ctxtui.agents.imports import MAX_IMPORTS, follow
from ctxtui.agents.packages import MANIFEST, MAX_PACKAGES
from ctxtui.agents.paths import Index
from ctxtui.agents.types import Row
from ctxtui.core.errors import ContextError
from ctxtui.core.files.content import Stamp
from ctxtui.core.files.repository import repository_root
from ctxtui.core.files.root import Root
from ctxtui.core.files.text import decode
from ctxtui.core.notices import Notice, OnNotice
from ctxtui.core.patterns.globs import compile_glob
from ctxtui.workspace.scope import Scope

CODE = "home"
_MOST_FILES = 5_000
_MOST_FOLDERS = 20_000
_DEPTH = 16
_OTHER = re.compile(r"[^A-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class Home:
    """The files of the user that rows name, by paths such as `~/.claude/CLAUDE.md`; none unless asked for.

    They can be read, but are not documents of the workspace. Below a folder that a variable of the environment
    moves, such as CLAUDE_CONFIG_DIR, they are in `moved`.
    """

    at: AtHome = UNREAD
    versions: Mapping[str, Stamp] = field(default_factory=dict)
    root: Root | None = None
    moved: Mapping[str, Root] = field(default_factory=dict)

    def text(self, path: str) -> str | None:
        """The text of a file; None if it is not one of those named, or cannot be read."""
        return _text(*self.place(path)) if path in self.versions else None

    def real(self, path: str) -> str:
        """The path of a file once links are followed; the path itself if that leads out of the home folder."""
        root, inner = self.place(path)
        try:
            real = root.resolve(inner) if root else None
        except ContextError:
            real = None
        if real is None:
            return path
        for folder, each in self.moved.items():
            if real.is_relative_to(each.path):
                return posixpath.join(HOME, folder, real.relative_to(each.path).as_posix())
        inside = self.root is not None and real.is_relative_to(self.root.path)
        return posixpath.join(HOME, real.relative_to(self.root.path).as_posix()) if inside and self.root else path

    def place(self, path: str) -> tuple[Root | None, str]:
        """The root of a path, and the path below it."""
        inner = path.removeprefix(f"{HOME}/")
        for folder, root in self.moved.items():
            if inner.startswith(f"{folder}/"):
                return root, inner[len(folder) + 1 :]
        return self.root, inner


NO_HOME = Home()


def look_home(project: Root, paths: Sequence[str], scope: Scope, on_notice: OnNotice) -> Home:
    """What the agents of a project read at home, if the scope has it; `paths` are the project's own.

    Only folders that rows name are listed, and only configurations and instructions that import are read.
    """
    if not scope.home:
        return NO_HOME
    if any(map(is_at_home, paths)):
        on_notice(Notice(CODE, "the project has a folder named ~, so your home folder is not looked at", "~"))
        return NO_HOME
    try:
        root = Root(Path.home())
    except (OSError, RuntimeError):
        on_notice(Notice(CODE, "your home folder is not known, so it is not looked at"))
        return NO_HOME
    index = Index(paths)
    table = load_table() if scope.table is None else scope.table
    agents = [agent for agent in table if not agent.installable and _is_used(agent, index)]
    return _Look(root, project, on_notice, agents).home()


def _is_used(agent: Agent, index: Index) -> bool:
    return any(index.find(each) or index.find(each, below=True) for each in agent.detect)


def _text(root: Root | None, path: str) -> str | None:
    try:
        return decode(root.read(path).data, path)[0] if root else None
    except ContextError:
        return None


class _Look:
    """One look at the home folder."""

    def __init__(self, root: Root, project: Root, on_notice: OnNotice, agents: Sequence[Agent]) -> None:
        self._project, self._on_notice, self._agents = project, on_notice, agents
        self._found: dict[str, Stamp] = {}
        self._folders = _MOST_FOLDERS
        self._is_full = False
        moved = {agent.home: Root(where) for agent in agents if (where := _moved(agent))}
        self._home = Home(AtHome(is_read=True), self._found, root, moved)

    def home(self) -> Home:
        """The files that the rows name, what they import, and the plugins."""
        installed = {}
        for agent in self._agents:
            for row in agent.rows:
                if row.at == "home":
                    self._take(self._patterns(row))
            self._take(_configurations(agent))
            installed[agent.id] = tuple(self._plugins(agent))
        for agent in self._agents:
            for row in agent.rows:
                if row.at == "home" and row.imports:
                    self._import(agent, row)
        if self._is_full:
            self._tell(f"more than {_MOST_FILES:,} files in your home folder; the rest are not looked at")
        home = self._home
        return Home(AtHome(True, tuple(self._found), installed), dict(self._found), home.root, home.moved)

    def _tell(self, message: str, path: str | None = None) -> None:
        self._on_notice(Notice(CODE, message, path))

    def _patterns(self, row: Row) -> Iterator[str]:
        files = (pattern for pattern in row.files if not pattern.startswith("/"))
        if not row.per_project:
            yield from files
            return
        repository = repository_root(self._project.path)
        place = _OTHER.sub("-", str(repository[0] if repository else self._project.path))
        yield from (pattern.replace("*", place, 1) for pattern in files)

    def _take(self, patterns: Iterable[str]) -> None:
        for pattern in patterns:
            for path in self._expanded("", pattern.split("/"), _DEPTH):
                self.add(path)

    def add(self, inner: str) -> bool:
        """Take a regular file, unless it belongs to the project or leads out of the home folder."""
        path = posixpath.join(HOME, inner)
        if path in self._found:
            return True
        if len(self._found) >= _MOST_FILES:
            self._is_full = True
            return False
        root, below = self._home.place(path)
        try:
            real = root.resolve(below) if root else None
            if real is None or not real.is_file() or real.is_relative_to(self._project.path):
                return False
            self._found[path] = Stamp.of(real.stat())
        except ContextError:
            self._tell("leads out of your home folder; it is not read", path)
            return False
        except OSError as error:
            self._tell(f"cannot be read: {error.strerror}", path)
            return False
        return True

    def _expanded(self, folder: str, parts: Sequence[str], depth: int) -> Iterator[str]:
        """The paths below the home folder that a pattern in parts names, files that do not exist among them."""
        head, rest = parts[0], parts[1:]
        if is_literal(head):
            place = posixpath.join(folder, head)
            yield from self._expanded(place, rest, depth) if rest else (place,)
            return
        matches = compile_glob(head).matches
        names = self._names(folder)
        if head == "**":
            yield from self._expanded(folder, rest, depth) if rest else ()
            for name, is_folder in names if depth else ():
                if is_folder:
                    yield from self._expanded(posixpath.join(folder, name), parts, depth - 1)
                elif not rest:
                    yield posixpath.join(folder, name)
            return
        for name, is_folder in names:
            if matches(name) and is_folder == bool(rest):
                place = posixpath.join(folder, name)
                yield from self._expanded(place, rest, depth) if rest else (place,)

    def _names(self, folder: str) -> list[tuple[str, bool]]:
        """The names in a folder, and whether each is a folder; none if it cannot be listed."""
        self._folders -= 1
        if self._folders < 0:
            self._is_full = True
            return []
        root, inner = self._home.place(posixpath.join(HOME, folder, ""))
        if root is None:
            return []
        try:
            here = root.resolve(inner.rstrip("/"))
            with root.scanned(inner.rstrip("/")) as entries:
                found = [(each.name, _is_folder(each), each.is_symlink()) for each in entries if _is_text(each.name)]
        except (ContextError, OSError):
            return []
        # A link to a folder that this one is in would be followed without end.
        return sorted(
            (name, is_folder)
            for name, is_folder, is_link in found
            if not (is_folder and is_link and here.is_relative_to(os.path.realpath(here / name)))
        )

    def _import(self, agent: Agent, row: Row) -> None:
        """Take what files of a row import from the agent's own folder; tell about the rest."""
        inside = f"{HOME}/{agent.home}/"
        files = Files(self._home.text, _Everything())
        for pattern in row.files:
            for path in [each for each in self._found if compile_glob(f"{HOME}/{pattern}").matches(each)]:
                known = _Importable(self, inside)
                # Asking whether a path is known takes it.
                list(islice(follow(path, row.imports, files.mentions, known, row.again), MAX_IMPORTS))
                for target in known.outside:
                    self._tell(f"imports {target}, which is outside {inside.rstrip('/')} and not read", path)

    def _plugins(self, agent: Agent) -> Iterator[tuple[str, str]]:
        """The name and folder of every active plugin, after taking its files."""
        if not agent.installed_in:
            return
        installed = value_at(agent.installed_in, lambda path: self._home.text(posixpath.join(HOME, path)))
        named = names_at(agent.enabled_in, lambda path: self._home.text(posixpath.join(HOME, path)), ("",))
        ours = names_at(agent.enabled_in, lambda path: _text(self._project, path), ("",))
        enabled = dict.fromkeys(name for name, _ in (*named, *ours))
        for key in list(enabled)[:MAX_PACKAGES] if isinstance(installed, Mapping) else ():
            where = self._installed(installed.get(key))
            if where is None:
                continue
            folder = self._folder(where)
            if folder is None:
                self._tell(f"the plugin {key[:200]} is installed outside your home folder; it is not read", HOME)
                continue
            self._bring(agent, folder)
            yield key.partition("@")[0], posixpath.join(HOME, folder)

    def _installed(self, entries: object) -> str | None:
        """Where a plugin is installed for the user or for this project."""
        for entry in entries if isinstance(entries, list) else [entries]:
            if isinstance(entry, Mapping) and isinstance(path := entry.get("installPath"), str):
                project = entry.get("projectPath")
                if entry.get("scope", "user") == "user" or project == str(self._project.path):
                    return path
        return None

    def _folder(self, where: str) -> str | None:
        """The path below the home folder of a folder; None if it is outside."""
        try:
            real = Path(os.path.realpath(where))
        except ValueError:
            return None
        places = [*self._home.moved.items(), *([("", self._home.root)] if self._home.root else [])]
        for folder, root in places:
            if real.is_relative_to(root.path) and real != root.path:
                return posixpath.join(folder, real.relative_to(root.path).as_posix())
        return None

    def _bring(self, agent: Agent, folder: str) -> None:
        """Take the files of a plugin that rows name, and those that its manifest names."""
        manifest = posixpath.join(folder, MANIFEST)
        self.add(manifest)
        data = parse_data(MANIFEST, self._home.text(posixpath.join(HOME, manifest)) or "")
        for row in agent.rows:
            if row.at != "package":
                continue
            places = [posixpath.join(folder, pattern) for pattern in row.files]
            for name in names_of(data.get(row.part)):
                place = posixpath.normpath(posixpath.join(folder, name))
                if place.startswith(f"{folder}/"):
                    places += [place, *(posixpath.join(place, each) for each in row.within)]
            self._take(places)


def _moved(agent: Agent) -> str:
    """The folder that the environment names instead of the agent's own; empty if it names none."""
    where = os.environ.get(agent.variable, "") if agent.variable and agent.home else ""
    return where if "\0" not in where and Path(where).is_absolute() else ""


def _configurations(agent: Agent) -> Iterator[str]:
    """The configurations in the agent's own folder that the table names."""
    refs = [*agent.excluded_in, *agent.enabled_in, agent.installed_in]
    refs += [place for part in agent.uncounted for place in part.places]
    for file in dict.fromkeys(file_of(ref) for ref in refs if "#" in ref):
        if agent.home and file.startswith(f"{agent.home}/"):
            yield file


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Importable:
    """The paths that an import may lead to: those in the agent's folder, which are taken when asked for."""

    def __init__(self, look: _Look, inside: str) -> None:
        self._look, self._inside = look, inside
        self.outside: dict[str, None] = {}

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str) or not is_at_home(path):
            return False
        if not path.startswith(self._inside):
            self.outside[path] = None
            return False
        return self._look.add(path.removeprefix(f"{HOME}/"))


class _Everything:
    def __contains__(self, path: object) -> bool:
        return True
