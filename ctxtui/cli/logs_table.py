"""The transcripts for people: what was sent and billed at starts, and what is paid for but never called."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence

from ctxtui.audit.logs.as_json import logs_json
from ctxtui.audit.logs.billed import Cost, Range
from ctxtui.audit.logs.compare import EQUAL, NAMED, STATES
from ctxtui.audit.logs.file_rows import FileRow
from ctxtui.audit.logs.report import AgentLogs, Logs, read_logs
from ctxtui.audit.logs.types import Skipped
from ctxtui.audit.logs.unused import MIN_DAYS, MIN_STARTS, TOO_FEW, UNUSED, USED, Use
from ctxtui.audit.types import Settings
from ctxtui.cli.as_json import print_json
from ctxtui.cli.project import Narrator, columns
from ctxtui.cli.status import DONE
from ctxtui.cli.streams import put
from ctxtui.core.plain import plain_line
from ctxtui.core.wording import plural
from ctxtui.session.session import Session

_MOST = 12


def tell_logs(session: Session, arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Print what the user's own transcripts say about starts in this project, or in all with `--logs all`."""
    workspace, budget = session.workspace, session.budget
    settings = Settings(window=budget.window, table=workspace.scope.table)
    logs = read_logs(workspace, budget.counter, os.environ, settings=settings, is_whole=arguments.logs == "all")
    if arguments.json or arguments.format == "json":
        print_json({"name": workspace.root.name, "logs": logs_json(logs)}, narrator.notices)
    else:
        put(logs_table(logs, every=arguments.every))
    narrator.say("only names, counts and digests are shown; the transcripts stay as they are")
    return DONE


def logs_table(logs: Logs, *, every: bool = False) -> str:
    """One section for each agent of which transcripts were found; where it was looked for the others."""
    sections = ["\n".join(_agent(each, every)) for each in logs.agents if each.starts]
    missing = [_nothing(each) for each in logs.agents if not each.starts]
    return "\n\n".join([*sections, *(["\n".join(missing)] if missing else [])])


def _nothing(agent: AgentLogs) -> str:
    read = f"; {plural(agent.read, 'transcript')} read" if agent.read else ""
    skipped = ", ".join(_skipped(agent.skipped))
    return f"{plain_line(agent.nothing)}{read}{f' ({skipped})' if skipped else ''}"


def _agent(agent: AgentLogs, every: bool) -> Iterator[str]:
    first, last = agent.first, agent.last
    when = f", {first.date()} to {last.date()}" if first and last else ""
    other = f", {agent.here:,} of them in this project" if agent.here != agent.starts else ""
    yield f"LOGS  {plural(agent.starts, 'start')} of {agent.agent}{when}{other}; {plain_line(agent.place)}"
    yield from _billed(agent)
    yield from _files(agent, every)
    yield from _uses(agent, every)
    skipped = ", ".join(_skipped(agent.skipped))
    if skipped:
        yield f"  skipped: {skipped}"


def _billed(agent: AgentLogs) -> Iterator[str]:
    if not agent.costs:
        yield "  no first request has a bill"
        return
    newest = agent.costs[0]
    rows = [
        ("  billed", _range(agent.billed), _bill(newest)),
        ("  explained", _range(agent.explained), _kinds(newest.explained, newest)),
        ("  fixed part", _range(agent.fixed), _kinds(newest.fixed, newest) or "not recorded"),
        ("  unexplained", _range(agent.unexplained), _unexplained(newest)),
    ]
    if newest.predicted is not None:
        sign = "" if newest.counter.exact else "≈ "
        rows.append(("  we predict", f"{sign}{newest.predicted:,}", "for the project's files in the newest start"))
    yield from columns(rows, frozenset({1}))


def _range(found: Range | None) -> str:
    if found is None:
        return ""
    return f"{found.low:,}" if found.low == found.high else f"{found.low:,} to {found.high:,}"


def _bill(cost: Cost) -> str:
    billed = cost.billed
    return (
        f"newest: {billed.total:,} = {billed.input:,} plain"
        f" + {billed.cache_write:,} written to the cache + {billed.cache_read:,} read from it"
    )


def _kinds(kinds: Mapping[str, int], cost: Cost) -> str:
    sign = "" if cost.counter.exact else "≈ "
    shares = sorted(kinds.items(), key=lambda kind: -kind[1])
    return f"newest: {sign}{', '.join(f'{tokens:,} {kind}' for kind, tokens in shares)}" if shares else ""


def _unexplained(cost: Cost) -> str:
    counter = cost.counter
    how = f"counted with {counter.name}"
    return f"newest: {cost.unexplained:,}; {how}" + ("" if counter.exact else f", an estimate, {counter.band}")


def _files(agent: AgentLogs, every: bool) -> Iterator[str]:
    rows = agent.files
    if not rows:
        yield "  the text sent is not recorded in these transcripts"
        return
    yield f"  SENT  compared in {plural(agent.compared, 'start')}, byte for byte; tokens of {agent.counter.name}"
    odd = [row for row in rows if row.state not in (EQUAL, NAMED, "elsewhere")]
    told = rows if every else odd[:_MOST]
    yield from columns([_file(row) for row in told], frozenset({2}))
    if len(odd) > len(told):
        yield f"    and {len(odd) - len(told):,} more that differ; --every shows them"
    quiet = [row for row in rows if row not in odd]
    if not every and quiet:
        counts: dict[str, int] = {}
        for row in quiet:
            counts[row.state] = counts.get(row.state, 0) + 1
        said = "; ".join(f"{number:,} {STATES[state]}" for state, number in counts.items())
        yield f"    {said}"


def _file(row: FileRow) -> tuple[str, ...]:
    counts = ", ".join(f"{state} in {number:,}" for state, number in row.counts.items())
    digests = f"sent {row.sent}, now {row.now}" if row.sent and row.now and row.sent != row.now else ""
    version = f"as of {row.version.commit[:8]}, {row.version.time.date()}" if row.version else ""
    line = f"from line {row.line}" if row.line else ""
    notes = ", ".join(filter(None, (digests, line, version)))
    return f"    {row.state}", plain_line(row.name), f"{row.tokens:,}", counts, notes


def _uses(agent: AgentLogs, every: bool) -> Iterator[str]:
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
    yield from columns([_use(use) for use in told], frozenset({3}))
    if not every and len(unused) > len(told):
        yield f"    and {len(unused) - len(told):,} more; --every shows them"


def _use(use: Use) -> tuple[str, ...]:
    last = f", last {use.last_used.date()}" if use.last_used else ""
    besides = ", used in a continued conversation" if use.besides else ""
    seen = f"sent in {plural(use.sent_in, 'start')} over {plural(use.days, 'day')}, used in {use.used_in:,}"
    where = plain_line(use.path or "elsewhere")
    return f"    {use.verdict}", use.kind, plain_line(use.name), f"{use.tokens:,}", where, f"{seen}{last}{besides}"


def _skipped(skipped: Skipped) -> Sequence[str]:
    unknown = sum(skipped.unknown.values())
    kinds = list(skipped.unknown)[:5]
    counted = (
        (skipped.broken, "broken line", None),
        (skipped.long, "line that is too long", "lines that are too long"),
        (unknown, f"record of unknown type ({', '.join(kinds)})", f"records of unknown types ({', '.join(kinds)})"),
        (skipped.resumed, "continued conversation", None),
        (skipped.empty, "transcript without a request", "transcripts without a request"),
        (skipped.unread, "older transcript", None),
        (skipped.refused, "link or unreadable file", "links or unreadable files"),
    )
    return [plural(number, one, many) for number, one, many in counted if number]
