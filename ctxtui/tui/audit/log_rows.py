"""The tab of the Audit screen with the user's own transcripts: what was sent, billed and never used."""

from __future__ import annotations

from collections.abc import Iterator

from ctxtui.audit.logs.compare import CHANGED, DIFFERENT, EXTRA, MISSING, STATES
from ctxtui.audit.logs.report import AgentLogs, Logs
from ctxtui.audit.logs.told import LogRow, bill_rows, file_row, skipped_words, use_row
from ctxtui.audit.logs.unused import MIN_DAYS, MIN_STARTS, UNUSED, USED
from ctxtui.core.base.wording import plural
from ctxtui.tui import shown
from ctxtui.tui.audit.row import AuditRow, heading, item, remark

_STYLES = {
    **dict.fromkeys(("billed", "explained", "fixed part", "unexplained", "we predict"), "accent"),
    DIFFERENT: "over",
    MISSING: "warn",
    EXTRA: "warn",
    CHANGED: "accent",
    UNUSED: "warn",
    USED: "good",
}


def log_rows(logs: Logs) -> Iterator[AuditRow]:
    """Every agent with its bills, the pieces sent and the things paid for."""
    for agent in logs.agents:
        if not agent.starts:
            yield remark(agent.nothing)
            continue
        first, last, id_ = agent.first, agent.last, agent.agent
        when = f"{first.date()} to {last.date()}" if first and last else ""
        text = shown.line(f"{id_}  {plural(agent.starts, 'start')}, {when}")
        yield heading(text, detail=_read(agent), group=id_, words=id_)
        for row in (*bill_rows(agent), *map(file_row, agent.files), *map(use_row, agent.uses)):
            yield _row(row, id_)


def _read(agent: AgentLogs) -> str:
    skipped = skipped_words(agent.skipped)
    read = f"{plural(agent.read, 'transcript')} of {agent.place} read{f'; skipped: {skipped}' if skipped else ''}"
    return f"{read}\na verdict about what is unused needs {MIN_STARTS} starts over {MIN_DAYS} days"


def _row(row: LogRow, agent: str) -> AuditRow:
    state, right = (f"  {row.state:<15}", _STYLES.get(row.state, "dim")), ((f"{row.number:>9}", ""),)
    name = " ".join(row.names) or row.remarks[0]
    detail = "; ".join(filter(None, (STATES.get(row.state), *row.remarks)))
    return item(state, name, right, path=row.path, line=row.line, detail=detail, tokens=row.tokens, within=(agent,))
