"""The rows of Start, section by section, from the data of a dashboard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.core.base.wording import plural
from ctxtui.core.disk.git.changes import MARKS
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.session.figures import Total
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.names import Plain
from ctxtui.tui.widgets.start_list import StartRow
from ctxtui.tui.work.findings import counts

if TYPE_CHECKING:
    from ctxtui.agents import Start
    from ctxtui.audit.prices import Money
    from ctxtui.audit.reports.report import Report
    from ctxtui.audit.slim.change import Saved
    from ctxtui.session.dashboard import Dashboard, ListedFile

KeyFor = Callable[[str], str]
"""The key of a command by its id, as the user has mapped it."""

_LOOKED_FOR = "AGENTS.md, CLAUDE.md, rules, skills and the like"
_FIRST_KEYS = (
    ("pick", "picks"),
    ("filter", "filters"),
    ("budget", "sets a budget"),
    ("export", "exports"),
    ("help", "all keys"),
    ("suggest", "finds what a task needs"),
)
_HEADING, _REMARK = "strong", "dim"
_BAR = 8
_MOST_FILES = 8
_SPACE = StartRow("")


class Headline(NamedTuple):
    """The size of the project, the report of the audit, and the largest saving, as far as known."""

    total: Total = Total()
    report: Report | None = None
    saving: Saved | None = None


_NO_HEADLINE = Headline()


def start_rows(
    session: Session, data: Dashboard, key: KeyFor, headline: Headline = _NO_HEADLINE, money: Money | None = None
) -> list[StartRow]:
    """The rows of all sections that have any. `key` names a command's key, `money` has the dollars of each start."""
    counter = session.budget.counter
    sections = (
        list(_headline(session, headline, key)),
        list(_agents(session, data, money)),
        list(_changes(data, counter, key)),
        list(_recipes(data)),
        [StartRow("The largest files", _HEADING), *_files(data.files, "large", counter)] if data.files else [],
        [] if session.workspace.references else [StartRow("This folder is empty: nothing to pick", "warn")],
        list(_first_keys(session, key)),
    )
    rows: list[StartRow] = []
    for section in filter(None, sections):
        rows += [_SPACE, *section] if rows else section
    return rows


def _headline(session: Session, headline: Headline, key: KeyFor) -> Iterator[StartRow]:
    total, report, saved = headline
    if not total.files:
        return
    words = shown.size_of_project(total, session.budget.counter)
    yield StartRow(words, "strong", "size", price=key("map"), about="enter opens the map", command="map")
    if total.large:
        yield StartRow(f"  {shown.uncounted(total.left)}: lock files, data and the like", _REMARK)
    if report is None:
        yield StartRow("  the audit is under way …", _REMARK)
        return
    yield from _findings(session, report, key)
    if saved is not None:
        words = f"{saved.name}: {saved.tokens:,} of {saved.before:,} tokens can be saved"
        price, about = key("audit"), "enter opens the audit"
        yield StartRow(words, "good", "saving", ("↓ ", "good"), price=price, about=about, command="audit")


def _findings(session: Session, report: Report, key: KeyFor) -> Iterator[StartRow]:
    errors, warnings = report.count("error"), report.count("warning")
    about = "enter opens the audit"
    if not errors and not warnings:
        words, mark = "no errors, no warnings", ("✓ ", "good")
        yield StartRow(words, "dim", "findings", mark, price=key("audit"), about=about, command="audit")
        return
    files = sum(path in session.workspace.by_path for path in counts(report.findings))
    found = [plural(count, word) for count, word in ((errors, "error"), (warnings, "warning")) if count]
    sign, style = ("▲ ", "over") if errors else ("△ ", "warn")
    told = ", ".join(found) + (f" in {plural(files, 'file')}" if files else "")
    yield StartRow(told, style, "findings", (sign, style), price=key("audit"), about=about, command="audit")
    adviser = report.adviser
    # As in the audit, where notes come last.
    worst = max(adviser.ranked(report.findings), key=adviser.is_urgent)
    where = f"{worst.path}: " if worst.path else ""
    words = f"first: {shown.line(where + worst.message)}"
    yield StartRow(words, _REMARK, "worst", about="enter opens the finding", command="audit")


