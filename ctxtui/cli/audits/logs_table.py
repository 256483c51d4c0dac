"""Transcripts as text: sent and billed tokens of starts, and unused items."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator, Sequence

from ctxtui.audit.logs.compare import EQUAL, NAMED, STATES
from ctxtui.audit.logs.log_rows import LogRow, bill_rows, file_row, skipped_words, use_row
from ctxtui.audit.logs.report import AgentLogs, Logs, logs_json, read_logs
from ctxtui.audit.logs.unused import MIN_DAYS, MIN_STARTS, TOO_FEW, UNUSED, USED
from ctxtui.audit.types import Settings
from ctxtui.cli.output.as_json import print_json
from ctxtui.cli.output.streams import put
from ctxtui.cli.project import Narrator, aligned
from ctxtui.cli.status import DONE
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import plural
from ctxtui.session.budget import Budget
from ctxtui.workspace.workspace import Workspace

_MOST = 12


def tell_logs(workspace: Workspace, budget: Budget, arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Print figures of the user's own transcripts of this project, or of all projects with `--logs all`."""
    settings = Settings(window=budget.window, table=workspace.scope.table)
    logs = read_logs(workspace, budget.counter, os.environ, settings=settings, is_whole=arguments.logs == "all")
    if arguments.json:
        print_json({"name": workspace.root.name, "logs": logs_json(logs)}, narrator.notices)
    else:
        put(logs_table(logs, every=arguments.every))
    narrator.say("only names, counts and digests are shown; the transcripts stay as they are")
    return DONE


def logs_table(logs: Logs, *, every: bool = False) -> str:
    """A section for each agent with transcripts, and the folders searched for others."""
    sections = ["\n".join(_agent_lines(each, every)) for each in logs.agents if each.starts]
    missing = [_missing_line(each) for each in logs.agents if not each.starts]
    return "\n\n".join([*sections, *(["\n".join(missing)] if missing else [])])


def _missing_line(agent: AgentLogs) -> str:
    read = f"; {plural(agent.read, 'transcript')} read" if agent.read else ""
    skipped = skipped_words(agent.skipped)
    return f"{plain_line(agent.nothing)}{read}{f' ({skipped})' if skipped else ''}"


def _agent_lines(agent: AgentLogs, every: bool) -> Iterator[str]:
    first, last = agent.first, agent.last
    when = f", {first.date()} to {last.date()}" if first and last else ""
    other = f", {agent.here:,} of them in this project" if agent.here != agent.starts else ""
    yield f"LOGS  {plural(agent.starts, 'start')} of {agent.agent}{when}{other}; {plain_line(agent.place)}"
    yield from _aligned_rows(list(bill_rows(agent)), "  ") if agent.costs else ("  no first request has a bill",)
    yield from _file_lines(agent, every)
    yield from _use_lines(agent, every)
    skipped = skipped_words(agent.skipped)
    if skipped:
        yield f"  skipped: {skipped}"


def _file_lines(agent: AgentLogs, every: bool) -> Iterator[str]:
    """The files whose sent text differs from the project's, with `every` all, and the number of the others."""
    rows = agent.files
    if not rows:
        yield "  the text sent is not recorded in these transcripts"
        return
    yield f"  SENT  compared in {plural(agent.compared, 'start')}, byte for byte; tokens of {agent.counter.name}"
    odd = [row for row in rows if row.state not in (EQUAL, NAMED, "elsewhere")]
    told = rows if every else odd[:_MOST]
    yield from _aligned_rows(list(map(file_row, told)), "    ")
    if len(odd) > len(told):
        yield f"    and {len(odd) - len(told):,} more that differ; --every shows them"
    quiet = [row for row in rows if row not in odd]
    if not every and quiet:
        counts = Counter(row.state for row in quiet)
        said = "; ".join(f"{number:,} {STATES[state]}" for state, number in counts.items())
        yield f"    {said}"


def _use_lines(agent: AgentLogs, every: bool) -> Iterator[str]:
    """The unused skills, commands, subagents and servers, with `every` also the used. Empty if none are paid."""
    uses = agent.uses
    if not uses:
        return
    unused = [use for use in uses if use.verdict == UNUSED]
    told = uses if every else unused[:_MOST]
    is_early = any(use.verdict == TOO_FEW for use in uses)
    need = f"; a verdict needs {MIN_STARTS} starts over {MIN_DAYS} days" if is_early else ""
    numbers = {each: sum(use.verdict == each for use in uses) for each in (USED, UNUSED, TOO_FEW)}
    counts = ", ".join(f"{number:,} {each}" for each, number in numbers.items() if number)
    tokens = sum(use.tokens for use in unused)
    paid = f", {plural(tokens, 'token')} at every start" if tokens else ""
    yield f"  PAID  skills, commands, subagents and servers: {counts}{paid}{need}"
    yield from _aligned_rows(list(map(use_row, told)), "    ")
    if not every and len(unused) > len(told):
        yield f"    and {len(unused) - len(told):,} more; --every shows them"


def _aligned_rows(rows: Sequence[LogRow], indent: str) -> list[str]:
    cells = [(f"{indent}{each.state}", *map(plain_line, (*each.names, each.number, *each.remarks))) for each in rows]
    return aligned(cells, frozenset({1 + len(rows[0].names)}) if rows else frozenset())
