"""One audit run with all options: findings, limits, changes, baseline, prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.agents import Agent, load_table
from ctxtui.audit.cached.snapshot import ResultAndTotals, recall_rules, run_or_recall_rules
from ctxtui.audit.limits import Limits, check_limits, parse_limits
from ctxtui.audit.reports.report import Report
from ctxtui.audit.rule_settings import tuned
from ctxtui.audit.rules import RULES
from ctxtui.audit.types import Settings
from ctxtui.audit.weigh.types import Weighing
from ctxtui.audit.weigh.weigh import weigh_servers
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


NO_OPTIONS = AuditOptions()


def run_audit(
    workspace: Workspace,
    budget: Budget,
    config: Config,
    options: AuditOptions = NO_OPTIONS,
    on_notice: OnNotice = log_notice,
    check: Check = go_on,
    stop: Event | None = None,
) -> Report:
    """Audit a project. Raises ContextError for unusable limits, rules, refs and baselines.

    Setting `stop` ends the run early with an incomplete result. If `check` raises Stopped, running MCP servers end
    and Stopped is raised here.
    """
    plan = _weigh_and_plan(workspace, budget, config, options, on_notice, check)
    outcome = run_or_recall_rules(workspace, budget.counter, plan.settings, stop)
    return _report(workspace, budget, plan, outcome, options, on_notice)


def recall_audit(
    workspace: Workspace, budget: Budget, config: Config, options: AuditOptions = NO_OPTIONS
) -> Report | None:
    """The report that `run_audit` would give, if the cache has its findings, else None. Raises as it does."""
    plan = _weigh_and_plan(workspace, budget, config, options)
    outcome = recall_rules(workspace, budget.counter, plan.settings)
    return None if outcome is None else _report(workspace, budget, plan, outcome, options)


def report_on(
    workspace: Workspace, budget: Budget, config: Config, options: AuditOptions, outcome: ResultAndTotals
) -> Report:
    """The report of `run_audit` from the result of its rules. Raises ContextError as `run_audit` does."""
    return _report(workspace, budget, _weigh_and_plan(workspace, budget, config, options), outcome, options)


def result_of_rules(workspace: Workspace, budget: Budget, config: Config, options: AuditOptions) -> ResultAndTotals:
    """The result for `report_on`, from the cache if possible. Raises as `run_audit` does."""
    return run_or_recall_rules(
        workspace, budget.counter, _weigh_and_plan(workspace, budget, config, options).settings
    )


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
    options: AuditOptions,
    on_notice: OnNotice = drop_notice,
    check: Check = go_on,
) -> _Plan:
    """The plan of a run. Starts the MCP servers that the options name, and reports servers that fail."""
    table = workspace.scope.table or load_table()
    limits = parse_limits(config.limits, config.place("limits"), table)
    settings = Settings(start_limits=limits.start, window=budget.window, cwd=options.cwd, table=workspace.scope.table)
    settings = tuned(settings, config.rules, [rule.id for rule in RULES], config.place("rules"))
    weighing = weigh_servers(
        workspace, budget.counter, options.weigh, folder=settings.cwd, window=budget.window, check=check
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
    outcome: ResultAndTotals,
    options: AuditOptions,
    on_notice: OnNotice = drop_notice,
) -> Report:
    """The report on a finished run of the rules. Writes a baseline if the options name one to write."""
    counter, (result, sums) = budget.counter, outcome
    comparison = None
    if options.baseline or options.write_baseline:
        comparison = _compare_and_write(workspace, counter, result, options)
    changes = None
    if options.since is not None:
        from ctxtui.audit.history.since_ref import since  # noqa: PLC0415 - only if asked for

        changes = since(
            workspace, counter, options.since, agents=result.agents, settings=plan.settings, on_notice=on_notice
        )
    before = changes.before if changes else comparison.before if comparison else None
    name = options.since or ("the baseline" if comparison else "")
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


def _compare_and_write(
    workspace: Workspace, counter: TokenCounter, result: AuditResult, options: AuditOptions
) -> Comparison | None:
    """The comparison with the baseline to read, or None without one. Then writes the baseline to write, if any."""
    from ctxtui.audit import baseline  # noqa: PLC0415 - only if asked for
    from ctxtui.audit.costs import costs_of  # noqa: PLC0415

    costs = costs_of(workspace, counter, result.agents)
    comparison = None
    if options.baseline is not None:
        comparison = baseline.compare_to(baseline.read_baseline(options.baseline), result, costs, counter)
    if options.write_baseline is not None:
        new = baseline.make_baseline(result, costs, counter)
        baseline.write_baseline(options.write_baseline, new, force=options.force)
    return comparison
