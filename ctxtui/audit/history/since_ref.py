"""The cost of the changes since a git ref, by file, by section, and at the start of every agent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ctxtui.agents import AgentContext
from ctxtui.audit.context import Audited
from ctxtui.audit.costs import Costs, Growth, growth
from ctxtui.audit.history.blobs import Objects
from ctxtui.audit.history.changes import FileChange
from ctxtui.audit.history.comparison import Pair
from ctxtui.audit.history.old_tree import past_of, submodules
from ctxtui.audit.types import Settings
from ctxtui.core.base.notices import Notice, OnNotice, log_notice
from ctxtui.core.disk.git.git import LINK, open_repository
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class AgentChange:
    """One agent's tokens at the start before and after, 0 if it was not found, and the file that grew most."""

    agent: str
    name: str
    before: int
    after: int
    growth: Growth


@dataclass(frozen=True, slots=True)
class Since:
    """The difference between an old commit and the files as they are now, committed or not.

    `base` is the id of that commit: the one at which the current branch left the `ref`, or the `ref` itself if the
    two share no history. `files` are sorted by change, largest first.
    """

    ref: str
    base: str
    before: Costs
    after: Costs
    files: tuple[FileChange, ...]
    agents: tuple[AgentChange, ...]
    notices: tuple[Notice, ...] = ()

    @property
    def tokens(self) -> int:
        """The tokens added to all context files."""
        return self.after.total - self.before.total


def since(
    workspace: Workspace,
    counter: TokenCounter,
    ref: str,
    *,
    agents: Sequence[AgentContext] | None = None,
    settings: Settings | None = None,
    on_notice: OnNotice = log_notice,
) -> Since:
    """Compare a snapshot with the commit at which its branch left `ref`; `agents` are its contexts, if known.

    Later changes on `ref` are not charged to this branch. Untracked files count as added,
    files of submodules are not compared, and line ends that git changes at checkout do not count as changes.
    The sections of the files that changed most are compared too.
    Raises ContextError: as `open_repository` does, NotFound for an unknown `ref`, invalid_request without commits.
    """
    notices: list[Notice] = []

    def tell(notice: Notice) -> None:
        notices.append(notice)
        on_notice(notice)

    repository = open_repository(workspace.root)
    tip, start = repository.resolve("HEAD"), repository.resolve(ref)
    base = repository.merge_base(start, tip)
    if base is None:
        message = f"{ref} and the current branch share no local history; compared with {ref} itself"
        tell(Notice("no-merge-base", message))
    tree = repository.tree(base or start)
    others = dict.fromkeys([*submodules(tree), *submodules(repository.tree(tip))])
    for folder in others:
        tell(Notice("submodule", "this is a separate repository; its files are not compared", folder))
    objects = Objects(repository, counter, tell)
    objects.prepare(file.id for file in tree.values() if file.mode == LINK)
    audited = Audited(workspace, counter, settings)
    contexts = audited.agents if agents is None else agents
    pair = Pair(audited, contexts, objects, past_of(tree, objects.text), tuple(others))
    changes = _agents((*contexts, *pair.agents_before), pair.before, pair.after)
    return Since(ref, base or start, pair.before, pair.after, tuple(pair.changes()), changes, tuple(notices))


def _agents(contexts: Sequence[AgentContext], before: Costs, after: Costs) -> tuple[AgentChange, ...]:
    names = {context.agent.id: context.agent.name for context in contexts}
    return tuple(
        AgentChange(
            id_,
            name,
            before.start(id_),
            after.start(id_),
            growth(before.starts.get(id_, {}), after.starts.get(id_, {})),
        )
        for id_, name in names.items()
    )
