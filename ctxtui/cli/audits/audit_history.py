"""`ctxtui audit --history`: context costs over the last commits. Ctrl-c prints the results so far."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from ctxtui.audit.history.history import History, histories
from ctxtui.audit.reports.as_json import history_json
from ctxtui.audit.types import Settings
from ctxtui.cli.output.as_json import print_json
from ctxtui.cli.output.streams import put
from ctxtui.cli.project import Narrator, aligned
from ctxtui.cli.status import DONE, INTERRUPTED
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.session.budget import Budget
from ctxtui.workspace.workspace import Workspace

_MOST_ROWS = 12


def tell_history(
    workspace: Workspace, budget: Budget, cwd: str, arguments: argparse.Namespace, narrator: Narrator
) -> int:
    """Print the costs of the last commits, newest first, and the largest growth. Returns 130 if interrupted."""
    settings = Settings(window=budget.window, cwd=cwd, table=workspace.scope.table)
    found, status = History(), DONE
    steps = histories(workspace, budget.counter, max_commits=arguments.history, settings=settings, on_notice=narrator)
    try:
        while (more := next(steps, None)) is not None:
            found = more
    except KeyboardInterrupt:
        status = INTERRUPTED
        read = f"{len(found.commits):,} of {plural(found.total, 'commit')}" if found.total else "no commit"
        narrator(Notice("interrupted", f"interrupted after {read}; what was read is kept for the next time"))
    if arguments.json:
        print_json(history_json(found), narrator.notices)
    elif found.commits:
        _print_table(found)
    return status


def _print_table(found: History) -> None:
    put("\n".join(aligned(list(_rows(found)), {2, 3})))
    grown = [jump for jump in found.jumps() if jump.tokens > 0][:_MOST_ROWS]
    if grown:
        put("\nGREW MOST")
        jumps = [(f"  {j.commit.id[:8]}", f"{j.tokens:+,}", plain_line(j.path)) for j in grown]
        put("\n".join(aligned(jumps, {1})))


def _rows(found: History) -> Iterator[tuple[str, ...]]:
    """Commits that change the costs, newest first, and between them the number of other commits."""
    for costs, tokens, unchanged in reversed(found.stretches()):
        if unchanged:
            yield "", "", "", "", f"{plural(unchanged, 'commit')} without change"
        day = costs.commit.time.date().isoformat()
        change = f"{tokens:+,}" if costs is not found.commits[0] else ""
        yield costs.commit.id[:8], day, f"{costs.tokens:,}", change, plain_line(costs.commit.subject)[:60]
