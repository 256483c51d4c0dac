"""Watch and reload a project: the new snapshot, the picks whose files changed, and new answers of git."""

from __future__ import annotations

import asyncio
from asyncio import Event
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Literal

from ctxtui.core.disk.content import Stamp
from ctxtui.session.queries.answers import Answer
from ctxtui.session.saved.recipe_yaml import current_digest, known_digest
from ctxtui.session.session import Session
from ctxtui.tui.work.background import Severity
from ctxtui.workspace.scope import Scope
from ctxtui.workspace.workspace import Workspace

_IGNORED = (".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".ctxtui", ".mypy_cache", ".ruff_cache")
# Staging, commits and checkouts rewrite these files.
_GIT = (".git/index", ".git/HEAD")
_IGNORED_ENDINGS = (".swp", ".swx", "~", ".tmp", ".ctxtui-tmp", ".pyc")
Stamps = Mapping[str, Stamp]
"""The versions of documents, by id."""


async def watch(root: Path, stop: Event) -> AsyncIterator[Literal["files", "git"]]:
    """Yield once per batch of changes below the root until `stop` is set: of files, or only of git's state.

    Without events from the system (network shares, some containers), set WATCHFILES_FORCE_POLLING to poll.
    """
    # The app starts watching after the first frame, and most commands never do.
    from watchfiles import Change, DefaultFilter, awatch  # noqa: PLC0415

    class Filter(DefaultFilter):
        def __call__(self, change: Change, path: str) -> bool:
            if path in git:
                return True
            return not path.endswith(_IGNORED_ENDINGS) and super().__call__(change, path)

    git = frozenset(str(root / each) for each in _GIT)
    kind = Filter(ignore_dirs=_IGNORED, ignore_entity_patterns=(), ignore_paths=())
    async for changes in awatch(
        root, watch_filter=kind, stop_event=stop, debounce=200, step=50, ignore_permission_denied=True
    ):
        yield "git" if all(path in git for _, path in changes) else "files"


class ChangedPicks:
    """`ids` of picks whose files changed and were not changed back."""

    def __init__(self, ids: frozenset[str] = frozenset()) -> None:
        self.ids = ids
        self._before: dict[str, str | None] = {}

    async def update(self, old: Workspace, new: Workspace, changed: frozenset[str]) -> None:
        """Add the picks that `changed` between two snapshots, and remove those with their first content again."""
        for id_ in changed - self.ids:
            self._before[id_] = known_digest(old, id_)
        now = await asyncio.to_thread(lambda: {id_: current_digest(new, id_) for id_ in changed})
        back = {id_ for id_, digest in now.items() if digest is not None and digest == self._before.get(id_)}
        self.ids = (self.ids | changed) - back


async def new_answers(session: Session) -> Mapping[str, Answer]:
    """The changed answers to the session's git queries, by their definitions."""
    queries = session.selection.queries
    if queries:
        from ctxtui.session.queries.git_questions import asks_git  # noqa: PLC0415 - few selections have queries

        queries = tuple(filter(asks_git, queries))
    if not queries:
        return {}
    now = (await session.answered(queries)).answers
    definitions = (query.definition for query in queries)
    return {each: now[each] for each in definitions if _content(now[each]) != _content(session.answers.get(each))}


def _content(answer: Answer | None) -> object:
    """The content of an answer, for comparison. Errors equal only themselves."""
    return answer and (answer.items, answer.text, answer.notices, answer.picks)


def reload_words(session: Session, changed: bool) -> tuple[str, Severity]:
    if session.workspace.is_gone:
        return f"the project's folder is gone: {session.workspace.root}", "warning"
    return f"project read again: {'changes found' if changed else 'no changes'}", "information"


def reload_workspace(read: Workspace, scope: Scope | None) -> tuple[Workspace, tuple[Stamps, Stamps] | None]:
    """A new snapshot and the stamps of the old and the new one, None instead of the stamps if nothing differs."""
    workspace = read.reload(scope=scope, on_notice=lambda _notice: None)
    before, after = (
        (each.above.paths, each.home.versions, each.scope.home, each.notices) for each in (read, workspace)
    )
    old, new = ({reference.id: reference.stamp for reference in each.references} for each in (read, workspace))
    return (workspace, None) if before == after and old == new else (workspace.warm(), (old, new))
