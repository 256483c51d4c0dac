"""What context cost over the commits of a branch: every file, every source, every agent at its start."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from ctxtui.audit.costs import PLAIN
from ctxtui.audit.history.blobs import Objects
from ctxtui.audit.history.commits import Commit, read_changes, read_commits
from ctxtui.audit.history.file_history import Series, State, follow, states
from ctxtui.audit.history.old_tree import sources_by_path
from ctxtui.audit.history.replay_starts import replay
from ctxtui.audit.history.start_cache import Starts
from ctxtui.audit.types import Settings
from ctxtui.core.git import LINK, Repository, open_repository
from ctxtui.core.markdown.scan import is_markdown
from ctxtui.core.notices import Notice, OnNotice, log_notice
from ctxtui.core.tokens.counter import TokenCounter


@dataclass(frozen=True, slots=True)
class Step:
    """The path and tokens of a file from a commit on; None if it was removed or was not text."""

    position: int
    path: str
    tokens: int | None


@dataclass(frozen=True, slots=True)
class FileHistory:
    """One file through the commits under its last path; one step per change."""

    path: str
    source: str
    steps: tuple[Step, ...]

    def at(self, position: int) -> int | None:
        """Its tokens after the commit at a position; None if it did not exist."""
        done = [step for step in self.steps if step.position <= position]
        return done[-1].tokens if done else None


@dataclass(frozen=True, slots=True)
class CommitCosts:
    """What the files cost after one commit, in tokens: by source, and by agent id at the start."""

    commit: Commit
    sources: Mapping[str, int]
    starts: Mapping[str, int]

    @property
    def tokens(self) -> int:
        """All sources except plain files."""
        return sum(tokens for source, tokens in self.sources.items() if source != PLAIN)


@dataclass(frozen=True, slots=True)
class Jump:
    """One commit that changed the size of one file, in tokens before and after; None if it did not exist."""

    commit: Commit
    path: str
    source: str
    before: int | None
    after: int | None

    @property
    def tokens(self) -> int:
        """The tokens added."""
        return (self.after or 0) - (self.before or 0)


@dataclass(frozen=True, slots=True)
class History:
    """Commits, oldest first, with their costs; a file's positions are indexes into `commits`."""

    commits: tuple[CommitCosts, ...] = ()
    files: tuple[FileHistory, ...] = ()
    notices: tuple[Notice, ...] = ()

    def jumps(self) -> list[Jump]:
        """The changes of files after the first commit shown, the largest growth first, the largest saving last."""
        found = (jump for file in self.files for jump in self._jumps(file))
        return sorted(found, key=lambda jump: (-jump.tokens, jump.path))

    def _jumps(self, file: FileHistory) -> Iterator[Jump]:
        before: int | None = None
        for step in file.steps:
            if step.position and step.tokens != before:
                commit = self.commits[step.position].commit
                yield Jump(commit, step.path, file.source, before, step.tokens)
            before = step.tokens


def history(
    root: Path,
    counter: TokenCounter,
    *,
    max_commits: int = 200,
    paths: Iterable[str] | None = None,
    sources: Mapping[str, str] | None = None,
    settings: Settings | None = None,
    on_notice: OnNotice = log_notice,
) -> History:
    """The costs over the last `max_commits` that touched a project's folder, along the first parents of HEAD.

    Context files are agents' files by their names, Markdown in `.context` directories, files that `sources`
    lists by current path (the source by path, for catalogs and entries), and as source `files` all other Markdown;
    moves are followed. With `paths`, only these files and folders, by their last paths, and no agents.
    Raises ContextError: as `open_repository` does, invalid_request if there are no commits.
    """
    notices: list[Notice] = []

    def tell(notice: Notice) -> None:
        notices.append(notice)
        on_notice(notice)

    repository = open_repository(root)
    commits = read_commits(repository, repository.resolve("HEAD"), max_commits)
    if not commits:
        return History()
    if len(commits) < max_commits and repository.is_shallow():
        tell(Notice("shallow-history", f"a shallow clone; its history begins with {commits[0].id[:8]}"))
    objects = Objects(repository, counter, tell)
    row = _row(repository, objects, commits)
    settings = settings or Settings()
    source_of = sources_by_path({path for state in row() for path in state.past.ids}, sources or {}, settings.table)
    series = _wanted(follow(row(), _context(source_of)), paths)
    objects.load(id_ for each in series for _, _, id_ in each.steps if id_)
    files = [_file(each, source_of, objects) for each in series]
    starts: Sequence[Mapping[str, int]] = [{}] * len(commits)
    if paths is None:
        named = frozenset(path for path, source in source_of.items() if source == "agents")
        starts = replay(row, objects, named, settings, Starts(user_cache_path("ctxtui"), tell))
    costs = map(CommitCosts, commits, _sums(files, source_of, len(commits)), starts)
    return History(tuple(costs), tuple(files), tuple(notices))


def _row(repository: Repository, objects: Objects, commits: Sequence[Commit]) -> Callable[[], Iterator[State]]:
    """Makes the states of the commits, again for each call."""
    tree, changes = repository.tree(commits[0].id), read_changes(repository, commits[1:])
    later = (change.after for each in changes.values() for change in each)
    objects.prepare(file.id for file in (*tree.values(), *later) if file is not None and file.mode == LINK)
    return lambda: states(tree, commits, changes, objects.text)


def _context(source_of: Mapping[str, str]) -> frozenset[str]:
    return frozenset(path for path, source in source_of.items() if source != PLAIN or is_markdown(path))


def _wanted(series: list[Series], paths: Iterable[str] | None) -> list[Series]:
    if paths is None:
        return sorted(series, key=lambda each: each.path)
    places = [f"{posixpath.normpath(path)}/".removeprefix("./") for path in paths]
    found = (each for each in series if f"{each.path}/".startswith(tuple(places)))
    return sorted(found, key=lambda each: each.path)


def _file(series: Series, source_of: Mapping[str, str], objects: Objects) -> FileHistory:
    steps = (Step(position, path, objects.tokens(id_) if id_ else None) for position, path, id_ in series.steps)
    return FileHistory(series.path, source_of[series.path], tuple(steps))


def _sums(files: Iterable[FileHistory], source_of: Mapping[str, str], count: int) -> list[dict[str, int]]:
    """The tokens by source at every position."""
    grown: list[Counter[str]] = [Counter() for _ in range(count)]
    for file in files:
        before: Step | None = None
        for step in file.steps:
            if before is not None:
                grown[step.position][source_of[before.path]] -= before.tokens or 0
            grown[step.position][source_of[step.path]] += step.tokens or 0
            before = step
    total: Counter[str] = Counter()
    sums = []
    for each in grown:
        total.update(each)
        sums.append(dict(total))
    return sums
