"""The tabs of the Audit screen as rows: findings, agents, sums, shares, the matrix and the history."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ctxtui.agents import AgentContext, Charge, Start, Touched
from ctxtui.audit.history.history import LEFT_OUT, History
from ctxtui.audit.limits import limit_line
from ctxtui.audit.reports.report import Report
from ctxtui.audit.slim.change import Change
from ctxtui.audit.totals import Share
from ctxtui.audit.types import Finding, Fix
from ctxtui.core.notices import Notice
from ctxtui.core.target import Target
from ctxtui.core.wording import plural
from ctxtui.tui import shown
from ctxtui.tui.widgets.heat_layout import LEGEND, heat_map, letter_of, tokens_of
from ctxtui.tui.widgets.rows import Cell

BAR = 24
_SIGNS = {"error": ("E", "over"), "warning": ("W", "warn"), "info": ("i", "dim")}
_SHORT = 11
_PLACES = 2
_PATH = 38


@dataclass(frozen=True, slots=True)
class AuditRow:
    """A row of the Audit screen: its cells, where enter goes, the detail below, a fix and the finding, if any.

    A row of the plan has a `change` instead, which enter shows; one of the history has the id of its `commit`. Rows
    are sorted by `tokens` and filtered by `text`.
    """

    left: tuple[Cell, ...]
    right: tuple[Cell, ...] = ()
    path: str | None = None
    line: int | None = None
    detail: str = ""
    fix: Fix | None = None
    tokens: int = 0
    finding: Finding | None = None
    change: Change | None = None
    commit: str = ""

    @property
    def text(self) -> str:
        """The text that a filter searches."""
        return f"{''.join(cell[0] for cell in self.left)} {self.detail}".casefold()


def finding_rows(report: Report) -> Iterator[AuditRow]:
    """The limits, then the findings."""
    for result in report.limits:
        style = "good" if result.passed else "over"
        yield AuditRow(((limit_line(result), style),), path=result.path or None, tokens=result.tokens)
    titles = {rule.id: rule.about for rule in report.rules}
    for finding in report.findings:
        sign, style = _SIGNS[finding.severity]
        place = shown.line(finding.path or finding.agent or "")
        place += f":{finding.line}" if finding.line is not None else ""
        fix = " fix" if finding.fix else ""
        also = finding.also(_PLACES)
        message = f"{finding.message}\n{also}" if also else finding.message
        detail = f"{message}\n{titles.get(finding.rule, '')}\n{finding.evidence}"
        yield AuditRow(
            (
                (f"{sign} ", style),
                (f"{finding.rule:<20} ", "accent"),
                (place, ""),
                (f"  {shown.line(finding.message)}", "dim"),
            ),
            ((fix, "good"), (f"{finding.tokens:>8,}" if finding.tokens else " " * 8, "")),
            finding.path,
            finding.line,
            detail,
            finding.fix,
            finding.tokens,
            finding,
        )


def agent_rows(report: Report) -> Iterator[AuditRow]:
    """Every agent with what it loads at the start, on touch and later, and what is cut or paid twice."""
    for text in report.longest(every=True):
        style = "warn" if ", over " in text else "dim"
        yield AuditRow(((f"longest: {shown.line(text)}", style),))
    if report.money:
        yield AuditRow(((shown.line(report.money.heading), "dim"),))
    starts = {start.agent: start for start in report.starts}
    dollars = {each.name: each.told for each in report.money.expenses} if report.money else {}
    for context in sorted(report.result.agents, key=lambda each: -each.start_tokens):
        if not context.charges:
            continue
        told = f"{context.lost_tokens:,} cut  " if context.lost_tokens else ""
        told += f"{context.repeated_tokens:,} paid twice  " if context.repeated_tokens else ""
        own = starts.get(context.agent.id)
        start = f"start {own.known if own else 0:>8,}"
        if context.agent.installable:
            start = f"once installed {context.installed_tokens:>8,}"
        yield AuditRow(((context.agent.name, "strong"),), ((told, "warn"), (start, "strong")), tokens=0)
        if own is not None:
            yield from _besides(own, dollars.get(own.agent, ""))
        yield from _charges(context)
        for repeat in context.repeats:
            text = f"    twice: {', '.join(repeat.paths)} ({repeat.why})"
            yield AuditRow(((shown.line(text), "warn"),), ((f"{repeat.tokens:>8,}", "warn"),), repeat.paths[0])


def _besides(start: Start, dollars: str) -> Iterator[AuditRow]:
    """How it is known, what it costs, what is left later, what differs by version, and the user's own files."""
    told = (start.how_known, dollars, start.from_home, start.later, *start.versions, start.left_out, *start.published)
    for text in filter(None, told):
        yield AuditRow(((f"    {shown.line(text)}", "dim"),))
    for each in start.subagents:
        left: tuple[Cell, ...] = (("  subagent   ", "accent"), (f"the start of {shown.line(each.name)}", "dim"))
        yield AuditRow(left, ((f"{each.tokens:>8,}", ""),), each.path, tokens=each.tokens)
    if start.home:
        yield AuditRow(((f"    if they exist, also {', '.join(start.home)}: not counted", "dim"),))


