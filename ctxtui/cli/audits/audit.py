"""`ctxtui audit`: agent starts, their costs, and problems, for people, scripts and CI."""

from __future__ import annotations

import argparse
from pathlib import Path

from ctxtui.audit.reports.report import Report, is_aside, with_known_starts
from ctxtui.audit.run import AuditOptions, run_audit
from ctxtui.audit.slim.known_saving import known_saving
from ctxtui.audit.types import Finding
from ctxtui.cli.audits.audit_table import audit_table, look_of
from ctxtui.cli.output.as_json import print_json
from ctxtui.cli.output.streams import put, require_stdout, write_redacted, write_stdout
from ctxtui.cli.output.terminal import agreed, has_terminal
from ctxtui.cli.project import Narrator, aligned, budget_of, narrated, open_project
from ctxtui.cli.status import DONE, FAILED, PASSED_LIMIT
from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import noun, plural
from ctxtui.core.text.projection import project
from ctxtui.workspace.resolve import resolve_folder
from ctxtui.workspace.workspace import Workspace

_TOUCHED = {
    "Touched": "agent=agent.id tokens files=charges perhaps",
    "Charge": "path tokens=touch_tokens reason",
}


@narrated
def run_audit_command(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Audit one project or several. Returns 1 for failed limits, and findings of `--fail-on` or higher severity.

    A run that only writes a baseline accepts both. Returns 4 if an MCP server could not be weighed.
    """
    if arguments.history is not None and arguments.history < 1:
        raise invalid(f"--history cannot be {arguments.history}", hint="name the number of commits, 1 or more")
    arguments.json = arguments.json or arguments.format == "json"
    # Commands import on demand, because most runs end with an error or one report.
    if len(arguments.paths) > 1:
        from ctxtui.cli.audits.audit_several import run_several  # noqa: PLC0415

        return run_several(arguments, narrator)
    arguments.path = next(iter(arguments.paths), None)
    if arguments.format == "comment" and arguments.since is None:
        raise invalid("a comment is about a change", hint="add --since REF")
    if arguments.slim_undo:
        from ctxtui.cli.audits.slim import run_slim_undo  # noqa: PLC0415

        return run_slim_undo(arguments, narrator)
    workspace, config = open_project(arguments, narrator)
    budget = budget_of(config, arguments)
    cwd = resolve_folder(workspace, arguments.cwd) if arguments.cwd else ""
    if arguments.history is not None:
        from ctxtui.cli.audits.audit_history import tell_history  # noqa: PLC0415

        return tell_history(workspace, budget, cwd, arguments, narrator)
    if arguments.logs is not None and not (arguments.slim or arguments.slim_apply):
        from ctxtui.cli.audits.logs_table import tell_logs  # noqa: PLC0415

        return tell_logs(workspace, budget, arguments, narrator)
    baseline = Path(arguments.baseline) if arguments.baseline else None
    new_baseline = Path(arguments.write_baseline) if arguments.write_baseline else None
    options = AuditOptions(arguments.since, baseline, new_baseline, cwd, tuple(arguments.weigh_mcp), arguments.force)
    report = run_audit(workspace, budget, config, options, narrator)
    narrator.leave_out(lambda notice: is_aside(notice, report))
    if arguments.touch:
        return _print_touched(report, workspace, arguments, narrator)
    if arguments.slim or arguments.slim_apply:
        from ctxtui.cli.audits.slim import run_slim  # noqa: PLC0415

        return run_slim(workspace, report, arguments, narrator)
    if arguments.fix:
        return _fix(report, workspace, arguments.yes, narrator)
    report = with_known_starts(report, workspace)
    if arguments.format == "table" and not arguments.json:
        _print_table(report, workspace, narrator, arguments.every)
    else:
        _print_report(report, "json" if arguments.json else arguments.format, workspace, narrator)
    if new_baseline is not None:
        narrator.say(f"{new_baseline} accepts {plural(len(report.findings), 'finding')}")
    if report.fails(arguments.fail_on) and (new_baseline is None or baseline is not None):
        return PASSED_LIMIT
    return FAILED if any(each.state == "failed" for each in report.mcp.servers) else DONE


def _print_table(report: Report, workspace: Workspace, narrator: Narrator, every: bool) -> None:
    require_stdout()
    put(audit_table(report, saving=known_saving(workspace, report), every=every), look=look_of)
    totals, counter = report.totals, report.counter
    sign, band = (
        ("", "") if counter.exact else ("≈ ", f" ({counter.name}, {counter.band}); all numbers are estimates")
    )
    count = plural(len(report.findings), "finding")
    read = f" in {plural(totals.unasked_files, 'context file')}, {sign}{plural(totals.unasked, 'token')}{band}"
    left = totals.files - totals.unasked_files
    rest = f"; {left:,} {'more ' if totals.unasked_files else ''}{noun(left, 'file')} on demand" if left else ""
    narrator.say(f"{count}{read if totals.unasked_files or not left else ''}{rest}", is_ours=True)


def _print_touched(report: Report, workspace: Workspace, arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Print the files that agents also read, or perhaps read, if `--touch` is touched. Returns 0."""
    from ctxtui.agents import what_if  # noqa: PLC0415
    from ctxtui.audit.touch import touch_notices  # noqa: PLC0415

    touched = what_if(report.result.agents, arguments.touch)
    narrator.tell(touch_notices(workspace, arguments.touch, touched))
    readers = [each for each in touched if each.charges or each.perhaps]
    if arguments.json:
        print_json({"path": arguments.touch, "agents": project(readers, _TOUCHED)}, narrator.notices)
        return DONE
    for each in readers:
        put(f"{each.agent.id}  +{each.tokens:,}")
        rows = [("  +", charge.path, f"{charge.touch_tokens:,}", charge.reason) for charge in each.charges]
        rows += [("  ?", charge.path, f"{charge.touch_tokens:,}", charge.reason) for charge in each.perhaps]
        put("\n".join(aligned([tuple(map(plain_line, row)) for row in rows], {2})))
    if readers:
        narrator.say(f"{plural(len(readers), 'agent reads', 'agents read')} more when {arguments.touch} is touched")
    return DONE


def _fix(report: Report, workspace: Workspace, is_agreed: bool, narrator: Narrator) -> int:
    """Correct declared numbers and remove hidden byte order marks, then make other changes after a yes. Returns 0.

    The user is asked about each change after its diff. `is_agreed` agrees to all, else no terminal means no.
    """
    from ctxtui.audit.fixes import planned, preview  # noqa: PLC0415
    from ctxtui.audit.slim.write import write_recorded  # noqa: PLC0415

    fixable = [each for each in report.adviser.ranked(report.findings) if each.remedy.steps]
    root, agreed_to = workspace.reader.root, [each for each in fixable if _is_unasked(each)]
    steps = [step for each in agreed_to for step in each.remedy.steps]
    write_redacted(preview(root, steps))
    others = [each for each in fixable if each not in agreed_to]
    for finding in others if is_agreed or has_terminal() else ():
        try:
            diff = preview(root, finding.remedy.steps)
            planned(root, [*steps, *finding.remedy.steps])
        except ContextError as error:
            narrator.say(f"left out: {error.message}")
            continue
        write_redacted(diff)
        if is_agreed or agreed(f"{finding.path}: {finding.remedy.words}. Write this", "--yes"):
            agreed_to.append(finding)
            steps += finding.remedy.steps
    titles = tuple(f"{each.rule} {each.path}" for each in agreed_to)
    written = write_recorded(root, titles, steps).written if steps else ()
    narrator.say(f"{plural(len(titles), 'change')} written in {plural(len(written), 'file')}")
    if written:
        narrator.say("ctxtui audit --slim-undo reverts it")
    if others and not (is_agreed or has_terminal()):
        narrator.say(f"{plural(len(others), 'change')} more with --yes, or one by one at a terminal")
    return DONE


def _is_unasked(finding: Finding) -> bool:
    """Whether a fix is written without a question: a declared number, or a byte order mark that hides frontmatter."""
    return finding.rule == "token-drift" or (finding.fix is not None and finding.fix.start < 0)


def _print_report(report: Report, form: str, workspace: Workspace, narrator: Narrator) -> None:
    """Print a report for programs: as `json`, `markdown`, `comment` (only with `--since`) or else SARIF."""
    if form == "json":
        from ctxtui.audit.reports.as_json import report_json  # noqa: PLC0415

        print_json(report_json(report), narrator.notices)
    elif form == "markdown":
        from ctxtui.audit.reports.as_markdown import to_markdown  # noqa: PLC0415

        write_stdout(to_markdown(report).encode())
    elif form == "comment":
        from ctxtui.audit.history.since_findings import finding_changes  # noqa: PLC0415
        from ctxtui.audit.reports.as_markdown import to_comment  # noqa: PLC0415

        assert report.since is not None
        changes = finding_changes(workspace, report, report.since.base)
        write_stdout(to_comment(report, report.since, changes).encode())
    else:
        from ctxtui.audit.reports.sarif import sarif_text  # noqa: PLC0415

        write_stdout(sarif_text(report).encode())
