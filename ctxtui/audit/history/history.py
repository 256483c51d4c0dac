"""Context costs over the commits of a branch: every file, source, and agent start."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ctxtui.audit.history.blobs import Blobs
from ctxtui.audit.history.commits import Commit, FileHistory, Step, read_commits
from ctxtui.audit.history.read_back import CommitReader
from ctxtui.audit.types import Settings
from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.notices import Notice, OnNotice, collecting, log_notice
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.git.git import open_repository
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.workspace import Workspace

LEFT_OUT = "history-left-out"
"""The notice code for files that count in starts of an audit but not of commits."""

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class CommitCosts:
    """The tokens after one commit: those of all files by source, and those of starts by agent id."""

    commit: Commit
    sources: Mapping[str, int]
    starts: Mapping[str, int]

    @property
    def tokens(self) -> int:
        return sum(self.sources.values())


@dataclass(frozen=True, slots=True)
class Jump:
    """A commit that changed the size of one file, in tokens before and after, or None if it did not exist."""

    commit: Commit
    path: str
    source: str
    before: int | None
    after: int | None

    @property
    def tokens(self) -> int:
        return (self.after or 0) - (self.before or 0)


class Stretch(NamedTuple):
    """A commit that changed costs, the tokens it added, and how many commits right after it changed nothing."""

    costs: CommitCosts
    tokens: int
    unchanged: int


@dataclass(frozen=True, slots=True)
class History:
    """The costs after commits, oldest first. `total` includes commits not read yet. File steps index `commits`."""

    commits: tuple[CommitCosts, ...] = ()
    files: tuple[FileHistory, ...] = ()
    notices: tuple[Notice, ...] = ()
    total: int = 0

    def stretches(self) -> list[Stretch]:
        """The first commit and each later one that changed a file or a start, oldest first."""
        changing = {step.position for file in self.files for step in file.steps}
        found: list[Stretch] = []
        for position, costs in enumerate(self.commits):
            before = self.commits[position - 1] if position else None
            if before is None:
                found.append(Stretch(costs, 0, 0))
            elif position in changing or costs.starts != before.starts:
                found.append(Stretch(costs, costs.tokens - before.tokens, 0))
            else:
                found[-1] = found[-1]._replace(unchanged=found[-1].unchanged + 1)
        return found

    def jumps(self) -> list[Jump]:
        """Size changes of single files after the first commit, from the largest growth to the largest saving."""
        found: list[Jump] = []
        for file in self.files:
            before: int | None = None
            for step in file.steps:
                if step.position and step.tokens != before:
                    commit = self.commits[step.position].commit
                    found.append(Jump(commit, step.path, file.source, before, step.tokens))
                before = step.tokens
        return sorted(found, key=lambda jump: (-jump.tokens, jump.path))


def histories(
    workspace: Workspace,
    counter: TokenCounter,
    *,
    max_commits: int = 200,
    settings: Settings | None = None,
    check: Check = go_on,
    on_notice: OnNotice = log_notice,
) -> Iterator[History]:
    """The costs over the last first-parent commits of HEAD, each time with more of the older commits.

    Files count that an audit of the commit would count: agent files by name, Markdown in `.context` directories,
    catalogs and entries by their current paths, and files that imports and configurations of the commit name. Files
    named only by a plugin's manifest count if the newest commit names them. Moves are followed. Yields one empty
    history if no commit touches the project. Raises ContextError as `open_repository` does, and invalid_request
    without commits. `check` may raise.
    """
    settings = settings or Settings(table=workspace.scope.table)
    repository = open_repository(workspace.root)
    commits = read_commits(repository, repository.resolve("HEAD"), max_commits)
    if not commits:
        yield History()
        return
    notices, tell = collecting(on_notice)
    if len(commits) < max_commits and repository.is_shallow():
        tell(Notice("shallow-history", f"a shallow clone; its history begins with {commits[0].id[:8]}"))
    if left_out := _left_out_words(workspace):
        tell(Notice(LEFT_OUT, left_out))
    reading = CommitReader(workspace, commits, Blobs(repository, counter, tell), settings, check)
    for first, files, starts in reading.groups():
        costs = map(CommitCosts, commits[first:], _sums_per_commit(files, reading.source_of, len(starts)), starts)
        yield History(tuple(costs), tuple(files), tuple(notices), len(commits))


def _left_out_words(workspace: Workspace) -> str:
    """A sentence on files that an audit's starts have and commits lack: ancestor and user files. Else empty."""
    above = workspace.above.paths
    shown = f"{', '.join(above[:_MOST_NAMED])}{', …' if len(above) > _MOST_NAMED else ''}"
    parts = [
        "your home folder, which no commit contains" if workspace.scope.home else "",
        f"{plural(len(above), 'file')} above this folder ({plain_line(shown)})" if above else "",
    ]
    told = " and ".join(filter(None, parts))
    return f"starts in the history leave out {told}; those of an audit have them" if told else ""


def _sums_per_commit(files: Iterable[FileHistory], source_of: Mapping[str, str], count: int) -> list[dict[str, int]]:
    """The tokens of all files by source, after each of `count` commits."""
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
