"""What the tests of sums, limits and reports share: a project under audit, and a report of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ctxtui import Workspace
from ctxtui.agents import AgentContext
from ctxtui.audit.context import Audited
from ctxtui.audit.limits import LimitResult, Limits, check_limits
from ctxtui.audit.reports.report import Report
from ctxtui.audit.rules import Rule
from ctxtui.audit.totals import totals
from ctxtui.audit.types import AuditResult, Finding, Settings
from ctxtui.core import TokenCounter, get_counter
from ctxtui.workspace.scope import Scope

COUNTER = get_counter()


@dataclass(frozen=True)
class Opened:
    """A project and what its agents take of it."""

    workspace: Workspace
    counter: TokenCounter
    agents: tuple[AgentContext, ...]

    def check(self, limits: Limits, **options: Any) -> tuple[LimitResult, ...]:
        """Limits against it."""
        return check_limits(limits, self.workspace, self.counter, self.agents, **options)

    def report(self, *findings: Finding, **parts: Any) -> Report:
        """A report with these findings."""
        result = AuditResult(findings, self.agents)
        sums = totals(self.workspace, self.counter, self.agents)
        return Report(self.workspace.root.name, self.counter, parts.pop("result", result), sums, **parts)


def opened(root: Path, counter: TokenCounter = COUNTER, scope: Scope | None = None, **settings: Any) -> Opened:
    """A folder with its agents' contexts."""
    workspace = Workspace.open(root, scope=scope or Scope(), on_notice=lambda _: None)
    return Opened(workspace, counter, Audited(workspace, counter, Settings(**settings)).agents)


def rule(id_: str = "paid-twice", title: str = "Paid twice") -> Rule:
    """A rule that finds nothing."""
    return Rule(id_, "warning", title, "The same text is paid for again.", lambda _: ())


def finding(**fields: Any) -> Finding:
    """A finding about AGENTS.md, with other fields as given."""
    known = {"rule": "paid-twice", "severity": "warning", "fact": "twice in claude-code", "path": "AGENTS.md"}
    return Finding(**{**known, "line": 3, "tokens": 120, "evidence": "docs, 2026-11-01", **fields})
