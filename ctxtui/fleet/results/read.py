"""The rows of a results file: their columns, the queries for them, and a run's rows as JSON lines."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, Literal, NamedTuple, get_args, get_origin, get_type_hints

from ctxtui.audit.types import Severity
from ctxtui.core.base.errors import NotFound
from ctxtui.fleet.types import AgentStart, Fault

_SQL: Final = {int: "INTEGER", float: "REAL"}


class KeptRun(NamedTuple):
    """A stored run of `size` repositories. Times are ISO 8601 in UTC, `ended` is None for an unfinished run."""

    id: int
    began: str
    ended: str | None
    program: str
    tokenizer: str
    size: int


class KeptRepository(NamedTuple):
    """A stored repository of a run. `error` is empty if it was audited."""

    id: int
    name: str
    place: str
    error: str
    commit: str
    files: int
    tokens: int
    bytes: int
    seconds: float


def sql_columns(row: type[tuple[Any, ...]]) -> str:
    """The column definitions of a new table, numbers or text, without the id."""
    return ", ".join(f'"{name}" {_SQL.get(_fields(row)[name], "TEXT")} NOT NULL' for name in column_names(row))


def select_query(row: type[tuple[Any, ...]], table: str, rest: str, first: str = "", without: str = "") -> str:
    """A query for `first`, then the columns of a table except the id and `without`. `rest` follows the table."""
    own = (f'{table}."{name}" AS "{name}"' for name in column_names(row) if name != without)
    return f"SELECT {first}{', '.join(own)} FROM {table} {rest}"  # noqa: S608 - names of fields


def insert_statement(into: str, values: int) -> str:
    """The statement `INTO VALUES (?, …)`: `into` begins an INSERT, `values` is the number of placeholders."""
    return f"{into} VALUES ({', '.join('?' * values)})"


def column_names(row: type[tuple[Any, ...]]) -> list[str]:
    return [name for name in _fields(row) if name != "id"]


def has_field_types(row: tuple[object, ...]) -> bool:
    """Whether the values of a named tuple have the types of its fields. SQLite does not enforce them."""
    return all(map(_has_type, row, _fields(type(row)).values()))


def _has_type(value: object, kind: Any) -> bool:
    return value in get_args(kind) if get_origin(kind) is Literal else isinstance(value, kind)


@cache
def _fields(row: type) -> dict[str, Any]:
    return get_type_hints(row)


def runs(connection: sqlite3.Connection) -> list[KeptRun]:
    """All runs, oldest first."""
    rows = connection.execute("SELECT id, began, ended, program, tokenizer, size FROM runs ORDER BY id")
    return [KeptRun(*row) for row in rows]


def find_run(connection: sqlite3.Connection, number: int | None = None) -> KeptRun:
    """The run with a number, else the last finished run, else the last. Raises NotFound if there is none."""
    kept = runs(connection)
    if number is not None:
        kept = [run for run in kept if run.id == number]
    found = next((run for run in reversed(kept) if run.ended), kept[-1] if kept else None)
    if found is None:
        what = "no run" if number is None else f"no run {number}"
        raise NotFound(f"the results have {what}", hint="ctxtui fleet LIST -o FILE adds one")
    return found


def run_before(connection: sqlite3.Connection, run: KeptRun) -> KeptRun | None:
    """The last finished run before another with the same tokenizer, or None."""
    earlier = [each for each in runs(connection) if each.id < run.id and each.ended]
    return next((each for each in reversed(earlier) if each.tokenizer == run.tokenizer), None)


def repositories(connection: sqlite3.Connection, run: int) -> list[KeptRepository]:
    """The repositories of a run by name, failed repositories included."""
    query = select_query(KeptRepository, "repositories", "WHERE run = ? ORDER BY name", "id, ")
    return [KeptRepository(*row) for row in connection.execute(query, (run,))]


def agents_of(connection: sqlite3.Connection, run: int) -> Mapping[int, tuple[AgentStart, ...]]:
    """The agents of each repository by id, largest start first."""
    rest = "JOIN repositories ON id = repository WHERE run = ? ORDER BY repository, start DESC, agent"
    rows = connection.execute(select_query(AgentStart, "agents", rest, "repository, "), (run,))
    found: dict[int, tuple[AgentStart, ...]] = {}
    for repository, *agent in rows:
        found[repository] = (*found.get(repository, ()), AgentStart(*agent))
    return found


def severities_of(connection: sqlite3.Connection, run: int) -> Mapping[int, Mapping[Severity, int]]:
    """The number of findings by severity, by repository id."""
    rows = connection.execute(
        "SELECT repository, severity, count(*) FROM findings JOIN repositories ON id = repository"
        " WHERE run = ? GROUP BY repository, severity",
        (run,),
    )
    found: dict[int, dict[Severity, int]] = {}
    for repository, severity, count in rows:
        found.setdefault(repository, {})[severity] = count
    return found


def largest_starts(connection: sqlite3.Connection, run: int) -> Mapping[str, int]:
    """The largest start of each audited repository by name, or 0 without agents."""
    rows = connection.execute(
        "SELECT name, coalesce(max(start), 0) FROM repositories LEFT JOIN agents ON repository = id"
        " WHERE run = ? AND error = '' GROUP BY id",
        (run,),
    )
    return dict(rows.fetchall())


class Counted(NamedTuple):
    """A repository's findings of one rule and severity, and the tokens at stake."""

    repository: str
    rule: str
    severity: Severity
    findings: int
    tokens: int


