"""The findings of a run, counted: by rule in each repository, and how they differ from those of another run."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from ctxtui.audit.types import Severity


class Counted(NamedTuple):
    """How many findings of a rule, of one severity, a repository has, and the tokens at stake in all of them."""

    repository: str
    rule: str
    severity: Severity
    findings: int
    tokens: int


class FoundAt(NamedTuple):
    """Where a finding is: a repository's name, a path in it, a line from 1, and how severe it is."""

    repository: str
    path: str
    line: int
    severity: Severity


class RuleChange(NamedTuple):
    """The findings of a rule that are new and those that are gone since another run, and in how many repositories."""

    rule: str
    new: int
    gone: int
    repositories: int


_COUNTED = """
SELECT name, rule, severity, count(*), sum(findings.tokens) FROM findings
JOIN repositories ON repositories.id = repository
WHERE run = ? GROUP BY name, rule, severity ORDER BY name, rule, severity
"""
# Each finding counts for one run and against the other; what both have adds up to nothing.
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
    """The findings of a run by repository, rule and severity, in this order."""
    return [Counted(*row) for row in connection.execute(_COUNTED, (run,))]


def places_of(connection: sqlite3.Connection, run: int, rule: str, most: int) -> list[FoundAt]:
    """The first places that a rule found in a run, by repository, path and line; errors before all others."""
    rows = connection.execute(
        "SELECT name, path, line, severity FROM findings JOIN repositories ON repositories.id = repository"
        " WHERE run = ? AND rule = ? ORDER BY severity != 'error', name, path, line LIMIT ?",
        (run, rule, most),
    )
    return [FoundAt(*row) for row in rows]


def changed_findings(connection: sqlite3.Connection, before: int, after: int) -> list[RuleChange]:
    """What changed between two runs in the repositories that both audited, by rule; most new findings first.

    A finding is the same if rule and key are; of several with one key, as many are the same as both have.
    """
    rows = connection.execute(_CHANGED, {"before": before, "after": after})
    return [RuleChange(*row) for row in rows]
