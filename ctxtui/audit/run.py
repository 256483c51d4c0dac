"""One audit run with all options: findings, limits, changes, baseline, prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.agents import Agent, load_table
from ctxtui.audit.cached.snapshot import KnownAudit, kept_audit, known_audit
from ctxtui.audit.limits import Limits, check_limits, parse_limits
from ctxtui.audit.reports.report import Report
from ctxtui.audit.rule_settings import tuned
from ctxtui.audit.rules import RULES
from ctxtui.audit.types import Settings
from ctxtui.audit.weigh.types import Weighing
from ctxtui.audit.weigh.weigh import look
from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.notices import Notice, OnNotice, log_notice
from ctxtui.session.budget import Budget
from ctxtui.session.saved.config import Config
from ctxtui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from ctxtui.agents.types import Fixed
    from ctxtui.audit.baseline import Comparison
    from ctxtui.audit.types import AuditResult
    from ctxtui.core.tokens.counter import TokenCounter


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """The options of a run: a git ref, a baseline to read or write, the folder where agents start.

    `weigh` names MCP servers to start and measure. Those of the user count if the workspace was opened with user
    files. `force` lets `write_baseline` replace a file that is no baseline.
    """

    since: str | None = None
    baseline: Path | None = None
    write_baseline: Path | None = None
    cwd: str = ""
    weigh: tuple[str, ...] = ()
    force: bool = False


NOTHING_ELSE = AuditOptions()


def run_audit(
    workspace: Workspace,
    budget: Budget,
    config: Config,
    asked: AuditOptions = NOTHING_ELSE,
    on_notice: OnNotice = log_notice,
    check: Check = go_on,
    stop: Event | None = None,
) -> Report:
    """Audit a project. Raises ContextError for unusable limits, rules, refs and baselines.

    Setting `stop` ends the run early with an incomplete result. If `check` raises Stopped, running MCP servers end
    and Stopped is raised here.
    """
    plan = _weigh_and_plan(workspace, budget, config, asked, on_notice, check)
    found = known_audit(workspace, budget.counter, plan.settings, stop)
    return _report(workspace, budget, plan, found, asked, on_notice)


def recall_audit(
    workspace: Workspace, budget: Budget, config: Config, asked: AuditOptions = NOTHING_ELSE
) -> Report | None:
    """The report that `run_audit` would give, if the cache has its findings, else None. Raises as it does."""
    plan = _weigh_and_plan(workspace, budget, config, asked)
    found = kept_audit(workspace, budget.counter, plan.settings)
    return None if found is None else _report(workspace, budget, plan, found, asked)


def report_on(workspace: Workspace, budget: Budget, config: Config, asked: AuditOptions, found: KnownAudit) -> Report:
    """The report of `run_audit` from the findings in `found`. Raises ContextError as `run_audit` does."""
    return _report(workspace, budget, _weigh_and_plan(workspace, budget, config, asked), found, asked)


def find(workspace: Workspace, budget: Budget, config: Config, asked: AuditOptions) -> KnownAudit:
    """The result of the rules and the sums for `run_audit`, cached if known. Raises as `run_audit` does."""
    return known_audit(workspace, budget.counter, _weigh_and_plan(workspace, budget, config, asked).settings)


class _Plan(NamedTuple):
    """The table of agents, limits, settings and servers of a run, all known before its rules run."""

    table: Sequence[Agent]
    limits: Limits
    settings: Settings
    weighing: Weighing


def drop_notice(_notice: Notice) -> None:
    """Do nothing: for audits whose notices are shown elsewhere, or are findings."""


def _weigh_and_plan(
    workspace: Workspace,
    budget: Budget,
    config: Config,
    asked: AuditOptions,
    on_notice: OnNotice = drop_notice,
    check: Check = go_on,
) -> _Plan:
    table = workspace.scope.table or load_table()
    limits = parse_limits(config.limits, config.place("limits"), table)
    settings = Settings(start_limits=limits.start, window=budget.window, cwd=asked.cwd, table=workspace.scope.table)
    settings = tuned(settings, config.rules, [rule.id for rule in RULES], config.place("rules"))
    weighing = look(
        workspace,
        table,
        budget.counter,
        asked.weigh,
        folder=settings.cwd,
        user=workspace.scope.home,
        window=budget.window,
        check=check,
    )
    for notice in weighing.notices:
        on_notice(notice)
    settings = replace(settings, servers=weighing.servers)
    if settings.ignores:
        from ctxtui.audit.write_ignore import located  # noqa: PLC0415 - most projects ignore nothing

        settings = replace(settings, ignores=located(workspace.reader.root, settings.ignores))
    return _Plan(table, limits, settings, weighing)


def _report(
    workspace: Workspace,
    budget: Budget,
    plan: _Plan,
    found: KnownAudit,
    asked: AuditOptions,
    on_notice: OnNotice = drop_notice,
) -> Report:
    counter, (result, sums) = budget.counter, found
    comparison = _compared(workspace, counter, result, asked) if asked.baseline or asked.write_baseline else None
    changes = None
    if asked.since is not None:
        from ctxtui.audit.history.since_ref import since  # noqa: PLC0415 - only if asked for

        changes = since(
            workspace, counter, asked.since, agents=result.agents, settings=plan.settings, on_notice=on_notice
        )
    before = changes.before if changes else comparison.before if comparison else None
    name = asked.since or ("the baseline" if comparison else "")
    if plan.limits.max_growth is not None and before is None:
        on_notice(Notice("growth-unchecked", "`max_growth` is checked with --since REF or --baseline FILE only"))
    own: Mapping[str, Fixed] = {}
    if result.agents:
        from ctxtui.agents.capture.categories import own_parts  # noqa: PLC0415 - an audit of no agents needs none

        own = own_parts((each.agent for each in result.agents), counter, workspace.root)
    money = None
    if budget.model:
        from ctxtui.audit.prices import start_money  # noqa: PLC0415 - only with a model

        money = start_money(budget.model, result.agents, sums.tokens, own=own)
    return Report(
        workspace.root.name,
        counter,
        result,
        sums,
        RULES,
        check_limits(plan.limits, workspace, counter, result.agents, since=name, before=before),
        changes,
        comparison,
        money,
        plan.table,
        plan.settings,
        plan.weighing,
        own=own,
    )


def _compared(
    workspace: Workspace, counter: TokenCounter, result: AuditResult, asked: AuditOptions
) -> Comparison | None:
    """Compare with the baseline to read, or give None without one. Then write the baseline to write, if any."""
    from ctxtui.audit import baseline  # noqa: PLC0415 - only if asked for
    from ctxtui.audit.costs import costs_of  # noqa: PLC0415

    costs = costs_of(workspace, counter, result.agents)
    compared = None
    if asked.baseline is not None:
        compared = baseline.compare_to(baseline.read_baseline(asked.baseline), result, costs, counter)
    if asked.write_baseline is not None:
        found = baseline.make_baseline(result, costs, counter)
        baseline.write_baseline(asked.write_baseline, found, force=asked.force)
    return compared
