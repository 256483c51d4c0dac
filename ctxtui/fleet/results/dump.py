"""All rows of a run as JSON lines in a fixed order.

Times, ids and other run-specific values are left out, so runs with equal results have equal lines.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ctxtui.fleet.results.columns import selecting
from ctxtui.fleet.results.read import KeptRepository, KeptRun
from ctxtui.fleet.types import AgentStart, Fault

# Row kinds and their queries. Column names become keys.
_OF_RUN: Final = "JOIN repositories AS r ON r.id = repository WHERE run = ? ORDER BY"
_ROWS: Final = {
    "repository": selecting(KeptRepository, "repositories", "WHERE run = ? ORDER BY name", without="seconds"),
    "agent": selecting(AgentStart, "agents", f"{_OF_RUN} name, agent", "name AS repository, "),
    "finding": selecting(Fault, "findings", f"{_OF_RUN} 1, 2, 3, 4, 5, 6, 7, 8", "name AS repository, "),
    "file": "SELECT name AS repository, path, kind, start, contents.tokens AS tokens, digest AS content FROM files"
    " JOIN repositories AS r ON r.id = files.repository JOIN contents ON contents.id = files.content WHERE run = ?"
    " ORDER BY name, path",
    "block": "SELECT contents.digest AS content, position, line, blocks.tokens AS tokens, texts.digest AS text, head"
    " FROM contents JOIN blocks ON blocks.content = contents.id JOIN texts ON texts.id = blocks.text"
    " WHERE contents.id IN (SELECT content FROM files JOIN repositories AS r ON r.id = repository"
    " WHERE run = ?) ORDER BY contents.digest, position",
}


def dumped(connection: sqlite3.Connection, run: KeptRun) -> Iterator[str]:
    """The lines of a run with line ends: its settings, then the rows by kind."""
    yield _line(
        "run", {"program": run.program, "tokenizer": run.tokenizer, "size": run.size, "ended": bool(run.ended)}
    )
    for kind, query in _ROWS.items():
        found = connection.execute(query, (run.id,))
        keys = [name for name, *_ in found.description]
        yield from (_line(kind, dict(zip(keys, row, strict=True))) for row in found)


def _line(kind: str, values: Mapping[str, Any]) -> str:
    plain = {key: value.hex() if isinstance(value, bytes) else value for key, value in values.items()}
    # ASCII only, so that no line can control a terminal.
    return f"{json.dumps({'row': kind, **plain}, separators=(',', ':'))}\n"
