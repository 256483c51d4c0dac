"""Problems of reading a project as findings, so that both are one list and one number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ctxtui.audit.reports.report import Report
from ctxtui.audit.types import Finding, Severity
from ctxtui.core.base.notices import Notice

# The rules whose findings are about the same as notices whose codes begin like this.
_SAME = {"frontmatter-": "frontmatter-rejected", "secret": "secret", "missing-target": "missing-target"}


def with_problems(report: Report, notices: Iterable[Notice]) -> Report:
    """The report with the notices that none of its findings tells already."""
    return replace(report, problems=tuple(_untold(report, notices)))


def _untold(report: Report, notices: Iterable[Notice]) -> Iterator[Finding]:
    told: set[tuple[str | None, str]] = set()
    for finding in report.result.findings:
        for path in (finding.path, *(place.path for place in finding.places)):
            told |= {(path, finding.message), (path, finding.rule)}
    for each in dict.fromkeys(notices):
        rules = (rule for code, rule in _SAME.items() if each.code.startswith(code))
        if told.isdisjoint((each.path, name) for name in (each.message, *rules)):
            severity: Severity = "warning" if each.is_problem else "info"
            yield Finding(each.code, severity, each.message, each.path, each.line)
