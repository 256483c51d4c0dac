"""All rows of a run as JSON lines in a fixed order, without times, ids and anything else that no audit found.

Two runs that found the same have the same lines.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ctxtui.fleet.results.read import KeptRun

# What a line is about, the keys of its values, and the query for them.
_ROWS: Final = (
    (
        "repository",
        ("name", "place", "error", "commit", "files", "tokens", "bytes"),
        'SELECT name, place, error, "commit", files, tokens, bytes FROM repositories WHERE run = ? ORDER BY name',
    ),
    (
        "agent",
        ("repository", "agent", "start", "home", "lost"),
        "SELECT name, agent, start, home, lost FROM agents JOIN repositories ON id = repository WHERE run = ?"
        " ORDER BY name, agent",
    ),
    (
        "finding",
        ("repository", "rule", "severity", "message", "path", "line", "tokens", "key"),
        "SELECT name, rule, severity, message, path, line, findings.tokens, key FROM findings"
        " JOIN repositories ON id = repository WHERE run = ? ORDER BY 1, 2, 3, 4, 5, 6, 7, 8",
    ),
    (
        "file",
        ("repository", "path", "kind", "start", "tokens", "content"),
        "SELECT name, path, kind, start, contents.tokens, digest FROM files"
        " JOIN repositories AS r ON r.id = repository JOIN contents ON contents.id = content WHERE run = ?"
        " ORDER BY name, path",
    ),
    (
        "block",
        ("content", "position", "line", "tokens", "text", "head"),
        "SELECT contents.digest, position, line, blocks.tokens, texts.digest, head FROM contents"
        " JOIN blocks ON content = contents.id JOIN texts ON texts.id = text WHERE contents.id IN ("
        "SELECT content FROM files JOIN repositories AS r ON r.id = repository WHERE run = ?)"
        " ORDER BY contents.digest, position",
    ),
)


def dumped(connection: sqlite3.Connection, run: KeptRun) -> Iterator[str]:
    """The lines of a run, each with its end: what it counted with, then its rows, one kind after the other."""
    yield _line(
        "run", {"program": run.program, "tokenizer": run.tokenizer, "size": run.size, "ended": bool(run.ended)}
    )
    for kind, keys, query in _ROWS:
        for row in connection.execute(query, (run.id,)):
            yield _line(kind, dict(zip(keys, row, strict=True)))


def _line(kind: str, values: Mapping[str, Any]) -> str:
    plain = {key: value.hex() if isinstance(value, bytes) else value for key, value in values.items()}
    # Only ASCII: nothing in a line controls a terminal.
    return f"{json.dumps({'row': kind, **plain}, separators=(',', ':'))}\n"
