"""One run of the audit with everything requested: findings, limits, changes, baseline and prices."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from ctxtui.agents import load_table
from ctxtui.audit.apply_rules import audit
from ctxtui.audit.baseline import compare_to, make_baseline, read_baseline, write_baseline
from ctxtui.audit.costs import costs_of
from ctxtui.audit.history.since_ref import since
from ctxtui.audit.limits import check_limits, parse_limits
from ctxtui.audit.prices import start_money
from ctxtui.audit.reports.report import Report
from ctxtui.audit.rule_settings import tuned
from ctxtui.audit.rules import RULES
from ctxtui.audit.totals import totals
from ctxtui.audit.types import Settings
from ctxtui.audit.weigh.weigh import look
from ctxtui.audit.write_ignore import located
from ctxtui.core.cancel import Check, go_on
from ctxtui.core.notices import OnNotice, log_notice
from ctxtui.session.budget import Budget
from ctxtui.session.config import Config
from ctxtui.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Asked:
    """The options of a run: a git ref, a baseline to compare with, one to write, the folder where agents start.

    `weigh` are MCP servers to weigh; those of the user's own configuration are looked at if the workspace was opened
    with what is at home.
    """

    since: str | None = None
    baseline: Path | None = None
    write_baseline: Path | None = None
    cwd: str = ""
    weigh: tuple[str, ...] = ()


NOTHING_ELSE = Asked()


def run_audit(
    workspace: Workspace,
    budget: Budget,
    config: Config,
    asked: Asked = NOTHING_ELSE,
    on_notice: OnNotice = log_notice,
    check: Check = go_on,
    stop: Event | None = None,
) -> Report:
    """The report on a project; raises ContextError for limits, rules, refs and baselines that cannot be used.

    Setting `stop` ends it early, with the findings so far: then its result is not complete.
    MCP servers that are being weighed end once `check` raises Stopped, which is raised here as well.
    """
    counter = budget.counter
    table = workspace.scope.table or load_table()
    limits = parse_limits(config.limits, config.place("limits"), table)
    settings = Settings(start_limits=limits.start, window=budget.window, cwd=asked.cwd, table=workspace.scope.table)
    settings = tuned(settings, config.rules, [rule.id for rule in RULES], config.place("rules"))
    home = workspace.scope.home
    weighing = look(
        workspace, table, counter, asked.weigh, folder=settings.cwd, user=home, window=budget.window, check=check
    )
    for notice in weighing.notices:
        on_notice(notice)
    ignores = located(workspace.reader.root, settings.ignores)
    settings = replace(settings, ignores=ignores, servers=weighing.servers)
    result = audit(workspace, counter, settings, stop=stop)
    costs = costs_of(workspace, counter, result.agents)
    comparison = None
    if asked.baseline is not None:
        comparison = compare_to(read_baseline(asked.baseline), result, costs, counter)
    if asked.write_baseline is not None:
        write_baseline(asked.write_baseline, make_baseline(result, costs, counter))
    changes = None
    if asked.since is not None:
        changes = since(workspace, counter, asked.since, agents=result.agents, settings=settings, on_notice=on_notice)
    before = changes.before if changes else comparison.before if comparison else None
    name = asked.since or ("the baseline" if comparison else "")
    sums = totals(workspace, counter, result.agents)
    return Report(
        workspace.root.name,
        counter,
        result,
        sums,
        RULES,
        check_limits(limits, workspace, counter, result.agents, since=name, before=before),
        changes,
        comparison,
        start_money(budget.model, result.agents, sums.tokens) if budget.model else None,
        table,
        settings,
        weighing,
    )
