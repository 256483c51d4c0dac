"""Agent starts in old states of a project, replayed one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b

from ctxtui.agents import Agent, AgentContext, agent_files, audit_agents, classify
from ctxtui.agents.costs import Charge
from ctxtui.agents.paths import Index
from ctxtui.agents.types import AT_START, LISTED
from ctxtui.audit.history.blobs import Objects
from ctxtui.audit.history.old_tree import Past
from ctxtui.audit.history.start_cache import Start, state_key
from ctxtui.audit.types import Settings
from ctxtui.core.base.digest import digest_of
from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.patterns.globs import compile_glob
from ctxtui.version import __version__

_KIND = "starts of states"


class RecordingIndex(Index):
    """A path index that records every lookup.

    The reader adds each file it reads to `read`.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        super().__init__(paths)
        self.read: set[str] = set()
        self._patterns: set[tuple[str, str]] = set()
        self._folders: set[str] = set()
        self._members = _Members(self.paths)
        self.paths = self._members
        self._decided: dict[str, bool] = {}

    def find(self, pattern: str, below: bool = False) -> tuple[str, ...]:
        self._patterns.add((f"*/**/{pattern}" if below else pattern, ""))
        return super().find(pattern, below)

    def find_in(self, pattern: str, folder: str) -> tuple[str, ...]:
        self._patterns.add((pattern, folder))
        return super().find_in(pattern, folder)

    def holds(self, path: str) -> bool:
        """Whether a path is a file or a folder."""
        self._folders.add(path)
        return super().holds(path)

    def under(self, folders: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Pairs of a folder and a path below it."""
        asked = list(folders)
        self._folders.update(asked)
        return super().under(asked)

    def is_about(self, path: str) -> bool:
        """Whether a lookup may give another answer if a file appears at a path or disappears."""
        if path not in self._decided:
            self._decided[path] = self._is_about(path)
        return self._decided[path]

    def _is_about(self, path: str) -> bool:
        above = {path[:end] for end, character in enumerate(path) if character == "/"} | {path, ""}
        if path in self._members.asked or not self._folders.isdisjoint(above - {""}):
            return True
        return any(
            compile_glob(pattern).matches(path[len(folder) + 1 :] if folder else path)
            for pattern, folder in self._patterns
            if folder in above
        )


class _Members(dict[str, None]):
    """Paths that record membership tests."""

    def __init__(self, paths: Iterable[str]) -> None:
        super().__init__(dict.fromkeys(paths))
        self.asked: set[object] = set()

    def __contains__(self, path: object) -> bool:
        self.asked.add(path)
        return super().__contains__(path)


class Replays:
    """Starts in old states, each computed once, without the `hidden` paths.

    A state is replayed only if it differs from the previous state in a lookup of an agent.
    """

    def __init__(
        self, table: Iterable[Agent], objects: Objects, settings: Settings, hidden: frozenset[str], cache: Cache
    ) -> None:
        agents = tuple(table)
        self._table = tuple(agent for agent in agents if not agent.installable)
        self._installable = tuple(agent for agent in agents if agent.installable)
        self._objects = objects
        self._settings = settings
        self._hidden = hidden
        self._cache = cache
        self._known: dict[bytes, Start] = {}
        self._new: dict[bytes, Start] = {}
        self._counted: dict[bytes, int] = {}
        self._asked = RecordingIndex(())
        self._last: Start | None = None
        parts = (objects.repository.root, objects.counter, settings.window, settings.cwd, agents, sorted(hidden))
        self._basis = blake2b(repr((__version__, *parts)).encode("utf-8", "replace")).digest()

    def find(self, numbers: Iterable[int]) -> None:
        """Read states from the cache by number."""
        self._find(*{state_key(number, self._basis) for number in numbers})

    def knows(self, number: int) -> bool:
        return state_key(number, self._basis) in self._known

    def start(self, number: int, past: Past) -> Start:
        """The starts in a state. Call `go` for every step between states."""
        return self._get(state_key(number, self._basis), lambda: self._replayed(past))

    def go(self, came: Iterable[str], changed: Iterable[str]) -> None:
        """Step to another state: paths that were added or removed, and real paths of changed files."""
        if self._last is not None and (
            not self._asked.read.isdisjoint(changed)
            or any(path not in self._hidden and self._asked.is_about(path) for path in came)
        ):
            self._last = None

    def installed(self, number: int, past: Past) -> frozenset[str]:
        """The files of a state that only a manifest names, for installation elsewhere."""
        key = state_key(number, self._basis + b"installable")
        self._find(key)
        return self._get(key, lambda: self._bring(past)).others

    def save(self) -> None:
        """Cache new starts, unless contents were missing."""
        if self._new and self._objects.are_complete:
            for key, start in self._new.items():
                self._cache.keep(_KIND, key, start)
            self._cache.flush()
        self._new = {}

    def _find(self, *keys: bytes) -> None:
        found = ((key, self._cache.find(_KIND, key)) for key in keys)
        self._known |= {key: start for key, start in found if start is not None}

    def _get(self, key: bytes, make: Callable[[], Start]) -> Start:
        if key not in self._known:
            self._known[key] = self._new[key] = make()
        return self._known[key]

    def _seen(self, past: Past) -> list[str]:
        return [path for path in past.ids if path not in self._hidden]

    def _replayed(self, past: Past) -> Start:
        if self._last is None:
            self._asked = RecordingIndex(self._seen(past))
            self._last = self._replay(past, self._asked)
        return self._last

    def _replay(self, past: Past, asked: RecordingIndex) -> Start:
        def id_of(path: str) -> str:
            asked.read.add(past.real(path))
            return past.ids[path]

        contexts = audit_agents(
            asked,
            lambda path: self._objects.text(id_of(path)),
            self._count,
            count_file=lambda path: self._objects.tokens(id_of(path)),
            real=past.real,
            cwd=self._settings.cwd,
            window=self._settings.window,
            table=self._table,
            moments=(*AT_START, *LISTED),
        )
        loaded = {charge.path for context in contexts for charge in _loads(context)}
        odd = any(_is_named(charge) for context in contexts for charge in _loads(context))
        others = loaded - agent_files(asked, self._table) if odd else ()
        return Start({context.agent.id: context.start_tokens for context in contexts}, frozenset(others))

    def _bring(self, past: Past) -> Start:
        paths = self._seen(past)
        by_name = agent_files(paths, self._installable)
        self._objects.prepare(past.ids[path] for path in by_name)
        loads = classify(
            paths, lambda path: self._objects.text(past.ids[path]), self._installable, self._settings.cwd
        )
        loaded = {load.path for load in loads if load.moment != "never"}
        return Start({}, frozenset(loaded - by_name))

    def _count(self, text: str) -> int:
        digest = digest_of(text.encode("utf-8", "replace"))
        if digest not in self._counted:
            self._counted[digest] = self._objects.counter.count(text)
        return self._counted[digest]


def _loads(context: AgentContext) -> Iterable[Charge]:
    return (charge for charge in (*context.charges, *context.uncharged) if charge.moment != "never")


def _is_named(charge: Charge) -> bool:
    """Whether an import or configuration may name the file, so that its own name is not decisive."""
    row = charge.row
    return bool(charge.imported_by or row.listed_in or row.also_in or row.instead_in)
