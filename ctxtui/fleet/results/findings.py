"""Counts of findings in a run, by rule and repository, and their changes between runs."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from ctxtui.audit.types import Severity


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
    """New and fixed findings of a rule since another run, and the number of repositories with each."""

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
