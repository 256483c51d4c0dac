"""Processes that begin to use the same new database at the same time all get to use it."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from ctxtui.core.disk import database
from ctxtui.core.disk.cache import Cache
from ctxtui.core.disk.database import prepared, write_ahead
from ctxtui.core.tokens.ledger import Ledger
from ctxtui.retrieval.index.store import Store


class _Other:
    """A process that is about to write a new file, which SQLite does not wait for."""

    def __init__(self, file: Path) -> None:
        self._connection = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        self._connection.execute("BEGIN IMMEDIATE")

    def end_soon(self) -> threading.Timer:
        """End while another one waits: one that does not wait has failed by then."""
        timer = threading.Timer(0.1, self.end)
        timer.start()
        return timer

    def end(self) -> None:
        self._connection.close()


def test_a_file_that_another_process_begins_to_write_is_waited_for(tmp_path: Path) -> None:
    other = _Other(tmp_path / "cache.sqlite3")
    timer = other.end_soon()
    cache = Cache(tmp_path)
    assert cache.find("pass", b"1") is None
    assert cache.directory == tmp_path
    timer.join()
    cache.keep("pass", b"1", b"found")
    cache.flush()
    assert Cache(tmp_path).find("pass", b"1") == b"found"


def test_counts_are_kept_if_another_process_starts_at_once(tmp_path: Path) -> None:
    timer = _Other(tmp_path / "cache.sqlite3").end_soon()
    notices: list[object] = []
    assert Ledger(tmp_path, "/root", notices.append).directory == tmp_path
    assert notices == []
    timer.join()


def test_an_index_is_opened_if_another_process_starts_at_once(tmp_path: Path) -> None:
    timer = _Other(tmp_path / "index.sqlite3").end_soon()
    with closing(Store(tmp_path / "index.sqlite3")) as store:
        assert store.size() == (0, 0.0)
    timer.join()


def test_a_file_that_stays_in_use_is_not_waited_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PATIENCE", 0.02)
    other = _Other(tmp_path / "file.sqlite3")
    with (
        closing(sqlite3.connect(tmp_path / "file.sqlite3")) as connection,
        pytest.raises(sqlite3.OperationalError, match="locked"),
    ):
        write_ahead(connection)
    other.end()


def test_a_database_that_cannot_be_prepared_is_closed() -> None:
    database = sqlite3.connect(":memory:")

    def fail(_database: sqlite3.Connection) -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        prepared(database, fail)
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        database.execute("SELECT 1")
