"""Agent starts in old states of a project, replayed one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from typing import NamedTuple

from ctxtui.agents import Agent, AgentContext, agent_files, audit_agents, classify
from ctxtui.agents.costs import Charge
from ctxtui.agents.types import AT_START, LISTED
from ctxtui.audit.history.blobs import Objects
from ctxtui.audit.history.old_tree import NUMBER_BYTES, Past
from ctxtui.audit.types import Settings
from ctxtui.core.base.digest import digest_of
from ctxtui.core.disk.cache import Cache
from ctxtui.version import __version__

_KIND = "starts of states"


class Start(NamedTuple):
    """The starts in one state: tokens by agent, and files that only other files name."""

    tokens: Mapping[str, int]
    others: frozenset[str]


class Replays:
    """Starts in old states, each computed once, without the `hidden` paths.

    A state is replayed only if a path came or went, or if a file changed that the last replay read.
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
        self._read: set[str] = set()
        self._last: Start | None = None
        parts = (objects.repository.root, objects.counter, settings.window, settings.cwd, agents, sorted(hidden))
        self._basis = blake2b(repr((__version__, *parts)).encode("utf-8", "replace")).digest()

    def find(self, numbers: Iterable[int]) -> None:
        """Read states from the cache by number."""
        self._find(*{_state_key(number, self._basis) for number in numbers})

    def knows(self, number: int) -> bool:
        return _state_key(number, self._basis) in self._known

    def start(self, number: int, past: Past) -> Start:
        """The starts in a state. Call `go` for every step between states."""
        return self._get(_state_key(number, self._basis), lambda: self._replayed(past))

    def go(self, came: Iterable[str], changed: Iterable[str]) -> None:
        """Step to another state: paths that were added or removed, and real paths of changed files."""
        if not self._read.isdisjoint(changed) or any(path not in self._hidden for path in came):
            self._last = None

    def installed(self, number: int, past: Past) -> frozenset[str]:
        """The files of a state that only a manifest names, for installation elsewhere."""
        key = _state_key(number, self._basis + b"installable")
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
            self._read = set()
            self._last = self._replay(past, self._seen(past))
        return self._last

    def _replay(self, past: Past, paths: list[str]) -> Start:
        def id_of(path: str) -> str:
            self._read.add(past.real(path))
            return past.ids[path]

        contexts = audit_agents(
            paths,
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
        others = loaded - agent_files(paths, self._table) if odd else ()
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


def _state_key(number: int, basis: bytes) -> bytes:
    """The cache key of a state. `basis` covers all other inputs of the costs."""
    state = (number % (1 << 8 * NUMBER_BYTES)).to_bytes(NUMBER_BYTES)
    return blake2b(basis + state, digest_size=NUMBER_BYTES).digest()
