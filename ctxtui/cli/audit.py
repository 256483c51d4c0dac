"""`ctxtui audit`: what every agent loads, what it costs, what is wrong; for people, scripts and CI."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

from ctxtui.agents import Charge, what_if
from ctxtui.audit.fixes import apply, preview
from ctxtui.audit.history.history import history
from ctxtui.audit.limits import limit_line
from ctxtui.audit.reports.as_json import history_json, report_json
from ctxtui.audit.reports.as_markdown import to_markdown
from ctxtui.audit.reports.report import Report
from ctxtui.audit.reports.sarif import sarif_text
from ctxtui.audit.run import Asked, run_audit
from ctxtui.cli.as_json import print_json
from ctxtui.cli.project import Narrator, columns, narrated, open_project, start_session
from ctxtui.cli.status import DONE, PASSED_LIMIT
from ctxtui.cli.streams import put, write_stdout
from ctxtui.core.plain import plain_line
from ctxtui.core.wording import noun, plural
from ctxtui.session.session import Session

_MOST_ROWS = 12


@narrated
def run_audit_command(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Audit a project; exits with 1 if a limit is exceeded or a finding reaches the severity of `--fail-on`."""
    workspace, config = open_project(arguments, narrator)
    session = start_session(workspace, config, arguments)
    if arguments.history is not None:
        return _history(session, arguments, narrator)
    baseline = Path(arguments.baseline) if arguments.baseline else None
    written = Path(arguments.write_baseline) if arguments.write_baseline else None
    report = run_audit(workspace, session.budget, config, Asked(arguments.since, baseline, written), narrator)
    if arguments.touch:
        return _touch(report, arguments, narrator)
    if arguments.fix:
        return _fix(report, session, narrator)
    _WRITERS["json" if arguments.json else arguments.format](report, session, narrator)
    return PASSED_LIMIT if report.fails(arguments.fail_on) else DONE


def _table(report: Report, _session: Session, narrator: Narrator) -> None:
    sections = (_starts(report), _where(report), _since(report), _findings(report), _failed(report))
    put("\n\n".join("\n".join(lines) for section in sections if (lines := list(section))))
    count = len(report.findings)
    counter = report.counter
    sign, band = (
        ("", "") if counter.exact else ("≈ ", f" ({counter.name}, {counter.band}); all numbers are estimates")
    )
    size = f"{sign}{plural(report.totals.tokens, 'token')}{band}"
    narrator.say(f"{plural(count, 'finding')} in {plural(report.totals.files, 'context file')}, {size}")


def _starts(report: Report) -> Iterator[str]:
    agents = [each for each in report.result.agents if each.start_tokens]
    if not agents:
        return
    yield "START  what agents have in context before anything is asked"
    rows = []
    for context in sorted(agents, key=lambda each: -each.start_tokens):
        lost = f"{context.lost_tokens:,} cut" if context.lost_tokens else ""
        twice = f"{context.repeated_tokens:,} paid twice" if context.repeated_tokens else ""
        files = len({charge.path for charge in context.charges if charge.start_tokens})
        rows.append((f"  {context.agent.id}", f"{context.start_tokens:,}", plural(files, "file"), lost, twice))
    yield from columns(rows, frozenset({1}))
    if report.money is not None:
        yield from _money(report)


def _money(report: Report) -> Iterator[str]:
    money = report.money
    assert money is not None
    yield f"  dollars a request with {money.model}{f' ({money.remark})' if money.remark else ''}"
    for row in money.expenses:
        first = "" if row.first is None else f"first ${row.first:.4f}"
        cached = "" if row.cached is None else f"cached ${row.cached:.4f}"
        yield f"    {plain_line(row.name)}: {', '.join(filter(None, (first, cached))) or 'no price known'}"


def _where(report: Report) -> Iterator[str]:
    yield "WHERE  the tokens are"
    rows = [
        (f"  {row.kind}", plain_line(row.name), f"{row.files}", f"{row.tokens:,}", f"{row.share:.0%}")
        for kind in ("source", "strategy", "folder")
        for row in report.totals.of(kind, _MOST_ROWS)
    ]
    yield from columns(rows, frozenset({2, 3, 4}))


def _since(report: Report) -> Iterator[str]:
    if report.since is None:
        return
    yield f"SINCE  {report.since.ref}: {report.since.tokens:+,} {noun(report.since.tokens, 'token')}"
    rows = [
        (f"  {change.kind}", plain_line(change.path), f"{change.tokens:+,}")
        for change in report.since.files[:_MOST_ROWS]
    ]
    rows += [
        ("  start", change.agent, f"{change.after - change.before:+,}")
        for change in report.since.agents
        if change.after != change.before
    ]
    yield from columns(rows, frozenset({2})) if rows else ("  nothing changed",)


def _findings(report: Report) -> Iterator[str]:
    for finding in report.findings:
        place = finding.path or (finding.agent or "")
        if finding.line is not None:
            place += f":{finding.line}"
        tokens = f"  {plural(finding.tokens, 'token')}" if finding.tokens else ""
        yield f"{finding.severity:<8}{finding.rule}  {plain_line(place)}{tokens}"
        yield f"        {plain_line(finding.message)}"


def _failed(report: Report) -> Iterator[str]:
    yield from (limit_line(result) for result in report.limits)


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


_WRITERS: dict[str, Callable[[Report, Session, Narrator], None]] = {
    "table": _table,
    "markdown": lambda report, _session, _narrator: write_stdout(to_markdown(report).encode()),
    "sarif": lambda report, _session, _narrator: write_stdout(sarif_text(report).encode()),
    "json": lambda report, _session, narrator: print_json(report_json(report), narrator.notices),
}
