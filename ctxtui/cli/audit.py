"""`ctxtui audit`: what every agent loads, what it costs, what is wrong; for people, scripts and CI."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from ctxtui.agents import Charge, what_if
from ctxtui.audit.fixes import apply, preview
from ctxtui.audit.history.history import history
from ctxtui.audit.logs.as_json import logs_json
from ctxtui.audit.logs.report import read_logs
from ctxtui.audit.reports.as_json import history_json, report_json
from ctxtui.audit.reports.as_markdown import to_markdown
from ctxtui.audit.reports.report import Report
from ctxtui.audit.reports.sarif import sarif_text
from ctxtui.audit.run import Asked, run_audit
from ctxtui.audit.types import Settings
from ctxtui.cli.as_json import print_json
from ctxtui.cli.audit_table import audit_table
from ctxtui.cli.logs_table import logs_table
from ctxtui.cli.project import Narrator, columns, narrated, open_project, start_session
from ctxtui.cli.status import DONE, PASSED_LIMIT
from ctxtui.cli.streams import put, require_stdout, write_stdout
from ctxtui.core.plain import plain_line
from ctxtui.core.wording import plural
from ctxtui.session.session import Session

_MOST_ROWS = 12


@narrated
def run_audit_command(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Audit a project; exceeded limits, and findings of `--fail-on` or higher severity, exit with 1."""
    workspace, config = open_project(arguments, narrator)
    session = start_session(workspace, config, arguments)
    if arguments.history is not None:
        return _history(session, arguments, narrator)
    if arguments.logs is not None:
        return _logs(session, arguments, narrator)
    baseline = Path(arguments.baseline) if arguments.baseline else None
    written = Path(arguments.write_baseline) if arguments.write_baseline else None
    report = run_audit(workspace, session.budget, config, Asked(arguments.since, baseline, written), narrator)
    if arguments.touch:
        return _touch(report, arguments, narrator)
    if arguments.fix:
        return _fix(report, session, narrator)
    _WRITERS["json" if arguments.json else arguments.format](report, session, narrator, arguments.every)
    return PASSED_LIMIT if report.fails(arguments.fail_on) else DONE


def _table(report: Report, _session: Session, narrator: Narrator, every: bool) -> None:
    stdout = require_stdout()
    put(audit_table(report, every=every, evidence=stdout.isatty()))
    totals, counter = report.totals, report.counter
    sign, band = (
        ("", "") if counter.exact else ("≈ ", f" ({counter.name}, {counter.band}); all numbers are estimates")
    )
    count = plural(len(report.findings), "finding")
    read = f"{plural(totals.unasked_files, 'context file')}, {sign}{plural(totals.unasked, 'token')}{band}"
    left = totals.files - totals.unasked_files
    rest = f"; {plural(left, 'file')} more, read only on request" if left else ""
    narrator.say(f"{count} in {read}{rest}")


def _touch(report: Report, arguments: argparse.Namespace, narrator: Narrator) -> int:
    found = [each for each in what_if(report.result.agents, arguments.touch) if each.charges or each.perhaps]
    if arguments.json:
        results = [
            {
                "agent": each.agent.id,
                "tokens": each.tokens,
                "files": [_charge(charge) for charge in each.charges],
                "perhaps": [_charge(charge) for charge in each.perhaps],
            }
            for each in found
        ]
        print_json({"path": arguments.touch, "agents": results}, narrator.notices)
        return DONE
    for each in found:
        put(f"{each.agent.id}  +{each.tokens:,}")
        rows = [("  +", charge.path, f"{charge.touch_tokens:,}", charge.reason) for charge in each.charges]
        rows += [("  ?", charge.path, f"{charge.touch_tokens:,}", charge.reason) for charge in each.perhaps]
        put("\n".join(columns([tuple(map(plain_line, row)) for row in rows], frozenset({2}))))
    narrator.say(f"{plural(len(found), 'agent reads', 'agents read')} more when {arguments.touch} is touched")
    return DONE


def _charge(charge: Charge) -> dict[str, object]:
    return {"path": charge.path, "tokens": charge.touch_tokens, "reason": charge.reason}


def _fix(report: Report, session: Session, narrator: Narrator) -> int:
    fixes = [finding.fix for finding in report.findings if finding.fix is not None]
    root = session.workspace.reader.root
    write_stdout(preview(root, fixes).encode())
    written = apply(root, fixes)
    narrator.say(f"{plural(len(fixes), 'number')} written in {plural(len(written), 'file')}")
    return DONE


def _history(session: Session, arguments: argparse.Namespace, narrator: Narrator) -> int:
    workspace = session.workspace
    sources = {reference.path: reference.source for reference in workspace.references}
    found = history(
        workspace.root,
        session.budget.counter,
        max_commits=arguments.history,
        sources=sources,
        on_notice=narrator,
    )
    if arguments.json:
        print_json(history_json(found), narrator.notices)
        return DONE
    before = 0
    rows: list[tuple[str, ...]] = []
    for costs in found.commits:
        change = f"{costs.tokens - before:+,}" if rows else ""
        day = costs.commit.time.date().isoformat()
        rows.append((costs.commit.id[:8], day, f"{costs.tokens:,}", change, plain_line(costs.commit.subject)[:60]))
        before = costs.tokens
    put("\n".join(columns(rows[::-1], frozenset({2, 3}))))
    grown = [jump for jump in found.jumps() if jump.tokens > 0][:_MOST_ROWS]
    if grown:
        put("\nGREW MOST")
        jumps = [(f"  {j.commit.id[:8]}", f"{j.tokens:+,}", plain_line(j.path)) for j in grown]
        put("\n".join(columns(jumps, frozenset({1}))))
    return DONE


def _logs(session: Session, arguments: argparse.Namespace, narrator: Narrator) -> int:
    settings = Settings(window=session.budget.window, table=session.workspace.scope.table)
    logs = read_logs(
        session.workspace, session.budget.counter, os.environ, settings=settings, is_whole=arguments.logs == "all"
    )
    if arguments.json or arguments.format == "json":
        print_json({"name": session.workspace.root.name, "logs": logs_json(logs)}, narrator.notices)
    else:
        put(logs_table(logs, every=arguments.every))
    narrator.say("only names, counts and digests are shown; the transcripts stay as they are")
    return DONE


_WRITERS: dict[str, Callable[[Report, Session, Narrator, bool], None]] = {
    "table": _table,
    "markdown": lambda report, _session, _narrator, _every: write_stdout(to_markdown(report).encode()),
    "sarif": lambda report, _session, _narrator, _every: write_stdout(sarif_text(report).encode()),
    "json": lambda report, _session, narrator, _every: print_json(report_json(report), narrator.notices),
}
