"""Reports as Markdown: whole, and as a short comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from ctxtui.agents import Start
from ctxtui.audit.advice import Adviser
from ctxtui.audit.history.since_findings import FindingChanges
from ctxtui.audit.history.since_ref import FileChange, Since
from ctxtui.audit.limits import limit_line
from ctxtui.audit.prices import Expense
from ctxtui.audit.reports.report import Report
from ctxtui.audit.types import SPOKEN, Finding
from ctxtui.audit.weigh.in_words import remarks, server_row
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import noun, plural
from ctxtui.core.text.secrets import redact

# GitHub allows 65,536 characters per comment.
MAX_CHARACTERS = 60_000
MAX_LINES = 40
_MAX_NAME = 300
_PLACES = 2
_COMPACTED = "after compaction"
_SPECIAL = re.compile(r"[\\`*\[\]<>#|~&$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|^(?:[-+=]|\d+(?=[.)]))")
_MENTION = re.compile(r"@(?=[\w&])")
_BACKTICKS = re.compile(r"`+")


def to_markdown(report: Report) -> str:
    """The report as GitHub Markdown. Tables shrink until it has at most 60,000 characters, and say what is missing.

    Untrusted text cannot format, link, mention anyone or change the structure.
    """
    for rows in (100, 30, 10, 3, 1, 0):
        text = "\n".join(line for section in _SECTIONS for line in section(report, rows)) + "\n"
        if len(text) <= MAX_CHARACTERS:
            break
    return redact(text)[0]


def to_comment(report: Report, since: Since, changes: FindingChanges) -> str:
    """Failed limits and the changes of files, starts and findings, in at most 40 lines of GitHub Markdown.

    Empty if no limit fails and nothing changes.
    """
    failed = replace(report, limits=tuple(each for each in report.limits if not each.passed))
    if not (since.files or changes.new or changes.gone or failed.limits):
        return ""
    for rows in range(10, -1, -1):
        lines = [*_changed_files(since), *_limits(failed, rows), *_changed_starts(since, rows)]
        lines += _bullets("New findings", changes.new, rows, report.adviser)
        lines += _bullets("Mended findings", changes.gone, rows)
        if len(lines) <= MAX_LINES:
            break
    return redact("\n".join(lines) + "\n")[0]


def _changed_files(since: Since) -> Iterator[str]:
    yield from (_since_title("###", since), "")
    if since.files:
        shown = [f"{_code(each.path)} {_change(each.tokens)}" for each in since.files[:_PLACES]]
        left = len(since.files) - len(shown)
        yield from (f"{', '.join(shown)}{f', and {left:,} more' if left else ''}.", "")


def _changed_starts(since: Since, rows: int) -> Iterator[str]:
    changed = [each for each in since.agents if each.before != each.after]
    if not changed:
        yield from ("No start changes.", "")
        return
    cells = [
        [
            _text(each.name),
            f"{each.before:,}",
            f"{each.after:,}",
            _change(each.after - each.before),
            f"{_code(each.growth.path)} {_change(each.growth.path_tokens)}" if each.growth.path else "",
        ]
        for each in sorted(changed, key=lambda each: -abs(each.after - each.before))
    ]
    yield from _table("#### At the start", ["agent", "before", "after", "change", "most"], cells, rows)


def _bullets(title: str, findings: Sequence[Finding], rows: int, adviser: Adviser | None = None) -> Iterator[str]:
    """Lines for up to `rows` findings below a `title`, with remedies by an adviser. Empty without findings."""
    if findings:
        yield from (f"#### {title}: {len(findings):,}", "")
        for each in findings[:rows]:
            remedy = f" → {_text(adviser.on(each).remedy)}" if adviser else ""
            yield f"- {SPOKEN[each.severity]}, {_finding_line(each)}{remedy}"
        yield ""
        yield from _left_out(len(findings), rows, "findings")


def _head(report: Report, _: int) -> Iterator[str]:
    found = report.findings
    new = "new " if report.comparison else ""
    what = plural(len(found), f"{new}finding")
    stake = sum(finding.tokens for finding in found)
    yield f"### Context of {_text(report.name)}: {what}, {plural(stake, 'token')} at stake"
    yield ""
    measure = _code(report.counter.name) + ("" if report.counter.exact else f" (estimated, {report.counter.band})")
    totals = report.totals
    left = totals.files - totals.unasked_files
    rest = f"; {left:,} more, {plural(totals.tokens - totals.unasked, 'token')}, only on demand" if left else ""
    read = "is" if totals.unasked_files == 1 else "are"
    size = f"{plural(totals.unasked, 'token')} of {measure}"
    yield f"{plural(totals.unasked_files, 'file')}, {size}, {read} read without being asked{rest}."
    if report.comparison:
        known, gone = len(report.comparison.known), len(report.comparison.gone)
        yield f"The baseline has {known:,} more; {gone:,} of its findings {noun(gone, 'is', 'are')} gone."
    if not report.result.is_complete:
        yield "**The audit was stopped before all rules had run.**"
    yield ""


def _limits(report: Report, rows: int) -> Iterator[str]:
    if report.limits:
        ordered = sorted(report.limits, key=lambda result: result.passed)
        yield from ("#### Limits", "")
        yield from (f"- {_code(limit_line(result))}" for result in ordered[:rows])
        yield from _left_out(len(ordered), rows, "limits")
        yield ""


def _starts(report: Report, rows: int) -> Iterator[str]:
    starts = report.starts
    if not starts:
        return
    since, money = report.since, report.money
    changes = {change.agent: change.after - change.before for change in since.agents} if since else {}
    prices = {each.name: each for each in money.expenses} if money else {}
    none = Expense("", 0, None, None)
    columns: list[tuple[str, object, Callable[[Start], str]]] = [
        ("agent", True, lambda start: _code(start.agent)),
        ("files", True, lambda start: f"{len(start.paths):,}"),
        ("tokens at the start", True, lambda start: f"{start.known:,}"),
        ("known as", any(each.whole for each in starts), lambda start: start.how_known or "estimated"),
        ("of which at home", any(each.home_tokens for each in starts), lambda start: f"{start.home_tokens:,}"),
        (f"since {_code(since.ref if since else '')}", since, lambda start: _change(changes.get(start.agent, 0))),
        ("$ a request", money, lambda start: _dollars(prices.get(start.agent, none).first)),
        ("$ cached", money, lambda start: _dollars(prices.get(start.agent, none).cached)),
        (_COMPACTED, any(each.later for each in starts), lambda start: start.later.replace(f" {_COMPACTED}", "")),
        ("in subagents", any(each.in_subagents for each in starts), lambda start: start.in_subagents),
        ("instructions", True, lambda start: report.instructions_in_words(start.agent, is_titled=True)),
        ("not counted", True, lambda start: _text(start.left_out.removeprefix("not counted: "))),
    ]
    shown = [(head, cell) for head, is_shown, cell in columns if is_shown]
    heads, cells = [head for head, _ in shown], [[cell(start) for _, cell in shown] for start in starts]
    where = f"#### At the start in {_code(f'{report.cwd}/')}" if report.cwd else "#### At the start"
    yield from _table(where, heads, cells, rows)
    notes = [f"{start.agent}: {text}" for start in starts for text in (*start.versions, *start.published)]
    notes += [f"longest start: {text}" for text in report.longest()]
    yield from (f"- {_text(note)}" for note in notes[:rows])
    yield from _left_out(len(notes), rows, "notes")
    if notes:
        yield ""
    if report.money:
        yield from (f"{_text(report.money.heading[0].upper() + report.money.heading[1:])}.", "")


def _servers(report: Report, rows: int) -> Iterator[str]:
    servers = report.mcp.servers
    if servers:
        cells = [[_code(name), _text(agents), *map(_text, rest)] for name, agents, *rest in map(server_row, servers)]
        heads = ["server", "agents", "tools", "at the start", "loaded", "always", ""]
        yield from _table("#### MCP servers", heads, cells, rows)
        yield from (line for remark in remarks(servers[:rows], report.counter) for line in (_text(remark), ""))


def _totals(report: Report, rows: int) -> Iterator[str]:
    cells = [
        [_text(row.name), f"{row.files:,}", f"{row.tokens:,}", f"{row.share * 100:.0f} %"]
        for row in report.totals.of("source")
    ]
    if cells:
        yield from _table("#### Sources", ["source", "files", "tokens", "share"], cells, rows)


def _changes_since(report: Report, rows: int) -> Iterator[str]:
    since = report.since
    if since is None:
        return
    title = _since_title("####", since)
    if not since.files:
        yield from (title, "", "No context file changed.", "")
        return
    cells = [cell for change in since.files for cell in _file_rows(change)]
    yield from _table(title, ["file", "before", "after", "change"], cells, rows)


def _since_title(level: str, since: Since) -> str:
    change = f"{_change(since.tokens)} {noun(since.tokens, 'token')}"
    return f"{level} Since {_code(since.ref)} ({since.base[:8]}): {change}"


def _file_rows(change: FileChange) -> Iterator[list[str]]:
    moved = f" (was {_code(change.old_path)})" if change.old_path else ""
    yield [f"{_code(change.path)}{moved}", _size(change.before), _size(change.after), _change(change.tokens)]
    for section in change.sections:
        name = f"&nbsp;&nbsp;{_text(section.name)}"
        yield [name, _size(section.before), _size(section.after), _change(section.tokens)]


def _findings(report: Report, rows: int) -> Iterator[str]:
    for severity, id_, rule, found in report.grouped_findings:
        stake = sum(finding.tokens for finding in found)
        name = _text(rule.title if rule else id_)
        at_stake = f", {plural(stake, 'token')} at stake" if stake else ""
        yield f"<details><summary>{SPOKEN[severity]}: {name}, {len(found)}{at_stake}</summary>"
        yield from ("", _text(rule.about), "") if rule else ("",)
        for each in found[:rows]:
            yield f"- {_finding_line(each)}{f' <sub>{_text(each.evidence)}</sub>' if each.evidence else ''}"
        yield from _left_out(len(found), rows, "findings")
        yield from ("", "</details>", "")


def _finding_line(finding: Finding) -> str:
    line = f":{finding.line}" if finding.line else ""
    place = f"{_code(finding.path + line)}: " if finding.path else ""
    stake = f" ({plural(finding.tokens, 'token')})" if finding.tokens else ""
    also = finding.also(_PLACES)
    return f"{place}{_text(finding.message)}{f'; {_text(also)}' if also else ''}{stake}"


_SECTIONS = (_head, _limits, _starts, _servers, _changes_since, _totals, _findings)


def _table(title: str, heads: Sequence[str], cells: Sequence[Sequence[str]], rows: int) -> Iterator[str]:
    yield from (title, "", _row(heads), _row(["---", *["---:"] * (len(heads) - 1)]))
    yield from map(_row, cells[:rows])
    yield ""
    yield from _left_out(len(cells), rows, "rows")


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _left_out(count: int, shown: int, what: str) -> Iterator[str]:
    if count > shown:
        yield from (f"… and {count - shown:,} more {what}", "")


def _size(tokens: int | None) -> str:
    return "–" if tokens is None else f"{tokens:,}"


def _change(tokens: int) -> str:
    return f"{tokens:+,}" if tokens else "±0"


def _dollars(amount: Decimal | None) -> str:
    return "–" if amount is None else f"{amount:.4f}"


def _text(text: str) -> str:
    """Untrusted text in a line, with every character escaped that Markdown or GitHub would interpret."""
    escaped = _SPECIAL.sub(lambda found: "".join(f"&#{ord(sign)};" for sign in found[0]), _one_line(text).strip())
    return _MENTION.sub("@&#8203;", escaped).replace("://", ":&#8203;//").replace("www.", "www&#8203;.")


def _code(text: str) -> str:
    """Untrusted text as code, safe within a table."""
    shown = _one_line(text).replace("|", "\\|")
    fence = "`" * (max(map(len, _BACKTICKS.findall(shown)), default=0) + 1)
    pad = " " if len(fence) > 1 or shown.startswith(" ") else ""
    return f"{fence}{pad}{shown}{pad}{fence}" if shown.strip() else "`?`"


def _one_line(text: str) -> str:
    line = plain_line(text)
    return line if len(line) <= _MAX_NAME else f"{line[:_MAX_NAME]}…"
