"""Rows of the Audit screen's figures: agents, sums, shares, matrix, touched files, history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.cells import set_cell_size

from ctxtui.agents import AgentContext, Charge, Start, Touched
from ctxtui.agents.types import MOMENTS
from ctxtui.audit.history.history import LEFT_OUT, History
from ctxtui.audit.reports.report import Report
from ctxtui.audit.starts.types import AgentStart
from ctxtui.audit.totals import TotalKind
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.target import Target
from ctxtui.core.base.wording import plural
from ctxtui.session.shares import Share
from ctxtui.tui import shown
from ctxtui.tui.names import fit
from ctxtui.tui.widgets.fold_rows import Row, heading, item, remark
from ctxtui.tui.widgets.heat import LEGEND, heat_map, letter_of, tokens_of
from ctxtui.tui.widgets.rows import Cell
from ctxtui.workspace.workspace import Workspace

_SHORT = 11
_PATH = 38
_JUMPS = "Largest increases"


def agent_rows(report: Report) -> Iterator[Row]:
    """Every agent with its loads at the start, on touch and later, and text cut or paid twice."""
    for text in report.longest():
        yield remark(f"longest start: {text}", "warn" if ", over " in text else "dim")
    if report.money:
        yield remark(report.money.heading)
    starts = {start.agent: start for start in report.starts}
    dollars = {each.name: each.in_words for each in report.money.expenses} if report.money else {}
    used = [each for each in report.result.agents if each.charges]
    for context in sorted(used, key=lambda each: -each.start_tokens):
        losses = f"{context.lost_tokens:,} cut  " if context.lost_tokens else ""
        losses += f"{context.repeated_tokens:,} paid twice  " if context.repeated_tokens else ""
        id_ = context.agent.id
        start = starts.get(id_)
        tokens = context.installed_tokens if context.agent.installable else start.known if start else 0
        size = f"{'once installed' if context.agent.installable else 'start'} {tokens:>8,}"
        yield heading(
            context.agent.name, (losses, "warn"), (size, "strong"), tokens=tokens, group=id_, is_open=len(used) == 1
        )
        remarks = dollars.get(id_, ""), report.instructions_in_words(id_)
        yield from (replace(row, within=(id_,)) for row in _rows_of_agent(context, start, remarks))


def _rows_of_agent(context: AgentContext, start: Start | None, remarks: Sequence[str]) -> Iterator[Row]:
    """Rows of an agent: `remarks` among those on its start, its subagents and user files, then loads and repeats."""
    if start is not None:
        texts = (start.how_known, *remarks, start.from_home, start.later, *start.versions, start.left_out)
        yield from (remark(text) for text in (*texts, *start.published) if text)
        for each in start.subagents:
            left: tuple[Cell, ...] = (("  subagent   ", "accent"), (f"the start of {shown.line(each.name)}", "dim"))
            yield Row(left, ((f"{each.tokens:>8,}", ""),), each.path, tokens=each.tokens)
        if start.home:
            yield remark(f"if they exist, also {', '.join(start.home)}: not counted")
    yield from _charge_rows(context)
    for repeat in context.repeats:
        text = f"twice: {', '.join(repeat.paths)} ({repeat.why})"
        tokens = repeat.tokens
        yield remark(text, "warn", ((f"{tokens:>8,}", "warn"),), path=repeat.paths[0], tokens=tokens)


def _charge_rows(context: AgentContext) -> Iterator[Row]:
    """The loads of an agent by moment, with the tokens that enter its context, and lost text in the details."""
    for charge in sorted(context.charges, key=lambda each: MOMENTS.index(each.moment)):
        url, day = context.evidence(charge)
        entering = charge.start_tokens or charge.tokens or 0
        lost = "".join(f"\n{each}" for each in _loss_lines(charge))
        style = "dim" if charge.moment == "never" else ""
        right = (" cut " if charge.lost_tokens else "", "warn"), (f"{entering:>8,}", style)
        detail = f"{charge.reason}\nrow {charge.row.id}, {url}, checked {day}{lost}"
        path, line = charge.path, charge.lost[0].line if charge.lost else None
        moment: Cell = (f"  {charge.moment:<10} ", "accent")
        row = item(moment, path, right, charge.reason, style, path=path, line=line)
        yield replace(row, detail=detail, tokens=entering)


def _loss_lines(charge: Charge) -> Iterator[str]:
    for loss in charge.lost:
        yield f"cut from line {loss.line}: {plural(loss.tokens, 'token')}, {loss.limit.effect}"
    entry = charge.entry
    if entry is not None and entry.lost_tokens and entry.limit is not None:
        yield f"cut from the description: {plural(entry.lost_tokens, 'token')}, {entry.limit.effect}"


def sent_rows(start: AgentStart) -> Iterator[Row]:
    """A captured start beside the prediction: by category, then by file, those that differ first."""
    group = f"sent {start.id}"
    sent = f"{start.captured:,} sent"
    yield heading(f"{start.name} as captured", (sent, "strong"), tokens=start.captured or 0, group=group)
    if start.capture is not None:
        yield remark(start.capture.label, within=(group,))
    for each in start.categories:
        told = f"{each.predicted:,} predicted" if each.predicted else "not predicted"
        yield item(
            ("  category   ", "accent"), each.name, ((f"{each.captured or 0:>8,}", ""),), told, within=(group,)
        )
    for file in sorted(start.files, key=lambda file: not file.differs):
        left = (f"  {file.sent or file.expected:<10} ", "warn" if file.differs else "accent")
        told = f"{file.predicted:,} predicted" + (f", {file.expected}" if file.differs else "")
        right = ((f"{file.sent_tokens or 0:>8,}", ""),)
        yield item(left, file.path, right, told, path=file.path, tokens=file.sent_tokens or 0, within=(group,))


def total_rows(report: Report) -> Iterator[Row]:
    yield remark(context_words(report), heads=True)
    titles: dict[TotalKind, str] = {
        "source": "By source",
        "strategy": "By strategy",
        "agent": "At the start of each agent",
        "folder": "By folder",
    }
    for kind, title in titles.items():
        rows = report.totals.of(kind)
        if not rows:
            continue
        yield heading(title, tokens=rows[0].tokens, group=kind)
        most = rows[0].tokens or 1
        for row in rows:
            right = (
                (f" {plural(row.files, 'file'):>11} ", "dim"),
                (f"{row.tokens:>11,} ", ""),
                (f"{row.share:>5.0%}", "dim"),
            )
            name = (shown.line(row.name), "")
            share = row.tokens / most
            yield Row((("  ", ""),), right, tokens=row.tokens, name=name, share=share, within=(kind,), spare=1)


def context_words(report: Report) -> str:
    """A sentence with the tokens and the number of the files in the map, and that other files are not in it."""
    totals = report.totals
    files = plural(totals.files, "file")
    return f"{totals.tokens:,} tokens in {files} that agents and loaders read; other files are not in it"


def share_rows(whole: Share) -> Iterator[Row]:
    """Nested bars for the parts of a share that have tokens, with their percentages."""
    most = max((child.tokens for child in whole.children), default=0)

    def add(parts: Sequence[Share], depth: int) -> Iterator[Row]:
        for part in parts:
            if part.tokens:
                yield Row(
                    (("  " * depth, ""),),
                    ((f" {part.tokens:>11,} ", ""), (f"{part.tokens / whole.tokens:>6.1%}", "dim")),
                    path=f"id:{Target.parse(part.id).document}",
                    tokens=part.tokens,
                    name=(shown.line(part.name), "strong" if part.children and not depth else ""),
                    share=part.tokens / most,
                )
                yield from add(part.children, depth + 1)

    return add(whole.children, 0)


def matrix_rows(report: Report, workspace: Workspace) -> Iterator[Row]:
    """A head with the agents, then a row for each file: the letter of the moment and the tokens of each agent."""
    matrix = heat_map(report.result.agents, workspace.by_path)
    if not matrix.rows:
        return
    heads = "".join(f"{agent[:_SHORT]:>{_SHORT + 1}}" for agent in matrix.agents)
    yield Row(((f"{'file':<{_PATH}}", "dim"), (heads, "strong")), detail=LEGEND, heads=True)
    for line in matrix.rows:
        cells: list[Cell] = []
        for cell in line.cells:
            letter = letter_of(cell) if cell else ""
            tokens = f"{tokens_of(cell):,}" if tokens_of(cell) else ""
            style = "warn" if cell and cell.lost_tokens else "" if letter in ("S", "C") else "dim"
            cells.append((f"{f'{letter} {tokens}'.strip():>{_SHORT + 1}}", style))
        path = set_cell_size(fit(shown.line(line.path), _PATH - 1), _PATH)
        # A narrow screen cuts off the last agents. The detail lists all of them.
        reached = zip(matrix.agents, line.cells, strict=True)
        every = ", ".join(f"{agent} {cell.moment} {cell.tokens or 0:,}" for agent, cell in reached if cell)
        detail, words = f"{line.path}: {every}\n{LEGEND}", shown.line(line.path)
        yield Row(((path, ""), *cells), path=line.path, detail=detail, tokens=line.tokens, words=words)


def touch_rows(path: str, touched: Sequence[Touched], notices: Sequence[Notice]) -> Iterator[Row]:
    """The additional loads of each agent for a touched path, after notices about the path."""
    yield Row(((f"when an agent touches {shown.line(path)}", "strong"),), heads=True)
    for notice in notices:
        yield remark(notice.message)
    for each in touched:
        if each.charges or each.perhaps:
            id_ = each.agent.id
            yield heading(each.agent.name, (f"+{each.tokens:,}", "strong"), tokens=each.tokens, group=id_)
            for sign, charges in (("+", each.charges), ("?", each.perhaps)):
                yield from (_touched(sign, charge, id_) for charge in charges)


def _touched(sign: str, charge: Charge, agent: str) -> Row:
    left, right = (f"  {sign} ", "accent"), ((f"{charge.touch_tokens:>8,}", ""),)
    path, why, tokens = charge.path, charge.reason, charge.touch_tokens
    return item(left, path, right, why, path=path, detail=why, tokens=tokens, within=(agent,))


def history_rows(history: History) -> Iterator[Row]:
    """Notices of omissions, the commits, newest first, with a bar each, and the 20 changes that added most tokens."""
    if not any(costs.tokens for costs in history.commits):
        return
    for notice in history.notices:
        if notice.code == LEFT_OUT:
            yield remark(notice.message, "warn", detail=notice.message)
    most = max(costs.tokens for costs in history.commits)
    for costs, change, unchanged in reversed(history.stretches()):
        if unchanged:
            yield remark(f"{'':18}{plural(unchanged, 'commit')} without change")
        commit = costs.commit
        left: tuple[Cell, ...] = ((f"{commit.id[:8]} {commit.time.date().isoformat()} ", "dim"),)
        more = ((f" {shown.line(commit.subject)}", ""),)
        style = "over" if change > 0 else "good"
        starts = "\n".join(f"{agent}: {tokens:,} at the start" for agent, tokens in costs.starts.items())
        right = ((f"{change:>+10,}" if change else " " * 10, style), (f" {costs.tokens:>11,}", ""))
        detail, share = f"{commit.author}\n{starts}", costs.tokens / most
        yield Row(left, right, detail=detail, tokens=costs.tokens, share=share, more=more, commit=commit.id, spare=1)
    jumps = [jump for jump in history.jumps() if jump.tokens > 0][:20]
    if jumps:
        yield heading(_JUMPS)
    for jump in jumps:
        path, tokens, about = jump.path, jump.tokens, jump.commit
        id_, added = (f"  {about.id[:8]} ", "dim"), ((f"{tokens:>+10,}", "over"),)
        yield item(id_, path, added, path=path, detail=about.subject, tokens=tokens, within=(_JUMPS,))
