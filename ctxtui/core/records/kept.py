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
from pathlib import Path
from typing import Any, Final

from ctxtui.core.files.kept import kept_file, read_kept, write_kept
from ctxtui.core.records.file import Record

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
        kept = read_kept(_file(directory))
        return dict(_read(json.loads(kept.data))) if kept else {}
    except (ValueError, TypeError, RecursionError):
        return {}


def keep_records(directory: Path, records: Iterable[tuple[str, Kept]]) -> None:
    """Keep records for other processes; a cache that cannot be written is not used."""
    with suppress(ValueError):
        rows = [_row(name, kept) for name, kept in records if _is_plain(kept.record)]
        write_kept(_file(directory), json.dumps(rows).encode())


def _is_plain(record: Record) -> bool:
    """Whether JSON gives the record back the same, and there is no secret in it."""
    from ctxtui.core.secrets import has_secret  # noqa: PLC0415 - what is known is not searched

    is_text = len(record.content) <= _LONGEST and all(isinstance(value, str) for value in record.extra.values())
    return is_text and not has_secret("\n".join((record.content, *record.tags, *record.extra.values())))


def _row(name: str, kept: Kept) -> list[Any]:
    record = kept.record
    values = (record.id, record.type, record.content, record.tags, record.correlation, record.extra)
    return [name, *kept.times, record.created_at.isoformat(), *values]


def _read(rows: Iterable[Any]) -> Iterator[tuple[str, Kept]]:
    for name, mtime, ctime, size, created, id_, type_, content, tags, correlation, extra in rows:
        at = datetime.fromisoformat(created)
        yield name, Kept((mtime, ctime, size), Record(id_, type_, content, tuple(tags), at, correlation, extra))


def _file(directory: Path) -> Path:
    return kept_file("records", os.fsencode(os.path.realpath(directory)))
