"""Agents and findings of the repositories of a run."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from ctxtui.audit.types import Severity
from ctxtui.fleet.results.columns import selecting
from ctxtui.fleet.types import AgentStart


def agents_of(connection: sqlite3.Connection, run: int) -> Mapping[int, tuple[AgentStart, ...]]:
    """The agents of each repository by id, largest start first."""
    rest = "JOIN repositories ON id = repository WHERE run = ? ORDER BY repository, start DESC, agent"
    rows = connection.execute(selecting(AgentStart, "agents", rest, "repository, "), (run,))
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
