"""`ctxtui audit --slim`: plan changes that save start tokens, write them, undo them."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator, Sequence

from ctxtui.audit.logs.report import read_logs
from ctxtui.audit.reports.as_json import slim_json
from ctxtui.audit.reports.report import Report
from ctxtui.audit.rules.phrases import short_list
from ctxtui.audit.slim.change import Change, Plan
from ctxtui.audit.slim.plan import make_plan, plan_switches, savings_together
from ctxtui.audit.slim.write import undo_last, write_changes
from ctxtui.cli.output.as_json import print_json
from ctxtui.cli.output.streams import put, put_lines, require_stdout
from ctxtui.cli.project import Narrator, open_project_path
from ctxtui.cli.status import DONE
from ctxtui.core.base.errors import NotFound
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import near, plural
from ctxtui.core.disk.root import Root
from ctxtui.workspace.workspace import Workspace

_MOST_LINES = 60
_MOST_OF_DIFF = 6
_WIDTH = 112
_CHANGED = re.compile(r"[-+](?!--|\+\+)")


def run_slim(workspace: Workspace, report: Report, arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Print the plan, or write its changes with the given ids. `--logs` also plans to switch off unused items."""
    plan = make_plan(workspace, report)
    if arguments.logs or any(id_.startswith("switch-") for id_ in arguments.slim_apply or ()):
        # The transcripts are read on request only.
        is_whole = arguments.logs == "all"
        logs = read_logs(workspace, report.counter, os.environ, settings=report.settings, is_whole=is_whole)
        plan = plan.joined(plan_switches(workspace, report, logs))
    if arguments.slim_apply:
        return _apply(workspace, report, plan, arguments, narrator)
    if arguments.json:
        print_json(slim_json(plan), narrator.notices)
        return DONE
    put("\n".join(_plan_lines(report, plan, arguments.every)))
    narrator.tell(plan.by_hand)
    narrator.say("each change is measured alone; --slim-apply ID writes one, --slim-undo reverts it")
    return DONE


def _apply(
    workspace: Workspace, report: Report, plan: Plan, arguments: argparse.Namespace, narrator: Narrator
) -> int:
    ids = arguments.slim_apply
    known = {change.id: change for change in plan.changes}
    missing = [id_ for id_ in ids if id_ not in known]
    if missing:
        hint = near(missing[0], known, quote="`") or "files may have changed; ctxtui audit --slim shows the plan"
        raise NotFound(f"no change {missing[0]}", hint=hint)
    changes = [known[id_] for id_ in dict.fromkeys(ids)]
    saved = savings_together(workspace, report, changes)
    write_changes(workspace.reader.root, changes)
    if arguments.json:
        print_json({"written": [change.id for change in changes], "saved": slim_json(saved)}, narrator.notices)
    else:
        _show_diffs(changes, arguments.every)
    for change in changes:
        narrator.say(f"written: {change.title}")
    starts = ", ".join(f"{each.name} {each.before:,} → {each.after:,}" for each in saved)
    narrator.say(f"{f'start: {starts}; ' if starts else ''}ctxtui audit --slim-undo reverts it")
    return DONE


def _show_diffs(changes: Sequence[Change], every: bool) -> None:
    """Print whole diffs to a pipe, but only their beginnings to a terminal, where long diffs bury the result."""
    if require_stdout().isatty() and not every:
        put("\n".join(line for change in changes for line in _diff(change, every)))
    else:
        put_lines("".join(change.diff for change in changes))


def run_slim_undo(arguments: argparse.Namespace, narrator: Narrator) -> int:
    record = undo_last(Root(open_project_path(arguments, narrator)))
    for title in record.titles:
        narrator.say(f"undone: {title}")
    return DONE


def _plan_lines(report: Report, plan: Plan, every: bool) -> Iterator[str]:
    name = plain_line(report.name)
    found = plural(len(plan.changes), "change") if plan.changes else "no change found that"
    yield f"{name}: {found} would save start tokens"
    lines, shown = 1, 0
    is_headed = False
    for change in plan.changes:
        block = list(_change_lines(change, every))
        if change.kind == "switch" and not is_headed:
            block = ["", "SWITCH OFF  unused by your transcripts, or dear", *block]
            is_headed = True
        if not every and shown and lines + len(block) > _MOST_LINES:
            break
        yield from block
        lines, shown = lines + len(block), shown + 1
    if shown < len(plan.changes):
        yield f"\nand {plural(len(plan.changes) - shown, 'change')} more; --every shows all of them, with whole diffs"


def _change_lines(change: Change, every: bool) -> Iterator[str]:
    yield ""
    yield f"{change.id}  {plain_line(change.title)}"
    starts = [each.grown or f"{each.agent} {each.tokens:,}" for each in change.saved]
    yield f"  saves  {short_list(starts)}"
    yield f"  lost   {plain_line(change.lost)}"
    yield from _diff(change, every)


def _diff(change: Change, every: bool) -> Iterator[str]:
    diff = [plain_line(line) for line in change.diff.splitlines()]
    if not every:
        diff = [line if len(line) <= _WIDTH else f"{line[:_WIDTH]}…" for line in diff if _CHANGED.match(line)]
    most = len(diff) if every or len(diff) <= _MOST_OF_DIFF + 1 else _MOST_OF_DIFF
    yield from (f"    {line}" for line in diff[:most])
    if most < len(diff):
        yield f"    … {plural(len(diff) - most, 'line')} more"
