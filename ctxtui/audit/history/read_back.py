"""Read the commits of a project in groups, newest first, and replay the agent starts of its old states."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

from ctxtui.agents import Agent, AgentContext, agent_files, audit_agents, classify, load_table
from ctxtui.agents.costs import Charge
from ctxtui.agents.types import AT_START, LISTED
from ctxtui.audit.history.blobs import Blobs
from ctxtui.audit.history.commits import Commit, FileHistory, Step, follow_files, read_changes
from ctxtui.audit.history.old_tree import NUMBER_BYTES, FileStep, Past, Tree, sources_by_path
from ctxtui.audit.types import Settings
from ctxtui.core.base.cancel import Check
from ctxtui.core.disk.cache import Cache
from ctxtui.core.disk.git.git import LINK, SUBMODULE, GitFile
from ctxtui.core.disk.open_at import exists
from ctxtui.core.documents.listing import AGENTS, PLAIN
from ctxtui.version import __version__
from ctxtui.workspace.listing import kept_by
from ctxtui.workspace.workspace import Workspace

_KIND = "starts of states"
_AT_ONCE = 25


class StateStarts(NamedTuple):
    """All starts in one state: tokens by agent id, and files that agents load only because others name them."""

    tokens: Mapping[str, int]
    others: frozenset[str]


class Replays:
    """Computes the starts in old states, each once. `hidden` paths are left out.

    The last result stays until a path is added or removed, or a file changes that was read for it.
    """

    def __init__(
        self, table: Iterable[Agent], blobs: Blobs, settings: Settings, hidden: frozenset[str], cache: Cache
    ) -> None:
        agents = tuple(table)
        self._table = tuple(agent for agent in agents if not agent.installable)
        self._installable = tuple(agent for agent in agents if agent.installable)
        self._blobs = blobs
        self._settings = settings
        self._hidden = hidden
        self._cache = cache
        self._known: dict[bytes, StateStarts | None] = {}
        self._new: dict[bytes, StateStarts] = {}
        self._read: set[str] = set()
        self._last: StateStarts | None = None
        parts = (blobs.repository.root, blobs.counter, settings.window, settings.cwd, agents, sorted(hidden))
        self._basis = blake2b(repr((__version__, *parts)).encode("utf-8", "replace")).digest()

    def knows(self, number: int) -> bool:
        """Whether the starts in the state with this `number` need no computation."""
        return self._recall(_state_key(number, self._basis)) is not None

    def starts(self, number: int, past: Past) -> StateStarts:
        """The starts in the state with this `number` and these files. Call `step` for every step between states."""
        return self._recall_or_make(_state_key(number, self._basis), lambda: self._replay(past))

    def step(self, came: Iterable[str], changed: Iterable[str]) -> None:
        """Go to another state: `came` are paths added or removed, `changed` real paths with new content."""
        if not self._read.isdisjoint(changed) or any(path not in self._hidden for path in came):
            self._last = None

    def shipped_files(self, number: int, past: Past) -> frozenset[str]:
        """The files of a state that only a manifest names, for agents into which the project is installed."""
        return self._recall_or_make(
            _state_key(number, self._basis + b"installable"), lambda: self._installable_start(past)
        ).others

    def save(self) -> None:
        """Cache the starts computed since the last call, unless some contents could not be read."""
        if self._new and self._blobs.are_complete:
            for key, start in self._new.items():
                self._cache.keep_fact(_KIND, key, start)
            self._cache.flush()
        self._new = {}

    def _recall(self, key: bytes) -> StateStarts | None:
        if key not in self._known:
            self._known[key] = self._cache.known_fact(_KIND, key)
        return self._known[key]

    def _recall_or_make(self, key: bytes, make: Callable[[], StateStarts]) -> StateStarts:
        found = self._recall(key)
        if found is None:
            found = self._known[key] = self._new[key] = make()
        return found

    def _visible(self, past: Past) -> list[str]:
        return [path for path in past.ids if path not in self._hidden]

    def _replay(self, past: Past) -> StateStarts:
        """The last result if it still holds, else a new one. Records the files that it read."""
        if self._last is not None:
            return self._last
        paths = self._visible(past)
        self._read = set()

        def id_of(path: str) -> str:
            self._read.add(past.real(path))
            return past.ids[path]

        contexts = audit_agents(
            paths,
            lambda path: self._blobs.text(id_of(path)),
            self._blobs.counter.count,
            count_file=lambda path: self._blobs.received_tokens(id_of(path)),
            real=past.real,
            cwd=self._settings.cwd,
            window=self._settings.window,
            table=self._table,
            moments=(*AT_START, *LISTED),
        )
        loaded = {charge.path for context in contexts for charge in _loads(context)}
        odd = any(_is_named(charge) for context in contexts for charge in _loads(context))
        others = loaded - agent_files(paths, self._table) if odd else ()
        self._last = StateStarts({context.agent.id: context.start_tokens for context in contexts}, frozenset(others))
        return self._last

    def _installable_start(self, past: Past) -> StateStarts:
        paths = self._visible(past)
        by_name = agent_files(paths, self._installable)
        self._blobs.prepare(past.ids[path] for path in by_name)
        loads = classify(paths, lambda path: self._blobs.text(past.ids[path]), self._installable, self._settings.cwd)
        loaded = {load.path for load in loads if load.moment != "never"}
        return StateStarts({}, frozenset(loaded - by_name))


def _loads(context: AgentContext) -> Iterable[Charge]:
    return (charge for charge in (*context.charges, *context.uncharged) if charge.moment != "never")


def _is_named(charge: Charge) -> bool:
    """Whether an import or a configuration may be why an agent loads the file, and not only its name."""
    row = charge.row
    return bool(charge.imported_by or row.listed_in or row.also_in or row.instead_in)


def _state_key(number: int, basis: bytes) -> bytes:
    """The cache key of the state with this `number`. `basis` is a digest of everything else that costs depend on."""
    state = (number % (1 << 8 * NUMBER_BYTES)).to_bytes(NUMBER_BYTES)
    return blake2b(basis + state, digest_size=NUMBER_BYTES).digest()


CommitGroup = tuple[int, list[FileHistory], list[Mapping[str, int]]]
"""A commit's index, and from there on: files, with steps counted from it, and the starts by agent id."""


