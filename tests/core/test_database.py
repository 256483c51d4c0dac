"""Processes that begin to use the same new database at the same time all get to use it."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from unittest.mock import Mock

import pytest

from ctxtui.core.disk import database
from ctxtui.core.disk.cache import Cache
from ctxtui.core.disk.database import prepare_or_close, use_write_ahead_log
from ctxtui.core.tokens.ledger import Ledger
from ctxtui.retrieval.index.store import Store


@contextmanager
def _beginning(file: Path) -> Iterator[None]:
    """Another process that is about to write a new file, which SQLite does not wait for, and ends soon.

    What does not wait has failed by then.
    """
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.1, other.close)
    timer.start()
    yield
    timer.join()


def test_a_file_that_another_process_begins_to_write_is_waited_for(tmp_path: Path) -> None:
    with _beginning(tmp_path / "cache.sqlite3"):
        cache = Cache(tmp_path)
        assert cache.known_fact("pass", b"1") is None
        assert cache.directory == tmp_path
    cache.keep_fact("pass", b"1", b"found")
    cache.flush()
    assert Cache(tmp_path).known_fact("pass", b"1") == b"found"


def test_counts_are_kept_if_another_process_starts_at_once(tmp_path: Path) -> None:
    notices: list[object] = []
    with _beginning(tmp_path / "cache.sqlite3"):
        assert Ledger(tmp_path, "/root", notices.append).directory == tmp_path
    assert notices == []
    # So is an index opened.
    with _beginning(tmp_path / "i.sqlite3"), closing(Store(tmp_path / "i.sqlite3")) as store:
        assert store.size() == (0, 0.0)


def test_a_file_that_stays_in_use_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "PATIENCE", 0.02)
    file = tmp_path / "file.sqlite3"
    with closing(sqlite3.connect(file, isolation_level=None)) as other, closing(sqlite3.connect(file)) as connection:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            use_write_ahead_log(connection)


def test_a_database_that_cannot_be_prepared_is_closed() -> None:
    database = sqlite3.connect(":memory:")
    with pytest.raises(ValueError, match="no"):
        prepare_or_close(database, Mock(side_effect=ValueError("no")))
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        database.execute("SELECT 1")