class FoundAt(NamedTuple):
    """The place of a finding: repository name, path, line from 1, severity."""

    repository: str
    path: str
    line: int
    severity: Severity


class RuleChange(NamedTuple):
    """New and fixed findings of a rule since another run, and the number of repositories that have either."""

    rule: str
    new: int
    gone: int
    repositories: int


_COUNTED = """
SELECT name, rule, severity, count(*), sum(findings.tokens) FROM findings
JOIN repositories ON repositories.id = repository
WHERE run = ? GROUP BY name, rule, severity ORDER BY name, rule, severity
"""
# Findings count +1 in one run and -1 in the other, so common findings cancel out.
_CHANGED = """
SELECT rule, sum(max(more, 0)), sum(max(-more, 0)), count(DISTINCT name) FROM (
    SELECT name, rule, key, sum(CASE run WHEN :after THEN 1 ELSE -1 END) AS more
    FROM findings JOIN repositories AS r ON id = repository
    WHERE run IN (:before, :after) AND name IN (
        SELECT name FROM repositories WHERE run IN (:before, :after) AND error = '' GROUP BY name HAVING count(*) = 2)
    GROUP BY name, rule, key HAVING more != 0)
GROUP BY rule ORDER BY sum(max(more, 0)) DESC, sum(max(-more, 0)) DESC, rule
"""


def counted_findings(connection: sqlite3.Connection, run: int) -> list[Counted]:
    """The findings of a run, counted and sorted by repository, rule and severity."""
    return [Counted(*row) for row in connection.execute(_COUNTED, (run,))]


def first_places(connection: sqlite3.Connection, run: int, rule: str, most: int) -> list[FoundAt]:
    """The first places of a rule's findings, by repository, path and line, errors first."""
    rows = connection.execute(
        "SELECT name, path, line, severity FROM findings JOIN repositories ON repositories.id = repository"
        " WHERE run = ? AND rule = ? ORDER BY severity != 'error', name, path, line LIMIT ?",
        (run, rule, most),
    )
    return [FoundAt(*row) for row in rows]


def changed_findings(connection: sqlite3.Connection, before: int, after: int) -> list[RuleChange]:
    """Changes between two runs in repositories audited by both, by rule, most new findings first.

    Findings are equal if rule and key are. Of several with one key, as many match as both runs have.
    """
    rows = connection.execute(_CHANGED, {"before": before, "after": after})
    return [RuleChange(*row) for row in rows]


# Row kinds and their queries. Column names become keys.
_OF_RUN: Final = "JOIN repositories AS r ON r.id = repository WHERE run = ? ORDER BY"
_ROWS: Final = {
    "repository": select_query(KeptRepository, "repositories", "WHERE run = ? ORDER BY name", without="seconds"),
    "agent": select_query(AgentStart, "agents", f"{_OF_RUN} name, agent", "name AS repository, "),
    "finding": select_query(Fault, "findings", f"{_OF_RUN} 1, 2, 3, 4, 5, 6, 7, 8", "name AS repository, "),
    "file": "SELECT name AS repository, path, kind, start, contents.tokens AS tokens, digest AS content FROM files"
    " JOIN repositories AS r ON r.id = files.repository JOIN contents ON contents.id = files.content WHERE run = ?"
    " ORDER BY name, path",
    "block": "SELECT contents.digest AS content, position, line, blocks.tokens AS tokens, texts.digest AS text, head"
    " FROM contents JOIN blocks ON blocks.content = contents.id JOIN texts ON texts.id = blocks.text"
    " WHERE contents.id IN (SELECT content FROM files JOIN repositories AS r ON r.id = repository"
    " WHERE run = ?) ORDER BY contents.digest, position",
}


def dumped(connection: sqlite3.Connection, run: KeptRun) -> Iterator[str]:
    """The lines of a run as JSON with line ends, in a fixed order: its settings, then the rows by kind.

    Times, ids and other run-specific values are left out, so runs with equal results have equal lines.
    """
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
