"""The records of a large directory as they were last read, in the user's cache folder: speed, never truth.

Only records without problems are kept, each with the stamp of its file. What is damaged, of another version or out of
date is read from the file itself.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from ctxtui.core.errors import ContextError
from ctxtui.core.files.root import read_file, write_atomic
from ctxtui.core.program import program_state
from ctxtui.core.records.file import Record

_MAX_BYTES: Final = 64 * 1024 * 1024
# Longer texts take longer to read from here than from their own file.
_LONGEST: Final = 16_384

Times = tuple[int, int, int]
"""When a file was written and changed, in nanoseconds, and its size in bytes."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A record and the stamp of its file."""

    times: Times
    record: Record


def kept_records(directory: Path) -> Mapping[str, Kept]:
    """The records of a directory by the names of their files; empty if they are not known."""
    try:
        data = read_file(_file(directory), _MAX_BYTES).data
        digest, _, rows = data.partition(b"\n")
        return dict(_read(json.loads(rows))) if digest == _digest(rows) else {}
    except (ContextError, ValueError, TypeError, RecursionError):
        return {}


def keep_records(directory: Path, records: Iterable[tuple[str, Kept]]) -> None:
    """Keep records for other processes; a cache that cannot be written is not used."""
    with suppress(ContextError, ValueError):
        rows = json.dumps([_row(name, kept) for name, kept in records if _is_plain(kept.record)]).encode()
        if len(rows) < _MAX_BYTES:
            write_atomic(_file(directory), b"%s\n%s" % (_digest(rows), rows), mode=0o600)


def _is_plain(record: Record) -> bool:
    """Whether JSON gives the record back the same."""
    return len(record.content) <= _LONGEST and all(isinstance(value, str) for value in record.extra.values())


def _row(name: str, kept: Kept) -> list[Any]:
    record = kept.record
    values = (record.id, record.type, record.content, record.tags, record.correlation, record.extra)
    return [name, *kept.times, record.created_at.isoformat(), *values]


def _read(rows: Iterable[Any]) -> Iterator[tuple[str, Kept]]:
    for name, mtime, ctime, size, created, id_, type_, content, tags, correlation, extra in rows:
        at = datetime.fromisoformat(created)
        yield name, Kept((mtime, ctime, size), Record(id_, type_, content, tuple(tags), at, correlation, extra))


def _digest(rows: bytes) -> bytes:
    return blake2b(rows, digest_size=16, key=program_state()).hexdigest().encode()


def _file(directory: Path) -> Path:
    from platformdirs import user_cache_path  # noqa: PLC0415 - for large directories alone

    name = blake2b(os.fsencode(os.path.realpath(directory)), digest_size=16).hexdigest()
    return user_cache_path("ctxtui") / "records" / f"{name}.json"
