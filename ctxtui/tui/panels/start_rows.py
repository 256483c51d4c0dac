"""The rows of Start, section by section, from the data of a dashboard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.core.base.wording import plural
from ctxtui.core.disk.git.changes import MARKS
from ctxtui.core.documents.listing import AGENTS
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.session.figures import Total
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.widgets.fold_rows import Row, Told, remark
from ctxtui.tui.widgets.rows import Cell
from ctxtui.tui.work.findings import problem_counts

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
_BAR = 8
_MOST_FILES = 8


class Headline(NamedTuple):
    """The size of the project, the report of the audit, and the largest saving, as far as known."""

    total: Total = Total()
    report: Report | None = None
    saving: Saved | None = None


_NO_HEADLINE = Headline()


def start_rows(
    session: Session, data: Dashboard, key: KeyFor, headline: Headline = _NO_HEADLINE, money: Money | None = None
) -> list[Row]:
    """The rows of all sections that have any. `key` names a command's key, `money` has the dollars of each start."""
    counter = session.budget.counter
    sections = (
        list(_headline(session, headline, key)),
        list(_agents(session, data, money)),
        list(_changes(data, counter, key)),
        list(_recipes(data)),
        [_title("The largest files"), *_files(data.files, "large", counter)] if data.files else [],
        [] if session.workspace.references else [remark("This folder is empty: nothing to pick", "warn")],
        list(_first_keys(session, key)),
    )
    rows: list[Row] = []
    for section in filter(None, sections):
        rows += [Row(), *section] if rows else section
    return rows


def _title(text: str, aside: str = "") -> Row:
    return Row(((shown.line(text), "strong"),), ((f" {aside} ", "dim"),) if aside else ())


def _headline(session: Session, headline: Headline, key: KeyFor) -> Iterator[Row]:
    total, report, saved = headline
    if not total.files:
        return
    words = shown.size_of_project(total, session.budget.counter)
    yield _opening("size", "map", "enter opens the map", words, "strong", key("map"))
    if total.large:
        yield remark(f"{shown.uncounted(total.left)}: lock files, data and the like")
    if report is None:
        yield remark("the audit is under way …")
        return
    yield from _findings(session, report, key)
    if saved is not None:
        words = f"{saved.name}: {saved.tokens:,} of {saved.before:,} tokens can be saved"
        yield _opening("saving", "audit", "enter opens the audit", words, "good", key("audit"), ("↓ ", "good"))


def _opening(id_: str, act: str, about: str, words: str, style: str, key: str = "", *left: Cell) -> Row:
    """A row whose enter opens something. `key` does so everywhere."""
    told, right = (Told(shown.line(words), style),), ((f" {key} ", "dim"),) if key else ()
    return Row(left, right, detail=about, act=act, key=id_, told=told)


def _findings(session: Session, report: Report, key: KeyFor) -> Iterator[Row]:
    errors, warnings = report.count("error"), report.count("warning")
    about = "enter opens the audit"
    if not errors and not warnings:
        yield _opening("findings", "audit", about, "no errors, no warnings", "dim", key("audit"), ("✓ ", "good"))
        return
    files = sum(path in session.workspace.by_path for path in problem_counts(report.findings))
    found = [plural(count, word) for count, word in ((errors, "error"), (warnings, "warning")) if count]
    sign, style = ("▲ ", "over") if errors else ("△ ", "warn")
    told = ", ".join(found) + (f" in {plural(files, 'file')}" if files else "")
    yield _opening("findings", "audit", about, told, style, key("audit"), (sign, style))
    adviser = report.adviser
    # As in the audit, where notes come last.
    worst = max(adviser.ranked(report.findings), key=adviser.is_urgent)
    where = f"{worst.path}: " if worst.path else ""
    yield _opening("worst", "audit", "enter opens the finding", f"first: {where}{worst.message}", "dim")


