"""Git's changes in the project, read in a thread. Empty without git."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.disk.git.changes import Base, WorkTree, bases, default_base, has_repository, read_work_tree
from ctxtui.tui.work.background import Host


class GitChanges:
    """The newest state of the working tree. `changed` is called when it differs."""

    def __init__(self, host: Host, changed: Callable[[], None]) -> None:
        self.tree = WorkTree()
        self.chosen: str | None = None
        """The branch or tag that the user chose to compare with."""
        self.base: str | None = None
        """The chosen branch or tag, by default the repository's default branch."""
        self.error: ContextError | None = None
        """The error of git, None if the state could be read."""
        self._host, self._changed = host, changed

    def read_again(self, root: Path) -> None:
        self._host.start("git", partial(self.read, root))

    async def read(self, root: Path) -> None:
        """Read the state now. Errors of git go to `error`, and leave an empty state."""
        tree, base, error = await asyncio.to_thread(_read, root, self.chosen)
        is_new = (tree, base) != (self.tree, self.base)
        self.tree, self.base, self.error = tree, base, error
        if is_new:
            self._changed()


def _read(root: Path, base: str | None) -> tuple[WorkTree, str | None, ContextError | None]:
    """The state, the base that it is compared with, and the error of git. Without `base`, the default branch."""
    if not has_repository(root):
        hint = "run `git init`, or open a folder of a repository"
        return WorkTree(), base, invalid("this project is not in a git repository", hint=hint)
    try:
        base = base or default_base(root)
        return _with_base(root, base), base, None
    except ContextError as error:
        return WorkTree(), base, error


def known_bases(root: Path) -> tuple[Base, ...]:
    """The branches and tags to compare with, none if the repository was removed meanwhile."""
    try:
        return bases(root)
    except ContextError:
        return ()


def _with_base(root: Path, base: str | None) -> WorkTree:
    """The state of the working tree, with the changes since `base` if the repository has it."""
    try:
        return read_work_tree(root, base)
    except ContextError:
        if base is None:
            raise
        return replace(read_work_tree(root), since=None)
