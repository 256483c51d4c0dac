"""Make the rows of each tab of the Audit screen when it is first opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from threading import Event
from typing import Final

from ctxtui.audit.advice import Adviser
from ctxtui.audit.history.history import History, histories
from ctxtui.audit.history.since_findings import FindingChanges, finding_changes
from ctxtui.audit.history.since_ref import FileChange, Since, since
from ctxtui.audit.logs.compare import CHANGED, DIFFERENT, EXTRA, MISSING, STATES
from ctxtui.audit.logs.log_rows import bill_rows, file_row, skipped_words, use_row
from ctxtui.audit.logs.report import Logs, read_logs
from ctxtui.audit.logs.unused import MIN_DAYS, MIN_STARTS, UNUSED, USED
from ctxtui.audit.reports.report import Report
from ctxtui.audit.run import NO_OPTIONS, AuditOptions, recall_audit, run_audit
from ctxtui.audit.slim.plan import plan_switches
from ctxtui.audit.totals import share_tree
from ctxtui.audit.types import Finding, Settings
from ctxtui.audit.weigh.consent import launch_lines
from ctxtui.audit.weigh.in_words import remarks, server_row
from ctxtui.audit.weigh.types import Weighed
from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.git.changes import default_base
from ctxtui.session.saved.config import load_config
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.audit import figure_rows
from ctxtui.tui.audit.finding_rows import NOTHING_TO_MEND, finding_row, saving_rows
from ctxtui.tui.widgets.fold_rows import Row, heading, item, remark
from ctxtui.tui.widgets.rows import Cell

# The styles of the states in transcripts, of servers, and of kinds of change.
_LOG_STYLES = {
    **dict.fromkeys(("billed", "explained", "fixed part", "unexplained", "we predict"), "accent"),
    DIFFERENT: "over",
    MISSING: "warn",
    EXTRA: "warn",
    CHANGED: "accent",
    UNUSED: "warn",
    USED: "good",
}

_STARTS, _FILES = "What agents start with", "Files"
_SERVER_STYLES = {"weighed": "", "failed": "over", "off": "dim", "unweighed": "dim"}
_CHANGE_STYLES = {"added": "over", "removed": "good", "changed": "accent", "moved": "dim"}

PREVIEWED: Final = ("findings", "starts", "touch", "servers", "changes")
"""The views with a preview of the row's file."""
_NO_AGENT: Final = "no agent file here: AGENTS.md, CLAUDE.md, rules or skills would be read at every start"
NOTHING: Final = {
    "findings": NOTHING_TO_MEND,
    **dict.fromkeys(("starts", "matrix", "touch", "map", "totals"), _NO_AGENT),
    "changes": "nothing changed",
    "history": "no commit changed a file that agents read",
    "logs": "no transcript of this project",
}
"""The message of a view without rows."""
WITH_STARTS: Final = ("findings", "starts")
"""The views that show starts, or limits on starts."""
WITH_GIT: Final = ("changes", "history")
"""The views that read git history."""


def log_rows(logs: Logs) -> Iterator[Row]:
    """Rows of every agent: its bills, the files that it sent, and the items that it paid for."""
    for agent in logs.agents:
        if not agent.starts:
            yield remark(agent.nothing)
            continue
        first, last, id_ = agent.first, agent.last, agent.agent
        when = f"{first.date()} to {last.date()}" if first and last else ""
        text = shown.line(f"{id_}  {plural(agent.starts, 'start')}, {when}")
        skipped = skipped_words(agent.skipped)
        read = f"{plural(agent.read, 'transcript')} of {agent.place} read{f'; skipped: {skipped}' if skipped else ''}"
        read += f"\na verdict about what is unused needs {MIN_STARTS} starts over {MIN_DAYS} days"
        yield heading(text, detail=read, group=id_, words=id_)
        for row in (*bill_rows(agent), *map(file_row, agent.files), *map(use_row, agent.uses)):
            state, right = (f"  {row.state:<15}", _LOG_STYLES.get(row.state, "dim")), ((f"{row.number:>9}", ""),)
            name = " ".join(row.names) or row.remarks[0]
            detail = "; ".join(filter(None, (STATES.get(row.state), *row.remarks)))
            yield item(
                state, name, right, path=row.path, line=row.line, detail=detail, tokens=row.tokens, within=(id_,)
            )