def _agents(session: Session, data: Dashboard, money: Money | None) -> Iterator[Row]:
    counter = session.budget.counter
    if data.is_reading:
        yield from (_title("What agents load at the start"), remark("reading what agents load …"))
        return
    if not data.starts and any(each.source == AGENTS for each in session.workspace.references):
        yield _title("No agent loads a file at the start")
        yield remark("rules and nested files load later, plugins and skills once installed")
        return
    if not data.starts:
        yield from (_title("No agent files found"), remark(f"searched for {_LOOKED_FOR}"))
        return
    where = f" in {data.cwd}/" if data.cwd else ""
    yield _title(f"What agents load at the start{where}", "" if counter.exact else "estimated")
    dollars = {each.name: each for each in money.expenses} if money else {}
    most = max(start.known for start in data.starts)
    about = "enter picks these texts"
    for start in data.starts:
        expense = dollars.get(start.agent)
        price = "" if expense is None or expense.first is None else f" {f'${expense.first:.4f}':>8}"
        tokens = f"{start.known:,}" if start.whole else shown.number(start.tokens, counter)
        count = f" {plural(len(start.paths), 'file'):>11}"
        group = f"agent {start.agent}"
        yield Row(
            right=((count, "dim"), (price, "dim"), _bar(start.known, most, AGENTS), (f" {tokens:>9} ", "")),
            name=(shown.line(start.name), ""),
            more=(("cut", "warn"),) if start.cuts else (),
            detail=about,
            start=start,
            key=group,
            group=group,
            spare=3,
        )
        below = partial(remark, detail=about, start=start, within=(group,))
        yield from (below(path, style, left=((size, style),)) for size, path, style in _start_files(start, counter))
        yield from (below(text, style) for text, style in _remarks(start, expense.in_words if expense else ""))
    if money:
        yield remark(money.terms)
    for text in data.longer:
        about, style = "enter opens the agents' starts in the audit", "warn" if ", over " in text else "dim"
        yield _opening(f"longest {text}", "agents", about, f"longest start: {text}", style)


def _start_files(start: Start, counter: TokenCounter) -> Iterator[tuple[str, str, str]]:
    """The tokens, path and style of the largest files of a start, and the number of smaller files."""
    sizes = Counter[str]()
    for entry in start.entries:
        sizes[entry.path] += entry.start_tokens
    for path, tokens in sizes.most_common(_MOST_FILES):
        yield f"{shown.number(tokens, counter):>7}  ", path, ""
    if len(sizes) > _MOST_FILES:
        yield " " * 9, f"and {plural(len(sizes) - _MOST_FILES, 'smaller file')}", "dim"


def _remarks(start: Start, dollars: str) -> Iterator[tuple[str, str]]:
    """Remarks on a start with their styles: cut files, label of the count, price, later loads, uncounted files."""
    yield from ((f"cut: {text}", "warn") for text in start.cuts)
    told = (start.how_known, dollars, start.from_home, start.later, start.in_subagents, *start.versions)
    yield from ((text, "dim") for text in (*told, start.left_out, *start.published) if text)


def _changes(data: Dashboard, counter: TokenCounter, key: KeyFor) -> Iterator[Row]:
    if not data.changed:
        return
    ids = data.changed_ids
    gone = f", {data.deleted:,} deleted" if data.deleted else ""
    yield _title(f"{plural(len(ids), 'changed file')}{gone}", key("changed"))
    yield from _files(data.changed, "changed", counter)
    if len(ids) > 1:
        about = "enter picks every changed file"
        yield Row((("  ", ""),), name=(f"pick all {len(ids):,}", "dim"), detail=about, ids=ids, key="changed")


def _files(files: Sequence[ListedFile], kind: str, counter: TokenCounter) -> Iterator[Row]:
    most = max(each.total.tokens for each in files)
    for each in files:
        reference, total = each.reference, each.total
        tokens = shown.number(total.tokens, counter, total.is_counted) if total.files else ""
        yield Row(
            left=(("  ", ""), *([(f"{each.mark} ", "accent")] if each.mark else [])),
            right=(_bar(total.tokens, most, reference.source), (f" {tokens:>9} ", "")),
            name=(shown.line(reference.path), ""),
            detail=f"{MARKS[each.mark]}; enter picks it" if each.mark else "enter picks it",
            ids=(reference.id,),
            key=f"{kind} {reference.id}",
            spare=1,
        )


def _bar(tokens: int, most: int, source: str) -> Cell:
    return f" {shown.bar(tokens, most, _BAR)}", shown.source_style(source)


def _recipes(data: Dashboard) -> Iterator[Row]:
    if not data.recipes:
        return
    yield _title("Recent recipes")
    for name, saved in data.recipes:
        day = ((f" {saved.astimezone():%Y-%m-%d} ", ""),)
        about, key, left = "enter opens the recipe", f"recipe {name}", (("  ", ""),)
        yield Row(left, day, name=(shown.line(name), ""), detail=about, act="recipe", words=name, key=key)


def _first_keys(session: Session, key: KeyFor) -> Iterator[Row]:
    if session.workspace.references and not session.picks and not session.selection.prompt:
        words = [f"{key(id_)} {word}" for id_, word in _FIRST_KEYS]
        yield from (remark(" · ".join(each)) for each in (words[:3], words[3:]))
