"""Watching: reports changes of a project's files on disk."""

from __future__ import annotations

from asyncio import Event
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

_IGNORED = (".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".ctxtui", ".mypy_cache", ".ruff_cache")
# What git rewrites when something is staged, committed or checked out.
_GIT = (".git/index", ".git/HEAD")
_IGNORED_ENDINGS = (".swp", ".swx", "~", ".tmp", ".ctxtui-tmp", ".pyc")


async def watch(root: Path, stop: Event) -> AsyncIterator[Literal["files", "git"]]:
    """Yield once for every batch of changes below the root until `stop` is set: of files, or only of git's state.

    Git's state is watched if the root holds `.git`. If the system sends no events (network shares, some containers),
    set the variable WATCHFILES_FORCE_POLLING to poll instead.
    """
    # Started after the first frame; a project that is only built never needs it.
    from watchfiles import Change, DefaultFilter, awatch  # noqa: PLC0415

    class Filter(DefaultFilter):
        """Excludes version control, environments, caches and editors' swap files."""

        def __call__(self, change: Change, path: str) -> bool:
            """Whether a change of a path matters."""
            if path in git:
                return True
            return not path.endswith(_IGNORED_ENDINGS) and super().__call__(change, path)

    git = frozenset(str(root / each) for each in _GIT)
    kind = Filter(ignore_dirs=_IGNORED, ignore_entity_patterns=(), ignore_paths=())
    async for changes in awatch(
        root, watch_filter=kind, stop_event=stop, debounce=200, step=50, ignore_permission_denied=True
    ):
        yield "git" if all(path in git for _, path in changes) else "files"
