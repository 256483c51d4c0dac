"""What tests see of the cache: its file, what it keeps, and what is so without it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from platformdirs import user_cache_path

from ctxtui.core.disk.cache import NAME


def cache_file() -> Path:
    return user_cache_path("ctxtui") / NAME


def kept(kind: str) -> int:
    """How many snapshots of a kind there are."""
    if not cache_file().exists():
        return 0
    with closing(sqlite3.connect(cache_file())) as database:
        (count,) = database.execute("SELECT count(*) FROM snapshots WHERE kind = ?", (kind,)).fetchone()
    return int(count)


def forget(*kinds: str) -> None:
    if cache_file().exists():
        with closing(sqlite3.connect(cache_file())) as database, database:
            database.executemany("DELETE FROM snapshots WHERE kind = ?", [(kind,) for kind in kinds])


@contextmanager
def cache_off() -> Iterator[None]:
    """Within it, nothing is kept and nothing is known."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CTXTUI_CACHE", "off")
        yield
