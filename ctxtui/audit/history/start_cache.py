"""An on-disk cache of agent starts in old states."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping
from contextlib import closing, suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from ctxtui.core.database import FAILURES, connected, is_damaged
from ctxtui.core.notices import Notice, OnNotice, log_notice

# Increase this when the program computes other costs for the same files.
_VERSION = 2
_AT_ONCE = 500
_DIGEST = 32


def file_number(path: str, content: str) -> int:
    """A number for one file of a state. The sum over all files identifies the state."""
    return int.from_bytes(blake2b(f"{path}\0{content}".encode(), digest_size=_DIGEST).digest())


def state_key(number: int, basis: bytes) -> bytes:
    """The cache key of a state. `basis` covers all other inputs of the costs."""
    state = (number % (1 << 8 * _DIGEST)).to_bytes(_DIGEST)
    return blake2b(basis + state, digest_size=_DIGEST).digest()


class Start(NamedTuple):
    """The starts in one state: tokens by agent, and files that only other files name."""

    tokens: Mapping[str, int]
    others: frozenset[str]


class StartCache:
    """Starts by key. If the file fails, they stay in memory, with a notice."""

    def __init__(self, directory: Path, on_notice: OnNotice = log_notice) -> None:
        self._file = directory / f"starts-{_VERSION}.sqlite3"
        self._on_notice = on_notice

    def find(self, keys: Collection[bytes]) -> dict[bytes, Start]:
        ordered = list(keys)
        found: dict[bytes, Start] = {}
        try:
            with closing(self._connect()) as database:
                for start in range(0, len(ordered), _AT_ONCE):
                    some = ordered[start : start + _AT_ONCE]
                    marks = ", ".join("?" * len(some))
                    rows = database.execute(f"SELECT key, costs FROM starts WHERE key IN ({marks})", some)  # noqa: S608
                    parsed = ((key, json.loads(costs)) for key, costs in rows)
                    found |= {key: Start(tokens, frozenset(others)) for key, (tokens, others) in parsed}
        except (*FAILURES, ValueError) as error:
            self._complain(error)
        return found

    def record(self, starts: Mapping[bytes, Start]) -> None:
        rows = [(key, json.dumps([dict(each.tokens), sorted(each.others)])) for key, each in starts.items()]
        try:
            with closing(self._connect()) as database, database:
                database.executemany("INSERT OR REPLACE INTO starts VALUES (?, ?)", rows)
        except FAILURES as error:
            self._complain(error)

    def _connect(self) -> sqlite3.Connection:
        schema = "CREATE TABLE IF NOT EXISTS starts (key BLOB PRIMARY KEY, costs TEXT) WITHOUT ROWID"
        return connected(self._file, lambda database: database.execute(schema))

    def _complain(self, error: Exception) -> None:
        message = f"the costs of old commits cannot be saved ({error}); they are computed again each time"
        self._on_notice(Notice("cache-unavailable", message, str(self._file)))
        if is_damaged(error) or isinstance(error, ValueError):
            with suppress(OSError):
                self._file.unlink()
