"""Watching: reports changes of a project's files on disk."""

from __future__ import annotations

from asyncio import Event
from collections.abc import AsyncIterator
from pathlib import Path

_IGNORED = (".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".ctxtui", ".mypy_cache", ".ruff_cache")
_IGNORED_ENDINGS = (".swp", ".swx", "~", ".tmp", ".ctxtui-tmp", ".pyc")


async def watch(root: Path, stop: Event) -> AsyncIterator[None]:
    """Yield once for every batch of changes below the root until `stop` is set.

    If the system sends no events (network shares, some containers), set the variable
    WATCHFILES_FORCE_POLLING to poll instead.
    """
    # Started after the first frame; a project that is only built never needs it.
    from watchfiles import Change, DefaultFilter, awatch  # noqa: PLC0415

    class Filter(DefaultFilter):
        """Excludes version control, environments, caches and editors' swap files."""

        def __call__(self, change: Change, path: str) -> bool:
            """Whether a change of a path matters."""
            return not path.endswith(_IGNORED_ENDINGS) and super().__call__(change, path)

    kind = Filter(ignore_dirs=_IGNORED, ignore_entity_patterns=(), ignore_paths=())
    async for _ in awatch(
        root, watch_filter=kind, stop_event=stop, debounce=200, step=50, ignore_permission_denied=True
    ):
        yield