def _charges(context: AgentContext) -> Iterator[AuditRow]:
    for charge in context.charges:
        url, day = context.evidence(charge)
        entering = charge.start_tokens or charge.tokens or 0
        lost = "".join(
            f"\ncut from line {loss.line}: {plural(loss.tokens, 'token')}, {loss.limit.effect}"
            for loss in charge.lost
        )
        style = "dim" if charge.moment == "never" else ""
        yield AuditRow(
            (
                (f"  {charge.moment:<10} ", "accent"),
                (shown.line(charge.path), style),
                (f"  {shown.line(charge.reason)}", "dim"),
            ),
            ((" cut " if charge.lost else "", "warn"), (f"{entering:>8,}", style)),
            charge.path,
            charge.lost[0].line if charge.lost else None,
            f"{charge.reason}\nrow {charge.row.id}, {url}, checked {day}{lost}",
            None,
            entering,
        )


def total_rows(report: Report) -> Iterator[AuditRow]:
    """Totals by source, strategy, agent and folder, with bars."""
    titles = {
        "source": "By source",
        "strategy": "By strategy",
        "agent": "At the start of each agent",
        "folder": "By folder",
    }
    for kind, title in titles.items():
        yield AuditRow(((title, "strong"),))
        for row in report.totals.of(kind):  # type: ignore[arg-type]
            left: tuple[Cell, ...] = (
                (f"  {shown.line(row.name):<34.34} ", ""),
                (shown.bar(round(row.share * 1000), 1000, BAR), "accent"),
            )
            right = (
                (f" {plural(row.files, 'file'):>10} ", "dim"),
                (f"{row.tokens:>9,} ", ""),
                (f"{row.share:>5.0%}", "dim"),
            )
            yield AuditRow(left, right, tokens=row.tokens)
        yield AuditRow((("", ""),))


def share_rows(share: Share, whole: int, depth: int = 0) -> Iterator[AuditRow]:
    """Where the tokens go, as a sideways icicle chart: folders, files and sections, each with a bar for its share."""
    part = share.tokens / whole if whole else 0.0
    if depth:
        name = f"{'  ' * (depth - 1)}{shown.line(share.name)}"
        owner = Target.parse(share.id).document
        left: tuple[Cell, ...] = (
            (f"{name:<44.44} ", "strong" if share.children and depth == 1 else ""),
            (shown.bar(round(part * 1000), 1000, 40), "accent"),
        )
        yield AuditRow(
            left, ((f"{share.tokens:>9,} ", ""), (f"{part:>5.1%}", "dim")), path=f"id:{owner}", tokens=share.tokens
        )
    for child in share.children:
        if child.tokens:
            yield from share_rows(child, whole, depth + 1)