def change_rows(since: Since, findings: FindingChanges, adviser: Adviser, key: str) -> Iterator[Row]:
    """File changes, changes of agent starts, and findings. `key` names the key that chooses another base."""
    title = f"since {shown.line(since.ref)} ({since.base[:8]})"
    total = _change_cell(since.tokens)
    yield Row(((title, "strong"), (f"   {key} compares with another branch", "dim")), (total,), heads=True)
    for notice in since.notices:
        yield remark(str(notice), detail=str(notice))
    grown = [each for each in since.agents if each.after != each.before]
    starts = sorted(grown, key=lambda each: -abs(each.after - each.before))
    if starts:
        yield heading(_STARTS, count=len(starts))
    for each in starts:
        text = f"{each.name}  {each.before:,} → {each.after:,}"
        tokens = each.after - each.before
        path = each.growth.path or None
        most, right = f"most by {path}" if path else None, (_change_cell(tokens),)
        yield item(("  ", ""), text, right, most, path=path, tokens=abs(tokens), within=(_STARTS,))
    if since.files:
        yield heading(_FILES, count=len(since.files))
    for file in since.files:
        yield from _file_rows(file)
    yield from _finding_rows("New findings", findings.new, adviser, is_new=True)
    yield from _finding_rows("Findings that are gone", findings.gone, adviser, is_new=False)
    if not (since.files or starts or findings.new or findings.gone):
        yield remark("nothing changed")


def _file_rows(file: FileChange) -> Iterator[Row]:
    """The row of a changed file. If several sections changed, it folds a row for each of them."""
    was = f"was {file.old_path}" if file.old_path else ""
    about = f"{file.before:,} → {file.after:,}" if file.before is not None and file.after is not None else was
    has_parts = len(file.sections) > 1
    left = (f"{'' if has_parts else '    '}{file.kind:<8} ", _CHANGE_STYLES[file.kind])
    row = item(left, file.path, (_change_cell(file.tokens),), was or about, tokens=abs(file.tokens), within=(_FILES,))
    path, group = None if file.after is None else file.path, file.path if has_parts else ""
    yield replace(row, path=path, group=group, words=shown.line(f"{file.kind} {file.path}"))
    for part in file.sections if has_parts else ():
        kind = "added" if part.before is None else "removed" if part.after is None else "changed"
        left, right, path = (f"      {kind:<8} ", _CHANGE_STYLES[kind]), (_change_cell(part.tokens),), file.path
        yield item(left, part.name, right, path=path, tokens=abs(part.tokens), within=(_FILES, path))


def _finding_rows(title: str, findings: Sequence[Finding], adviser: Adviser, *, is_new: bool) -> Iterator[Row]:
    if findings:
        yield heading(title, count=len(findings))
    for row in (finding_row(finding, adviser, within=(title,)) for finding in findings):
        # A finding that is gone is in a text that is gone.
        yield row if is_new else replace(row, left=(("✓ ", "good"),), path=None, line=None, finding=None)


def _change_cell(tokens: int) -> Cell:
    return f"{tokens:>+10,}", "over" if tokens > 0 else "good" if tokens < 0 else "dim"


def server_rows(report: Report) -> Iterator[Row]:
    """MCP servers with their prices and tools, after a row that counts the tools of one, then notices and remarks."""
    servers = report.mcp.servers
    none = "no agent here starts an MCP server; enter looks in your home folder"
    yield remark("enter counts the tools of one, after you agree to start it" if servers else none, act="weigh")
    for weighed in servers:
        yield _server_row(weighed)
        within = (weighed.server.digest,)
        for price in weighed.prices:
            tokens = f"start ≈{price.start:,}  loaded ≈{price.loaded:,}  always ≈{price.always:,}"
            source = f"\n{price.src}, checked {price.checked}" if price.src else ""
            left: tuple[Cell, ...] = ((f"    {price.agent}  ", "accent"), (tokens, ""))
            yield Row(left, detail=f"{price.note}{source}", tokens=price.start, within=within)
        for tool in sorted(weighed.tools, key=lambda tool: -tool.tokens):
            right: tuple[Cell, ...] = ((f"{shown.number(tool.tokens, report.counter):>8}", "dim"),)
            yield remark(f"  {tool.name}", "dim", right, tokens=tool.tokens, within=within)
    yield from (remark(str(notice), "warn", detail=notice.message) for notice in report.mcp.notices)
    yield from (remark(text, detail=text) for text in remarks(servers, report.counter))


