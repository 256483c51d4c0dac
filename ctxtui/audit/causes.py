"""Merges findings with one cause, and keeps all their places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ctxtui.audit.types import Finding, Place


def by_cause(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, merged if they share rule, severity, agent and cause; in the order of the first of each."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        key = (finding.rule, finding.severity, finding.agent, finding.cause) if finding.cause else finding
        groups.setdefault(key, []).append(finding)
    return [_told(group) for group in groups.values()]


def _told(group: Sequence[Finding]) -> Finding:
    if len(group) == 1:
        return group[0]
    ordered = sorted(group, key=lambda each: (-each.tokens, each.path or "", each.line or 0, each.subject))
    places = tuple(Place(each.path, each.line, each.tokens, each.subject) for each in ordered if each.path)
    return replace(
        ordered[0],
        message=ordered[0].many.replace("{count}", f"{len(places):,}"),
        tokens=sum(each.tokens for each in ordered),
        places=places,
    )