def matrix_rows(report: Report, name_of: Callable[[str], str] = str) -> Iterator[AuditRow]:
    """Files by agents: each cell has the moment's letter and the tokens; `name_of` maps an alias to its file."""
    matrix = heat_map(report.result.agents, name_of)
    heads = "".join(f"{agent[:_SHORT]:>{_SHORT + 1}}" for agent in matrix.agents)
    yield AuditRow(((" " * _PATH, ""), (heads, "strong")), detail=LEGEND)
    for line in matrix.rows:
        cells: list[Cell] = []
        for cell in line.cells:
            letter = letter_of(cell) if cell else ""
            tokens = f"{tokens_of(cell):,}" if tokens_of(cell) else ""
            style = "warn" if cell and cell.lost_tokens else "" if letter in ("S", "C") else "dim"
            cells.append((f"{f'{letter} {tokens}'.strip():>{_SHORT + 1}}", style))
        path = shown.line(line.path)
        path = path if len(path) < _PATH else f"…{path[2 - _PATH :]}"
        # On a narrow screen the last agents are cut off; the detail below lists all of them.
        reached = zip(matrix.agents, line.cells, strict=True)
        every = ", ".join(f"{agent} {cell.moment} {cell.tokens or 0:,}" for agent, cell in reached if cell)
        left = ((f"{path:<{_PATH}}", ""), *cells)
        yield AuditRow(left, path=line.path, detail=f"{line.path}: {every}\n{LEGEND}", tokens=line.tokens)


def touch_rows(path: str, touched: Sequence[Touched], notices: Sequence[Notice]) -> Iterator[AuditRow]:
    """What each agent loads in addition when it touches a path, after the remarks on the path."""
    yield AuditRow(((f"when an agent touches {shown.line(path)}", "strong"),))
    for notice in notices:
        yield AuditRow(((f"  {shown.line(notice.message)}", "dim"),))
    for each in touched:
        if each.charges or each.perhaps:
            yield AuditRow(((each.agent.name, "strong"),), ((f"+{each.tokens:,}", "strong"),))
            for sign, charges in (("+", each.charges), ("?", each.perhaps)):
                yield from (_touched(sign, charge) for charge in charges)


def _touched(sign: str, charge: Charge) -> AuditRow:
    left: tuple[Cell, ...] = (
        (f"  {sign} ", "accent"),
        (shown.line(charge.path), ""),
        (f"  {shown.line(charge.reason)}", "dim"),
    )
    return AuditRow(left, ((f"{charge.touch_tokens:>8,}", ""),), charge.path, detail=charge.reason)


def history_rows(history: History) -> Iterator[AuditRow]:
    """The commits, newest first, with a bar each, and the file changes that added most tokens.

    Commits that changed nothing share a row. What the history leaves out comes first.
    """
    for notice in history.notices:
        if notice.code == LEFT_OUT:
            yield AuditRow(((shown.line(notice.message), "warn"),), detail=notice.message)
    most = max((costs.tokens for costs in history.commits), default=1) or 1
    for costs, change, unchanged in reversed(history.stretches()):
        if unchanged:
            yield AuditRow(((f"{'':19} {'':{BAR}} {plural(unchanged, 'commit')} without change", "dim"),))
        commit = costs.commit
        left: tuple[Cell, ...] = (
            (f"{commit.id[:8]} {commit.time.date().isoformat()} ", "dim"),
            (shown.bar(costs.tokens, most, BAR), "accent"),
            (f" {shown.line(commit.subject)}", ""),
        )
        style = "over" if change > 0 else "good"
        starts = "\n".join(f"{agent}: {tokens:,} at the start" for agent, tokens in costs.starts.items())
        right = ((f"{change:>+8,}" if change else " " * 8, style), (f" {costs.tokens:>9,}", ""))
        yield AuditRow(left, right, detail=f"{commit.author}\n{starts}", tokens=costs.tokens, commit=commit.id)
    jumps = [jump for jump in history.jumps() if jump.tokens > 0][:20]
    if jumps:
        yield AuditRow((("", ""),))
        yield AuditRow((("Largest increases", "strong"),))
    for jump in jumps:
        text = f"  {jump.commit.id[:8]} {shown.line(jump.path)}"
        yield AuditRow(((text, ""),), ((f"{jump.tokens:>+8,}", "over"),), jump.path, detail=jump.commit.subject)
