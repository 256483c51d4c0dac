"""Runs the rules over a project."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event

from ctxtui.audit.context import Audited
from ctxtui.audit.rules import RULES
from ctxtui.audit.rules.rule import Rule
from ctxtui.audit.types import SEVERITIES, AuditResult, Finding, Settings
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.count import count_all
from ctxtui.workspace.workspace import Workspace


def audit(
    workspace: Workspace,
    counter: TokenCounter | None = None,
    settings: Settings | None = None,
    rules: Sequence[Rule] = RULES,
    stop: Event | None = None,
) -> AuditResult:
    """What the rules find in a project, worst first; counts what the ledger does not know yet.

    No content makes it raise. A `cwd` of the settings outside the project is a ContextError
    (invalid_request). Setting `stop` ends it early, with what was found until then.
    """
    audited = Audited(workspace, counter, settings, stop)
    audited.notices |= dict.fromkeys(count_all(workspace, audited.counter, stop=stop, only=audited.references))
    findings: dict[Finding, None] = {}
    for rule in rules:
        if not audited.is_stopped:
            findings.update(dict.fromkeys(rule.check(audited)))
    agents = () if audited.is_stopped and "agents" not in vars(audited) else audited.agents
    return AuditResult(
        tuple(sorted(findings, key=_rank)), agents, tuple(audited.notices), is_complete=not audited.is_stopped
    )


def _rank(finding: Finding) -> tuple[object, ...]:
    place = (finding.path or "", finding.line or 0, finding.rule, finding.message)
    return (SEVERITIES.index(finding.severity), -finding.tokens, *place)
