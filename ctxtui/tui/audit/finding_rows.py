"""The findings tab of the Audit screen: a summary, the limits, and the findings by rule, the gravest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxtui.audit.limits import limit_line
from ctxtui.audit.reports.report import Report, RuleFindings
from ctxtui.audit.types import Finding
from ctxtui.core.base.wording import noun, plural
from ctxtui.tui import shown
from ctxtui.tui.audit.row import AuditRow, remark
from ctxtui.tui.widgets.rows import Cell

_SIGNS = {"error": ("E", "over"), "warning": ("W", "warn"), "info": ("i", "note")}
_NOTES = "notes"
_PLACES = 2
_MOST_RULE = 22
_COUNT = 4


def finding_rows(report: Report, saves: int | None = None) -> Iterator[AuditRow]:
    """A summary, the limits, a row for each rule with the findings within it, and all notes within one row.

    `saves` are the tokens that changes would save, None if the plan is not made yet.
    """
    yield from _summary(report, saves)
    for result in report.limits:
        style = "good" if result.passed else "over"
        line = limit_line(result)
        yield remark(line, style, path=result.path or None, detail=line, tokens=result.tokens)
    rule = min(max((len(group.id) for group in report.told), default=0), _MOST_RULE)
    for group in report.told:
        if group.severity != "info":
            yield from _rule(group, (), rule)
    notes = [group for group in report.told if group.severity == "info"]
    if len(notes) == 1:
        yield from _rule(notes[0], (), rule)
    elif notes:
        yield _notes(notes, rule)
        for group in notes:
            yield from _rule(group, (_NOTES,), rule)


def _summary(report: Report, saves: int | None) -> Iterator[AuditRow]:
    if not report.findings and not report.starts:
        return
    told: list[Cell] = []
    for severity, (sign, style) in _SIGNS.items():
        count = report.count(severity)  # type: ignore[arg-type]
        word = plural(count, "note" if severity == "info" else severity)
        told += [(f"{sign} ", style), (word, style if count and severity != "info" else "note"), (" · ", "dim")]
    if saves:
        told.append((f"{plural(saves, 'token')} of a start can be saved", "good"))
    elif saves is None and report.may_save:
        told.append(("counting what can be saved …", "dim"))
    else:
        told.pop()
    yield AuditRow(tuple(told), tab="slim" if saves else "agents")
    starts = report.starts
    if starts:
        agents = [f"{start.agent} {start.known:,}" for start in starts]
        yield AuditRow((("start ", "dim"), (shown.line(" · ".join(agents)), "")), tab="agents")


def _notes(notes: Sequence[RuleFindings], rule: int) -> AuditRow:
    count = sum(len(group.findings) for group in notes)
    ids = ", ".join(group.id for group in notes)
    left = (("i ", "note"), (f"{count:>{_COUNT - 1},} ", ""), (f"{noun(count, 'note', 'notes'):<{rule}}  ", "note"))
    tokens, more = sum(group.tokens for group in notes), ((ids, "dim"),)
    detail = f"{plural(count, 'note')}: worth knowing, but nothing is lost or wrong\n{ids}"
    return AuditRow(left, _tokens(tokens), more=more, detail=detail, tokens=tokens, group=_NOTES, words=_NOTES)


def _rule(group: RuleFindings, within: tuple[str, ...], rule: int) -> Iterator[AuditRow]:
    """The findings of one rule below its own row; a single one is shown directly."""
    about = group.rule.about if group.rule else ""
    sign, style = _SIGNS[group.severity]
    indent = "  " * len(within)
    name = f"{group.id if len(group.id) <= rule else f'{group.id[: rule - 1]}…':<{rule}}  "
    if len(group.findings) == 1:
        begin: tuple[Cell, ...] = ((f"  {indent}{sign} ", style), (" " * _COUNT, ""), (name, style))
        yield _finding(group.findings[0], begin, about, within)
        return
    id_ = f"{group.severity} {group.id}"
    first = group.findings[0]
    yield AuditRow(
        ((f"{sign} ", style), (f"{len(group.findings):>{_COUNT - 1},} ", ""), (name, style)),
        _tokens(group.tokens),
        first.path,
        first.line,
        detail=f"{group.id}: {plural(len(group.findings), 'finding')}\n{about}",
        tokens=group.tokens,
        name=(_place(first), "dim"),
        more=((shown.line(about), "dim"),),
        group=id_,
        within=within,
        is_open=group.severity == "error",
        words=group.id,
    )
    for finding in group.findings:
        yield _finding(finding, ((f"    {indent}", ""),), about, (*within, id_))


def _finding(finding: Finding, left: tuple[Cell, ...], about: str, within: tuple[str, ...]) -> AuditRow:
    detail = "\n".join((finding.message, *filter(None, [finding.also(_PLACES)]), about, finding.evidence))
    right, more = _tokens(finding.tokens, " fix" if finding.fix else ""), ((shown.line(finding.message), "dim"),)
    given = finding.path, finding.line, detail, finding.fix, finding.tokens, finding
    return AuditRow(left, right, *given, name=(_place(finding), ""), more=more, within=within)


def _place(finding: Finding) -> str:
    place = shown.line(finding.path or finding.agent or "")
    return f"{place}:{finding.line}" if finding.line is not None else place


def _tokens(tokens: int, sign: str = "") -> tuple[Cell, ...]:
    """A sign and the tokens, in columns of one width, so that the places before them are aligned."""
    return ((f"{sign:4}", "good"), (f"{tokens:>9,}" if tokens else " " * 9, ""))
