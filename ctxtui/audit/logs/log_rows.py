"""Transcripts of an agent as display rows: bills, sent text, uses, skipped records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ctxtui.audit.logs.file_rows import FileRow
from ctxtui.audit.logs.report import AgentLogs, TokenRange
from ctxtui.audit.logs.types import INSTRUCTIONS, Skipped
from ctxtui.audit.logs.unused import Use
from ctxtui.core.base.wording import plural


class LogRow(NamedTuple):
    """A row to show: state, names, a number in words, remarks. `path` and `line`, from 1, lead to a file, if set."""

    state: str
    names: tuple[str, ...]
    number: str
    remarks: tuple[str, ...]
    tokens: int = 0
    path: str | None = None
    line: int | None = None


def bill_rows(agent: AgentLogs) -> Iterator[LogRow]:
    """The tokens of all starts as ranges, with remarks on the newest start. No rows without a recorded bill."""
    if not agent.costs:
        return
    newest = agent.costs[0]
    billed = newest.billed
    sign = "" if newest.counter.exact else "≈ "
    bill = (
        f"newest: {billed.total:,} = {billed.input:,} plain"
        f" + {billed.cache_write:,} written to the cache + {billed.cache_read:,} read from it"
    )
    band = "" if newest.counter.exact else f", an estimate, {newest.counter.band}"
    unexplained = f"newest: {newest.unexplained:,}; counted with {newest.counter.name}{band}"
    fixed = _kinds(newest.fixed, sign) or "not recorded"
    explained = _kinds(newest.explained, sign)
    yield LogRow("billed", (), _range(agent.billed), (bill,), billed.total)
    yield LogRow("explained", (), _range(agent.explained, sign), (explained,), newest.explained_tokens)
    yield LogRow("fixed part", (), _range(agent.fixed, sign if newest.fixed else ""), (fixed,), newest.fixed_tokens)
    yield LogRow("unexplained", (), _range(agent.unexplained, sign), (unexplained,), newest.unexplained)
    if newest.predicted is not None:
        about = "for the project's files in the newest start"
        yield LogRow("we predict", (), f"{sign}{newest.predicted:,}", (about,), newest.predicted)


def file_row(row: FileRow) -> LogRow:
    """A sent piece and how often each state occurred."""
    counts = ", ".join(f"{state} in {number:,}" for state, number in row.counts.items())
    digests = f"sent {row.sent}, now {row.now}" if row.sent and row.now and row.sent != row.now else ""
    version = f"as of {row.version.commit[:8]}, {row.version.time.date()}" if row.version else ""
    line = f"from line {row.line}" if row.line else ""
    remarks = counts, ", ".join(filter(None, (digests, line, version)))
    path = row.name if row.kind == INSTRUCTIONS and row.now else None
    return LogRow(row.state, (row.name,), f"{row.tokens:,}", remarks, row.tokens, path, row.line)


def use_row(use: Use) -> LogRow:
    """A skill, command, subagent or server, and how often it was sent and used."""
    last = f", last {use.last_used.date()}" if use.last_used else ""
    besides = ", used in a continued conversation" if use.besides else ""
    seen = f"sent in {plural(use.sent_in, 'start')} over {plural(use.days, 'day')}, used in {use.used_in:,}"
    remarks = use.path or "elsewhere", f"{seen}{last}{besides}"
    return LogRow(use.verdict, (use.kind, use.name), f"{use.tokens:,}", remarks, use.tokens, use.path)


def skipped_words(skipped: Skipped) -> str:
    unknown = sum(skipped.unknown.values())
    kinds = ", ".join(list(skipped.unknown)[:5])
    counted = (
        (skipped.broken, "broken line", None),
        (skipped.long, "line that is too long", "lines that are too long"),
        (unknown, f"record of unknown type ({kinds})", f"records of unknown types ({kinds})"),
        (skipped.resumed, "continued conversation", None),
        (skipped.empty, "transcript without a request", "transcripts without a request"),
        (skipped.unread, "older transcript", None),
        (skipped.refused, "link or unreadable file", "links or unreadable files"),
    )
    return ", ".join(plural(number, one, many) for number, one, many in counted if number)


def _range(tokens: TokenRange | None, sign: str = "") -> str:
    if tokens is None:
        return ""
    return f"{sign}{tokens.low:,}{'' if tokens.low == tokens.high else f' to {tokens.high:,}'}"


def _kinds(kinds: Mapping[str, int], sign: str) -> str:
    shares = sorted(kinds.items(), key=lambda kind: -kind[1])
    return f"newest: {sign}{', '.join(f'{tokens:,} {kind}' for kind, tokens in shares)}" if shares else ""