def _agents(session: Session, data: Dashboard, money: Money | None) -> Iterator[StartRow]:
    counter = session.budget.counter
    if data.is_reading:
        yield StartRow("What agents load at the start", _HEADING)
        yield StartRow("  reading what agents load …", _REMARK)
        return
    if not data.starts and any(each.source == "agents" for each in session.workspace.references):
        yield StartRow("No agent loads a file at the start", _HEADING)
        yield StartRow("  rules and nested files load later, plugins and skills once installed", _REMARK)
        return
    if not data.starts:
        yield StartRow("No agent files found", _HEADING)
        yield StartRow(f"  searched for {_LOOKED_FOR}", _REMARK)
        return
    where = f" in {data.cwd}/" if data.cwd else ""
    title = f"What agents load at the start{where}"
    yield StartRow(title, _HEADING, price="" if counter.exact else "estimated")
    dollars = {each.name: each for each in money.expenses} if money else {}
    most = max(start.known for start in data.starts)
    for start in data.starts:
        expense = dollars.get(start.agent)
        remarks = (*_start_files(start, counter), *_remarks(start, expense.told if expense else ""))
        yield StartRow(
            start.name,
            key=f"agent {start.agent}",
            flag="  cut" if start.cuts else "",
            bar=_bar(start.known, most, "agents"),
            count=plural(len(start.paths), "file"),
            price="" if expense is None or expense.first is None else f"${expense.first:.4f}",
            tokens=f"{start.known:,}" if start.whole else shown.number(start.tokens, counter),
            about="enter picks these texts",
            start=start,
            remarks=remarks,
        )
    if money:
        yield StartRow(f"  {money.terms}", _REMARK)
    for text in data.longer:
        style = "warn" if ", over " in text else _REMARK
        about = "enter opens the agents' starts in the audit"
        yield StartRow(f"longest start: {text}", style, f"longest {text}", about=about, command="agents")


def _start_files(start: Start, counter: TokenCounter) -> Iterator[tuple[str, str]]:
    """Lines with styles: the largest files of a start with their tokens, and the number of smaller files."""
    sizes = Counter[str]()
    for entry in start.entries:
        sizes[entry.path] += entry.start_tokens
    for path, tokens in sizes.most_common(_MOST_FILES):
        yield f"{shown.number(tokens, counter):>7}  {path}", ""
    if len(sizes) > _MOST_FILES:
        yield f"        and {plural(len(sizes) - _MOST_FILES, 'smaller file')}", _REMARK


def _remarks(start: Start, dollars: str) -> Iterator[tuple[str, str]]:
    """Remarks on a start with their styles: cut files, label of the count, price, later loads, uncounted files."""
    yield from ((f"cut: {text}", "warn") for text in start.cuts)
    told = (start.how_known, dollars, start.from_home, start.later, start.in_subagents, *start.versions)
    yield from ((text, _REMARK) for text in (*told, start.left_out, *start.published) if text)


def _changes(data: Dashboard, counter: TokenCounter, key: KeyFor) -> Iterator[StartRow]:
    if not data.changed:
        return
    ids = data.changed_ids
    gone = f", {data.deleted:,} deleted" if data.deleted else ""
    yield StartRow(f"{plural(len(ids), 'changed file')}{gone}", _HEADING, price=key("changed"))
    yield from _files(data.changed, "changed", counter)
    if len(ids) > 1:
        yield StartRow(f"pick all {len(ids):,}", _REMARK, "changed", about="enter picks every changed file", ids=ids)


def _files(files: Sequence[ListedFile], kind: str, counter: TokenCounter) -> Iterator[StartRow]:
    most = max(each.total.tokens for each in files)
    for each in files:
        reference, total = each.reference, each.total
        yield StartRow(
            reference.path,
            key=f"{kind} {reference.id}",
            mark=(f"{each.mark} ", "accent") if each.mark else ("", ""),
            bar=_bar(total.tokens, most, reference.source),
            tokens=shown.number(total.tokens, counter, total.is_counted) if total.files else "",
            about=f"{MARKS[each.mark]}; enter picks it" if each.mark else "enter picks it",
            ids=(reference.id,),
        )


def _bar(tokens: int, most: int, source: str) -> Plain:
    return f" {shown.bar(tokens, most, _BAR)}", shown.source_style(source)


def _recipes(data: Dashboard) -> Iterator[StartRow]:
    if not data.recipes:
        return
    yield StartRow("Recent recipes", _HEADING)
    for name, saved in data.recipes:
        day = f"{saved.astimezone():%Y-%m-%d}"
        yield StartRow(name, key=f"recipe {name}", tokens=day, about="enter opens the recipe", recipe=name)


def _first_keys(session: Session, key: KeyFor) -> Iterator[StartRow]:
    if session.workspace.references and not session.picks and not session.selection.prompt:
        words = [f"{key(id_)} {word}" for id_, word in _FIRST_KEYS]
        yield from (StartRow(" · ".join(each), _REMARK) for each in (words[:3], words[3:]))
