"""`ctxtui audit A B C`: several projects on local cores, one line each."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

from ctxtui.audit.reports.as_json import report_json
from ctxtui.audit.reports.report import with_known_starts
from ctxtui.audit.run import run_audit
from ctxtui.audit.types import SEVERITIES, SPOKEN
from ctxtui.cli.output.as_json import print_json
from ctxtui.cli.output.streams import Progress, put
from ctxtui.cli.project import Narrator, aligned, budget_of, configured, open_configured
from ctxtui.cli.status import DONE, FAILED, PASSED_LIMIT
from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.workers.process import Lost
from ctxtui.fleet.cores import on_cores

# A time limit that only a hung audit reaches.
_SECONDS: Final = 3_600.0
# Options for a single project, by argument name.
_FOR_ONE: Final = (
    *("directory", "cwd", "since", "baseline", "write_baseline", "touch", "history", "weigh_mcp", "logs", "fix"),
    *("slim", "slim_apply", "slim_undo", "every"),
)


class ProjectAudit(NamedTuple):
    """The audit of a project: the report as JSON or an error, the cells of its row, findings by severity.

    It `fails` if it is over a limit or has findings of `--fail-on` or higher severity.
    """

    report: Mapping[str, Any] | None = None
    error: str = ""
    cells: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    fails: bool = False
    notices: tuple[Notice, ...] = ()


def run_several(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Audit several projects on all cores. Returns 1 if any fails a limit or `--fail-on`, else 4 for errors."""
    _refuse_single_options(arguments)
    paths = list(dict.fromkeys(arguments.paths))
    options = {name: value for name, value in vars(arguments).items() if name not in ("run", "paths")}
    done: dict[str, ProjectAudit] = {}
    with Progress("auditing", narrator.quiet) as progress:
        for path, result in on_cores(partial(audit_project, options=options), paths, _SECONDS):
            done[path] = ProjectAudit(error=result.reason) if isinstance(result, Lost) else result
            progress.say(f"{len(done):,} of {len(paths):,}")
    rows = [(path, done[path]) for path in paths]
    if arguments.json:
        for path, each in rows:
            narrator.tell(replace(told, path=f"{path}/{told.path}" if told.path else path) for told in each.notices)
        repositories = [{"path": path, "error": each.error or None, "report": each.report} for path, each in rows]
        print_json({"repositories": repositories}, narrator.notices)
    else:
        _print_rows(rows, narrator)
    if any(each.fails for _, each in rows):
        return PASSED_LIMIT
    return FAILED if any(each.error for _, each in rows) else DONE


def _refuse_single_options(arguments: argparse.Namespace) -> None:
    """Raise ContextError (invalid_request) for options and formats that need a single project."""
    hint = "audit each project alone for it"
    for name in _FOR_ONE:
        if getattr(arguments, name) not in (None, False, []):
            option = "-C" if name == "directory" else f"--{name.replace('_', '-')}"
            raise invalid(f"{option} is for one project", hint=hint)
    if arguments.format not in ("table", "json"):
        raise invalid(f"--format {arguments.format} is for one project", hint=hint)


def audit_project(path: str, options: Mapping[str, Any]) -> ProjectAudit:
    """The audit of the project at a path, for a worker process: the message of a ContextError is in the result."""
    narrator = Narrator(quiet=True)
    arguments = argparse.Namespace(**options, path=path)
    try:
        place, config = configured(arguments, narrator)
        workspace = open_configured(place, config, arguments, narrator, hands=1)
        report = run_audit(workspace, budget_of(config, arguments), config, on_notice=narrator)
        report = with_known_starts(report, workspace)
    except ContextError as error:
        return ProjectAudit(error=error.message, notices=tuple(narrator.notices))
    largest = max(report.starts, key=lambda start: start.known, default=None)
    sign = "" if report.counter.exact else "≈ "
    start = (f"{sign}{largest.known:,}", largest.agent) if largest else ("-", "")
    counts = tuple(report.count(severity) for severity in SEVERITIES)
    over = ", ".join(plain_line(limit.name) for limit in report.limits if not limit.passed)
    cells = (*start, *(f"{count:,}" for count in counts), f"over its limit: {over}" if over else "")
    fails, notices = report.fails(arguments.fail_on), tuple(narrator.notices)
    return ProjectAudit(report_json(report), cells=cells, counts=counts, fails=fails, notices=notices)


def _print_rows(rows: Sequence[tuple[str, ProjectAudit]], narrator: Narrator) -> None:
    head = ("repository", "largest start", "", *(f"{SPOKEN[each]}s" for each in SEVERITIES), "")
    shown = [
        (plain_line(path), *(each.cells or ("", "", "", "", "", f"not audited: {plain_line(each.error)}")))
        for path, each in rows
    ]
    lines = aligned([head, *shown], {1, 3, 4, 5})
    put("\n".join(lines))
    well = [each for _, each in rows if not each.error]
    sums = [sum(each.counts[number] for each in well) for number in range(len(SEVERITIES))]
    found = ", ".join(plural(count, SPOKEN[each]) for count, each in zip(sums, SEVERITIES, strict=True))
    failed = len(rows) - len(well)
    rest = f"; {plural(failed, 'repository', 'repositories')} could not be audited" if failed else ""
    narrator.say(f"{plural(len(rows), 'repository')}: {found}{rest}")
    narrator.say("ctxtui audit PATH shows the findings of one")
