"""Runs the rules over a project."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from threading import Event, Thread

from ctxtui.audit.causes import by_cause, by_copy
from ctxtui.audit.context import Audited
from ctxtui.audit.costs import context_of
from ctxtui.audit.ignored import Sifted, sift, useless
from ctxtui.audit.rules import RULES, USELESS, load_rules
from ctxtui.audit.rules.ignores import comment_ignores
from ctxtui.audit.rules.rule import Rule
from ctxtui.audit.text.learn import AUDIT_TASKS
from ctxtui.audit.types import SEVERITIES, AuditResult, Finding, Settings
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.count import count_all
from ctxtui.workspace.counting import CountingWorkers
from ctxtui.workspace.workspace import Workspace


def audit(
    workspace: Workspace,
    counter: TokenCounter | None = None,
    settings: Settings | None = None,
    rules: Sequence[Rule] = RULES,
    stop: Event | None = None,
) -> AuditResult:
    """What the rules find in a project, most severe first; counts files that the ledger does not know yet.

    Never raises for content. A `cwd` of the settings outside the project is a ContextError
    (invalid_request). Setting `stop` ends it early, with the findings so far.
    """
    return apply_rules(Audited(workspace, counter, settings, stop), rules)


def apply_rules(audited: Audited, rules: Sequence[Rule] = RULES) -> AuditResult:
    """As `audit`, in a project under audit."""
    try:
        with CountingWorkers(audited.counter, lambda: AUDIT_TASKS) as workers:
            return _found(audited, rules, workers)
    finally:
        # Rules count files on their own as well.
        audited.workspace.reader.ledger.flush()
        audited.workspace.reader.cache.flush()


def _found(audited: Audited, rules: Sequence[Rule], workers: CountingWorkers) -> AuditResult:
    # What agents load of the plain files is known only after the others were counted.
    certain = context_of(audited.workspace.references, ())
    Thread(target=load_rules, name="rules", daemon=True).start()
    for some in (lambda: certain, lambda: audited.references):
        counting = count_all(audited.workspace, audited.counter, stop=audited.stop, only=some(), workers=workers)
        audited.notices |= dict.fromkeys(counting)
    findings: dict[Finding, None] = {}
    ran = [rule for rule in rules if rule.id not in audited.settings.off]
    for rule in ran:
        if not audited.is_stopped:
            findings.update(dict.fromkeys(filter(audited.is_about, rule.check(audited))))
    sifted = sift(findings, [*audited.settings.ignores, *comment_ignores(audited, [rule.id for rule in RULES])])
    told = [*sifted.told, *_vain(sifted, ran, audited)]
    agents = () if audited.is_stopped and "agents" not in vars(audited) else audited.agents
    return AuditResult(
        _ranked(told, audited),
        agents,
        tuple(audited.notices),
        is_complete=not audited.is_stopped,
        ignored=_ranked(sifted.ignored, audited),
        chains=() if audited.is_stopped else audited.chains,
    )


def _vain(sifted: Sifted, ran: Iterable[Rule], audited: Audited) -> Iterator[Finding]:
    """The ignores that matched nothing; none if the audit was stopped too early to know."""
    ids = [rule.id for rule in ran]
    if USELESS in ids and not audited.is_stopped:
        yield from useless(sifted.vain, ids)


def _ranked(findings: Iterable[Finding], audited: Audited) -> tuple[Finding, ...]:
    severities = audited.settings.severities
    weighed = (replace(each, severity=severities.get(each.rule, each.severity)) for each in findings)
    return tuple(sorted(by_cause(by_copy(weighed, audited.text)), key=_rank))


def _rank(finding: Finding) -> tuple[object, ...]:
    place = (finding.path or "", finding.line or 0, finding.rule, finding.message)
    return (SEVERITIES.index(finding.severity), -finding.tokens, *place)