class CommitReader:
    """Reads the costs of commits, given oldest first. `source_of` maps every path in them to its source."""

    def __init__(
        self,
        workspace: Workspace,
        commits: Sequence[Commit],
        blobs: Blobs,
        settings: Settings,
        check: Check,
    ) -> None:
        self._blobs = blobs
        self._check = check
        repository = blobs.repository
        changes = read_changes(repository, commits[1:])
        self._changes = [changes.get(commit.id, []) for commit in commits]
        files = repository.tree(commits[0].id)
        later = (change.after for each in self._changes for change in each)
        blobs.prepare(file.id for file in (*files.values(), *later) if file is not None and file.mode == LINK)
        self._tree = Tree(files, blobs.text)
        self._numbers = [self._tree.number]
        self._read: set[str] = set()
        self._undo: list[list[FileStep]] = [[]]
        self._real: set[str] = set()
        every = self._advance()
        hidden = _hidden(workspace, every)
        table = load_table() if settings.table is None else settings.table
        # Agent files go by their names, including commits where links to them led elsewhere.
        known = {path: each.source for path, each in workspace.by_path.items() if each.source != AGENTS}
        self.source_of = sources_by_path(every, known, table)
        context = (path for path, source in self.source_of.items() if source != PLAIN)
        self._wanted = frozenset(context) - hidden
        self._named = agent_files(every, [agent for agent in table if not agent.installable]) - hidden
        self._replays = Replays(table, blobs, settings, hidden, workspace.reader.cache)

    def _advance(self) -> set[str]:
        """Apply all commits to the tree, up to the newest. Returns every path that existed in one of them."""
        every = set(self._tree.past.ids)
        self._real |= set(self._tree.linked.values())
        for done in self._changes[1:]:
            self._undo.append(self._tree.put(done))
            self._numbers.append(self._tree.number)
            linked = self._tree.linked
            self._real |= set(linked.values())
            every |= {change.path for change in done if _is_file(change.after)} | linked.keys()
        return every

    def groups(self) -> Iterator[CommitGroup]:
        """Yield the results after each group of commits, from the newest group back to the oldest."""
        newest = len(self._numbers) - 1
        self._wanted |= self._replays.shipped_files(self._numbers[newest], self._tree.past)
        outcomes: list[StateStarts] = []
        last = newest
        while last >= 0:
            first = self._group_begin(last)
            self._load(first, last, last == newest)
            outcomes = [*self._read_back(first, last), *outcomes]
            self._replays.save()
            self._check()
            yield self._group_from(first, outcomes)
            if first:
                self._go_back(first)
            last = first - 1

    def _load(self, first: int, last: int, all_files: bool) -> None:
        """Count changed files of commits `first` to `last`, or `all_files`, and read the texts that starts need."""
        changed = [(step.path, step.after) for undo in self._undo[first + 1 : last + 2] for step in undo]
        there = list(self._tree.files.items())
        counted = self._wanted | self._real
        self._blobs.load(_ids([*changed, *(there if all_files else ())], counted), self._check)
        if not all(self._replays.knows(number) for number in self._numbers[first : last + 1]):
            ids = _ids([*changed, *there], self._named | self._real) - self._read
            self._read |= ids
            self._blobs.prepare(ids)

    def _read_back(self, first: int, last: int) -> list[StateStarts]:
        """The starts of some commits, oldest first. The tree goes back from `last` to `first`."""
        found: list[StateStarts] = []
        ids: set[str] = set()
        for position in range(last, first - 1, -1):
            self._check()
            past = self._tree.past
            found.append(self._replays.starts(self._numbers[position], past))
            ids |= {past.ids[path] for path in found[-1].others}
            if position > first:
                self._go_back(position)
        self._blobs.load(ids, self._check)
        return found[::-1]

    def _group_begin(self, last: int) -> int:
        """The index of the first commit of the group that ends with `last`. A group needs few new replays."""
        missing = 0
        for position in range(last, -1, -1):
            missing += not self._replays.knows(self._numbers[position])
            if missing > _AT_ONCE:
                return position + 1
        return 0

    def _go_back(self, position: int) -> None:
        """Move the tree from the state after the commit at index `position` to the state before it."""
        linked = self._tree.linked.keys()
        done = self._tree.put(self._undo[position])
        came = {step.path for step in done if _is_file(step.after) != _is_file(self._tree.files.get(step.path))}
        self._replays.step(came | (linked ^ self._tree.linked.keys()), {step.path for step in done})

    def _group_from(self, first: int, outcomes: Sequence[StateStarts]) -> CommitGroup:
        """The results from the commit at index `first`, where the tree is, to the newest."""
        others = [each.others for each in outcomes]
        series = follow_files(self._tree.copy(), self._changes[first:], others, self._wanted)
        size, files = self._blobs.tokens, list[FileHistory]()
        for each in sorted(series, key=lambda each: each.path):
            steps = (Step(position, path, size(id_) if id_ else None) for position, path, id_ in each.steps)
            files.append(FileHistory(each.path, self.source_of[each.path], tuple(steps)))
        return first, files, [each.tokens for each in outcomes]


def _ids(files: Iterable[tuple[str, GitFile | None]], wanted: Container[str]) -> set[str]:
    return {file.id for path, file in files if file is not None and _is_file(file) and path in wanted}


def _is_file(file: GitFile | None) -> bool:
    return file is not None and file.mode not in (LINK, SUBMODULE)


def _hidden(workspace: Workspace, paths: Iterable[str]) -> frozenset[str]:
    """The old paths that the workspace leaves out: outside its scope, or on disk but not in its list."""
    # A broken link does not hide the file that was there.
    listed, keeps = frozenset(workspace.paths), kept_by(workspace.scope, workspace.root)
    others = (path for path in paths if path not in listed)
    return frozenset(path for path in others if not keeps(path) or exists(workspace.root / path))
