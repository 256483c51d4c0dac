"""Watch the files of a project for changes."""

from __future__ import annotations

from asyncio import Event
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

_IGNORED = (".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".ctxtui", ".mypy_cache", ".ruff_cache")
# Staging, commits and checkouts rewrite these files.
_GIT = (".git/index", ".git/HEAD")
_IGNORED_ENDINGS = (".swp", ".swx", "~", ".tmp", ".ctxtui-tmp", ".pyc")


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
