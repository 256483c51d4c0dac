"""`ctxtui fleet report`: the results of a fleet as text, JSON or a page."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from ctxtui.audit.types import Severity
from ctxtui.cli.output.as_json import print_json
from ctxtui.cli.output.streams import put, write_stdout
from ctxtui.cli.project import Narrator, aligned, narrated, tell_unknown_model
from ctxtui.cli.status import DONE, FAILED, PASSED_LIMIT
from ctxtui.core.base.errors import Gone, invalid
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.plain import plain_json, plain_line
from ctxtui.core.base.wording import and_more, byte_size, plural
from ctxtui.core.disk.root import read_file, write_named
from ctxtui.core.tokens.by_name import counter_of
from ctxtui.fleet.as_json import fleet_json
from ctxtui.fleet.distribution import StartDistribution
from ctxtui.fleet.judge import verdict_lines
from ctxtui.fleet.policy import read_policy
from ctxtui.fleet.results.read import dumped, find_run
from ctxtui.fleet.results.schema import is_results, reading
from ctxtui.fleet.shared_texts import SharedText, SharedTexts
from ctxtui.fleet.since import other_changes
from ctxtui.fleet.summary import LEAKS, Summary, at_stake, read_summary

_GRAVE: Final[tuple[Severity, ...]] = ("error", "warning")
_MOST_AGENTS = 8
_MOST_STEPS = 5
_MOST_ROWS = 8
_MOST_REASONS = 5
_MOST_NAMES = 3
_LONGEST = 60
# Stands for a place in a reason.
_PLACE = "…"
PAGE_MARK = b'<meta name="generator" content="ctxtui fleet">'
BESIDE = ""
"""The page goes beside the results if `--html` names no file."""


@narrated
def run_fleet_report(arguments: argparse.Namespace, narrator: Narrator) -> int:
    """Print a run of a fleet as text or JSON, or write its page. Returns the status of `status_of`."""
    file = Path(arguments.file)
    if arguments.dump:
        return _dump(file, arguments)
    place = None if arguments.html is None else _page_path(file, arguments)
    tell_unknown_model(arguments.model, narrator)
    policy = read_policy(Path(arguments.limits)) if arguments.limits else None
    since, model = arguments.since or "", arguments.model or ""
    summary = read_summary(file, arguments.run_number, since=since, policy=policy, model=model)
    if model and counter_of(model).key != counter_of(summary.run.tokenizer).key:
        told = f"the results were counted with {summary.run.tokenizer}, not as {model} counts"
        narrator(Notice("other-tokenizer", f"{told}: prices are estimates"))
    if place is not None:
        from ctxtui.fleet.page.render import page  # noqa: PLC0415 - Jinja2: only if asked for

        data = page(summary).encode("utf-8", "replace")
        write_named(place, data, force=arguments.force)
        narrator.say(f"wrote {place}, {byte_size(len(data))}; open it in a browser")
    if place is None or arguments.json:
        tell_summary(summary, file, arguments, narrator)
    return status_of(summary, arguments.fail_on)


def tell_summary(summary: Summary, file: Path, arguments: argparse.Namespace, narrator: Narrator) -> None:
    """Print the figures of a results file, as text or JSON."""
    if arguments.json:
        print_json(fleet_json(summary), narrator.notices)
        return
    put(_fleet_text(summary))
    narrator.say(f"ctxtui fleet report {file} --html writes a page with all repositories, --json prints all figures")


def status_of(summary: Summary, fail_on: str | None) -> int:
    """The exit status: 4 if all failed, 1 for a broken policy, or with `fail_on` for a failed repository, else 0."""
    if summary.rows and not summary.audited:
        return FAILED
    return PASSED_LIMIT if summary.breaking or (fail_on and summary.failed) else DONE


def _dump(file: Path, arguments: argparse.Namespace) -> int:
    """Print the rows of a run as JSON lines. Returns 0. Other options raise ContextError."""
    others = {"--html": arguments.html is not None, "--json": arguments.json, "--limits": arguments.limits}
    others |= {"--since": arguments.since, "--model": arguments.model}
    given = next((name for name, value in others.items() if value), None)
    if given is not None:
        raise invalid(f"--dump prints rows alone; leave out {given}")
    with reading(file) as connection:
        run = find_run(connection, arguments.run_number)
        write_stdout((line.encode() for line in dumped(connection, run)), plain_json)
    return DONE


def _page_path(file: Path, arguments: argparse.Namespace) -> Path:
    """The path of the page. Raises ContextError for a results file, and without --force for all but earlier pages."""
    place = Path(arguments.html) if arguments.html != BESIDE else file.with_suffix(".html")
    if place == file or is_results(place):
        raise invalid(f"{place} holds results, which the page would replace", hint="name another file: --html PAGE")
    if not arguments.force and not _may_hold_page(place):
        hint = "name another file: --html PAGE, or add --force"
        raise invalid(f"{place} is not a page of a fleet, and would be replaced", hint=hint)
    return place


def _may_hold_page(place: Path) -> bool:
    """Whether a path is missing, an empty file or an earlier page."""
    try:
        return not (data := read_file(place).data) or PAGE_MARK in data
    except Gone:
        return True


def _fleet_text(summary: Summary) -> str:
    """The report as text: sections with the main figures, which tell how many rows they leave out."""
    parts = (
        _head_lines(summary),
        _start_lines(summary.starts) if summary.audited else (),
        _step_lines(summary) if summary.audited else ("NOTHING was audited: nothing is known of any repository",),
        _shared_lines(summary.texts),
        _growth_lines(summary),
        _worst_lines(summary),
    )
    sections = [list(part) for part in (*parts, _failure_lines(summary), _limit_lines(summary))]
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _head_lines(summary: Summary) -> Iterator[str]:
    run, before = summary.run, summary.before
    failed = f", {summary.failed:,} not audited" if summary.failed else ""
    compared = f", compared with run {before.id}" if before is not None else ""
    yield (
        f"{plural(len(summary.rows), 'repository')}{failed}; run {run.id} of {plain_line(run.began)[:10]}{compared};"
        f" tokens of {plain_line(run.tokenizer)}"
    )
    if not summary.is_whole:
        yield f"the run did not end: {len(summary.rows):,} of {plural(run.size, 'repository')} so far"
    if summary.largest_starts:
        left = f"; {summary.without_start}" if summary.without_start else ""
        yield (
            f"largest start: median {plural(summary.median_start, 'token')},"
            f" nine in ten at most {summary.p90_start:,}{left}"
        )


def _start_lines(starts: Sequence[StartDistribution]) -> Iterator[str]:
    if not starts:
        yield "START  no agent found"
        return
    yield "START  tokens in context before the first request"
    heads = ("  agent", "repositories", "median", "9 in 10", "largest", "in", "")
    rows = [heads, *map(_start_row, starts[:_MOST_AGENTS])]
    yield from aligned(rows, {1, 2, 3, 4})
    yield from _more_line(len(starts), _MOST_AGENTS, "agent")


def _start_row(each: StartDistribution) -> tuple[str, ...]:
    limit = "" if each.limit is None else f"limit {each.limit:,}, {each.over:,} over"
    numbers = (f"{number:,}" for number in (each.repositories, each.median, each.p90, each.largest))
    return f"  {plain_line(each.agent)}", *numbers, _short_name(each.largest_in), limit


def _step_lines(summary: Summary) -> Iterator[str]:
    steps = summary.first
    if not steps:
        where = f" in the {plural(len(summary.audited), 'repository')} audited" if summary.failed else ""
        yield f"FIRST  nothing leaks, is lost, or can be saved{where}"
        return
    yield "FIRST  what to fix first: leaks, then by severity and tokens at stake"
    for step in steps[:_MOST_STEPS]:
        stake = at_stake(step)
        where = f"{plural(step.findings, 'finding')} in {plural(step.repositories, 'repository')}"
        yield f"  {plain_line(step.rule)}  {where}{f', {stake}' if stake else ''}"
        if step.rule == LEAKS:
            shown = summary.secrets[:_MOST_NAMES]
            names = [f"{_short_name(each.repository)} {_short_name(each.path)}:{each.line}" for each in shown]
            rest = and_more(step.findings, _MOST_NAMES)
        else:
            sizes = [(each.repository, f" {each.tokens:,}" if each.tokens else "") for each in step.worst]
            names = [f"{_short_name(repository)}{size}" for repository, size in sizes]
            rest = and_more(step.repositories, len(step.worst))
        yield f"      {', '.join(names)}{rest}"
    yield from _more_line(len(steps), _MOST_STEPS, "rule")


def _shared_lines(texts: SharedTexts) -> Iterator[str]:
    if not texts.count:
        return
    price = f", ${texts.dollars:,.2f} for 1,000 starts in each" if texts.dollars is not None else ""
    yield (
        f"SHARED  {plural(texts.count, 'text')} in {texts.repositories:,} repositories or more:"
        f" {plural(texts.at_start, 'token')} at all starts{price}"
    )
    rows = [_shared_row(each) for each in texts.texts[:_MOST_STEPS]]
    yield from aligned(rows, {1, 2, 3})
    yield from _more_line(texts.count, _MOST_STEPS, "text")
    if texts.heading:
        yield f"  {plain_line(texts.heading)}"


def _shared_row(each: SharedText) -> tuple[str, ...]:
    name, path, line = each.places[0]
    price = f"${each.dollars:,.2f}" if each.dollars is not None else ""
    where = f"in {plural(each.repositories, 'repository')}"
    place = f"{_short_name(name)} {_short_name(path)}:{line}"
    return f"  {_short_name(each.first_words)}", f"{each.at_start:,}", price, where, place


def _growth_lines(summary: Summary) -> Iterator[str]:
    if summary.change is None:
        return
    before, grown = summary.change.before, summary.grown
    tokens = f"{summary.growth:+,}" if summary.growth else "±0"
    yield f"SINCE  run {before.id}: {tokens} tokens at starts; {len(grown):,} grew, {summary.shrunk:,} shrank"
    rows = [
        (f"  {_short_name(each.repository)}", plain_line(each.agent), f"{each.tokens:+,}", f"{each.after:,}")
        for each in grown[:_MOST_ROWS]
    ]
    yield from aligned(rows, {2, 3})
    yield from _more_line(len(grown), _MOST_ROWS, "start")
    yield from (f"  {what}: {told}" for what, told in other_changes(summary.change))


def _limit_lines(summary: Summary) -> Iterator[str]:
    """All repositories that break the policy, because a check must name them all. Empty without a policy."""
    if summary.verdict is not None:
        yield f"LIMITS  {plural(summary.breaking, 'repository')} over"
        yield from (f"  {line}" for line in verdict_lines(summary.verdict))


def _worst_lines(summary: Summary) -> Iterator[str]:
    """A table of at most `_MOST_ROWS` audited repositories: most errors first, then the largest start."""
    audited = [row for row in summary.worst if not row.kept.error]
    if not audited:
        return
    yield "WORST  most errors, then the largest start"
    rows = []
    for row in audited[:_MOST_ROWS]:
        counts = (plural(row.findings.get(each, 0), each) for each in _GRAVE)
        rows.append((f"  {_short_name(row.kept.name)}", f"{row.start:,}", *counts))
    yield from aligned(rows, {1, 2, 3})
    yield from _more_line(len(audited), _MOST_ROWS, "repository")


def _failure_lines(summary: Summary) -> Iterator[str]:
    """The reasons of failed audits, each with some repositories, or with places if the reason has `…` for them."""
    failures = summary.failures
    if not failures:
        return
    yield f"NOT AUDITED  {plural(summary.failed, 'repository')}"
    for each in failures[:_MOST_REASONS]:
        # A wrong line of a list has no place, even if the line has the sign.
        shown = each.places if _PLACE in each.reason and all(each.places) else each.repositories
        names = ", ".join(plain_line(name) for name in shown[:_MOST_NAMES])
        count = len(each.repositories)
        yield f"  {count:,}  {plain_line(each.reason)[:200]}: {names}{and_more(count, _MOST_NAMES)}"
    yield from _more_line(len(failures), _MOST_REASONS, "reason")


def _more_line(count: int, shown: int, what: str) -> Iterator[str]:
    if count > shown:
        yield f"  and {plural(count - shown, f'more {what}')}"


def _short_name(text: str) -> str:
    """A name in one line of at most `_LONGEST` characters, shortened at its front."""
    line = plain_line(text)
    return line if len(line) <= _LONGEST else f"…{line[1 - _LONGEST :]}"
