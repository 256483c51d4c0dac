"""The tab of the Audit screen with the user's own transcripts: what was sent, billed and never used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain

from ctxtui.audit.logs.billed import Cost, Range
from ctxtui.audit.logs.compare import CHANGED, DIFFERENT, EXTRA, MISSING, STATES
from ctxtui.audit.logs.file_rows import FileRow
from ctxtui.audit.logs.report import AgentLogs, Logs
from ctxtui.audit.logs.types import INSTRUCTIONS
from ctxtui.audit.logs.unused import MIN_DAYS, MIN_STARTS, UNUSED, USED, Use
from ctxtui.core.wording import plural
from ctxtui.tui import shown
from ctxtui.tui.audit.row import AuditRow

_STYLES = {DIFFERENT: "over", MISSING: "warn", EXTRA: "warn", CHANGED: "accent"}
_VERDICTS = {UNUSED: "warn", USED: "good"}


def log_rows(logs: Logs) -> Iterator[AuditRow]:
    """Every agent with its bills, the pieces sent and the things paid for."""
    for agent in logs.agents:
        if not agent.starts:
            yield AuditRow(((shown.line(agent.nothing), "dim"),))
            continue
        first, last = agent.first, agent.last
        when = f"{first.date()} to {last.date()}" if first and last else ""
        text = f"{agent.agent}  {plural(agent.starts, 'start')}, {when}"
        id_ = agent.agent
        yield AuditRow(((shown.line(text), "strong"),), detail=_skipped(agent), group=id_, is_open=True, words=id_)
        rows = chain(_bills(agent), map(_file, agent.files), map(_use, agent.uses))
        yield from (replace(row, within=(id_,)) for row in rows)


def _skipped(agent: AgentLogs) -> str:
    skipped = agent.skipped
    left_out = skipped.resumed + skipped.empty + skipped.unread + skipped.refused
    unknown = sum(skipped.unknown.values())
    return (
        f"{plural(agent.read, 'transcript')} of {agent.place} read, {left_out:,} left out; skipped:"
        f" {plural(skipped.broken + skipped.long, 'line')}, {plural(unknown, 'record')} of unknown types"
    )


def _bills(agent: AgentLogs) -> Iterator[AuditRow]:
    if not agent.costs:
        return
    newest = agent.costs[0]
    billed = newest.billed
    how = f"counted with {newest.counter.name}{f', {newest.counter.band}' if newest.counter.band else ''}"
    lines = (
        (
            "billed",
            agent.billed,
            f"{billed.input:,} plain, {billed.cache_write:,} written, {billed.cache_read:,} read",
        ),
        ("explained", agent.explained, _kinds(newest.explained)),
        ("fixed part", agent.fixed, _kinds(newest.fixed) or "not recorded"),
        ("unexplained", agent.unexplained, how),
    )
    for name, found, about in lines:
        if found is not None:
            detail = f"{_range(found)} tokens over {plural(len(agent.costs), 'first request')}; newest: {about}"
            yield _row(name, "accent", about, f"{_sign(newest, name)}{_newest(newest, name):,}", detail)


def _newest(cost: Cost, name: str) -> int:
    return {
        "billed": cost.billed.total,
        "explained": cost.explained_tokens,
        "fixed part": cost.fixed_tokens,
        "unexplained": cost.unexplained,
    }[name]


def _sign(cost: Cost, name: str) -> str:
    return "" if cost.counter.exact or name == "billed" else "≈"


def _kinds(kinds: Mapping[str, int]) -> str:
    return ", ".join(f"{tokens:,} {kind}" for kind, tokens in sorted(kinds.items(), key=lambda kind: -kind[1]))


def _range(found: Range) -> str:
    return f"{found.low:,} to {found.high:,}"


def _file(row: FileRow) -> AuditRow:
    counts = ", ".join(f"{state} in {plural(number, 'start')}" for state, number in row.counts.items())
    digests = f"\nsent {row.sent or '-'}, now {row.now or '-'}"
    line = f", from line {row.line}" if row.line else ""
    version = f", as of {row.version.commit[:8]} of {row.version.time.date()}" if row.version else ""
    detail = f"{STATES[row.state]}; {counts}{digests}{line}{version}"
    is_here = row.kind == INSTRUCTIONS and row.now != ""
    made = _row(row.state, _STYLES.get(row.state, "dim"), row.name, f"{row.tokens:,}", detail)
    return replace(made, path=row.name if is_here else None, line=row.line, tokens=row.tokens)


def _use(use: Use) -> AuditRow:
    last = f", last on {use.last_used.date()}" if use.last_used else ""
    besides = ", used in a continued conversation" if use.besides else ""
    detail = (
        f"{use.kind} {use.name}: sent in {plural(use.sent_in, 'start')} over {plural(use.days, 'day')},"
        f" used in {use.used_in:,}{last}{besides}\na verdict needs {MIN_STARTS} starts over {MIN_DAYS} days"
    )
    made = _row(use.verdict, _VERDICTS.get(use.verdict, "dim"), f"{use.kind} {use.name}", f"{use.tokens:,}", detail)
    return replace(made, path=use.path, tokens=use.tokens)


def _row(word: str, style: str, text: str, tokens: str, detail: str) -> AuditRow:
    name = (shown.line(text), "")
    return AuditRow(((f"  {word:<15}", style),), ((f"{tokens:>9}", ""),), detail=detail, name=name)