def _server_row(weighed: Weighed) -> Row:
    """The row of a server, which folds its prices and tools. Only a server of the project has a path."""
    server = weighed.server
    name, agents, *_, state = server_row(weighed)
    count = plural(len(weighed.tools), "tool") if weighed.listing is not None else ""
    place = shown.line(server.path_and_line)
    path, line = (server.path, server.line) if server.owner == "project" else (None, None)
    return Row(
        left=((f"{shown.line(name)}  ", "strong"), (f"{agents}  ", "accent"), (place, "dim")),
        right=((f"{count}  ", ""), (shown.line(state), _SERVER_STYLES[weighed.state])),
        path=path,
        line=line,
        detail="\n".join((*([weighed.why] if weighed.why else []), *launch_lines(server))),
        group=server.digest if weighed.prices or weighed.tools else "",
        is_open=True,
        words=shown.line(f"{name} {agents} {place}"),
    )


def audit_project(
    session: Session, options: AuditOptions = NO_OPTIONS, check: Check = go_on, stop: Event | None = None
) -> Report:
    """Audit the project as it is now. `check` may raise Stopped, and `stop` ends the audit with a partial report."""
    # Configuration problems were shown at startup. Problems with MCP servers are rows of their tab.
    config = load_config(session.workspace.root, on_notice=lambda _notice: None)
    return run_audit(session.workspace, session.budget, config, options, lambda _notice: None, check, stop)


def recall_report(session: Session, options: AuditOptions) -> Report | None:
    """The report of `audit_project` if the cache has it, else None at once."""
    config = load_config(session.workspace.root, on_notice=lambda _notice: None)
    return recall_audit(session.workspace, session.budget, config, options)


def read_log_rows(report: Report, session: Session) -> list[Row]:
    """Read the user's transcripts of the project. Returns changes that switch unused items off, then their rows."""
    workspace, budget = session.workspace, session.budget
    settings = Settings(window=budget.window, table=workspace.scope.table)
    found = read_logs(workspace, budget.counter, os.environ, settings=settings)
    return [*saving_rows(plan_switches(workspace, report, found), None), *log_rows(found)]


def _map(report: Report, session: Session) -> list[Row]:
    return list(figure_rows.share_rows(share_tree(session.workspace, report.counter, report.result.agents)))


def history_of(session: Session, cwd: str, check: Check) -> Iterator[History]:
    """Growing histories of the project, newest commits first, with starts in `cwd`. `check` may raise to end."""
    workspace, budget = session.workspace, session.budget
    settings = Settings(window=budget.window, cwd=cwd, table=workspace.scope.table)
    return histories(workspace, budget.counter, settings=settings, check=check, on_notice=lambda _notice: None)


ROWS: Final[dict[str, Callable[[Report, Session], list[Row]]]] = {
    "starts": lambda report, _: list(figure_rows.agent_rows(report)),
    "totals": lambda report, _: list(figure_rows.total_rows(report)) if report.totals.tokens else [],
    "map": _map,
    "matrix": lambda report, session: list(figure_rows.matrix_rows(report, session.workspace)),
    "servers": lambda report, _: list(server_rows(report)),
    "touch": lambda report, _: (
        [remark("enter asks which file an agent touches", act="what_if")] * bool(report.starts)
    ),
    "logs": lambda *_: [remark("enter reads your own transcripts of this project", act="read_logs")],
}
"""The rows of views that need only the report and the session. Some begin with a row that enter acts on."""


def read_change_rows(report: Report, session: Session, base: str | None, key: str, stop: Event) -> list[Row]:
    """Rows of the changes since `base`, by default git's default branch. `key` is the key that chooses another.

    Without any branch, a row that asks for a base. Raises ContextError without git.
    """
    workspace = session.workspace
    base = base or default_base(workspace.root)
    if base is None:
        return [remark(f"no branch to compare with; {key} chooses one", act="base")]
    agents, settings = report.result.agents, report.settings
    found = since(workspace, report.counter, base, agents=agents, settings=settings, on_notice=lambda _notice: None)
    return list(change_rows(found, finding_changes(workspace, report, found.base, stop), report.adviser, key))
