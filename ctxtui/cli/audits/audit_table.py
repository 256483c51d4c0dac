"""The audit as text: starts, findings by rule, and where the tokens are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from textwrap import TextWrapper, wrap

from ctxtui.agents import Start
from ctxtui.audit.advice import Advice, Adviser
from ctxtui.audit.limits import limit_line
from ctxtui.audit.reports.report import Report
from ctxtui.audit.rules.phrases import full_list, short_list
from ctxtui.audit.slim.change import Saved
from ctxtui.audit.totals import TotalKind
from ctxtui.audit.types import SEVERITIES, SPOKEN, Finding
from ctxtui.audit.weigh.in_words import HEADING, remarks, server_row
from ctxtui.cli.project import columns
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import noun, plural

MOST_LINES = 60
_MOST_ROWS = 12
_MOST_TOTALS = 5
_MOST_AGENTS = 10
_MOST_NOTES = 4
_MOST_SERVERS = 8
_PLACES = 3
_MOST_OF_RULE = 3
# The lines that say what is left out.
_ENDING = 2
_WIDTH = 118
_INDENT = " " * 8


def audit_table(report: Report, *, saving: Saved | None = None, every: bool = False) -> str:
    """The report as text of about 60 lines, or with `every` finding. `saving` is the plan's largest saving."""
    before = [_summary(report, saving), *_starts(report, every), *_servers(report, every)]
    after = [*_total_lines(report, every), *_since(report), *map(limit_line, report.limits)]
    parts = [list(part) for part in (before, after)]
    lines = sum(map(len, parts)) + 2 * len(parts)
    findings = list(_findings(report, None if every else max(MOST_LINES - lines, 6)))
    sections = (parts[0], findings, parts[1])
    return "\n\n".join("\n".join(section).strip("\n") for section in sections if section)


def _summary(report: Report, saving: Saved | None) -> str:
    counts = [plural(report.count(each), SPOKEN[each]) for each in SEVERITIES]
    saved = ""
    if saving is not None:
        saved = f"; {saving.tokens:,} of {saving.before:,} tokens can be saved for {saving.name} (--slim)"
    ignored = f"; {plural(len(report.result.ignored), 'finding')} ignored" if report.result.ignored else ""
    known = f"; {plural(len(report.comparison.known), 'finding')} in the baseline" if report.comparison else ""
    counter = report.counter
    sizes = "" if counter.exact else f"; sizes are estimates for {plain_line(counter.name)}, {counter.band}"
    return f"{plain_line(report.name)}: {', '.join(counts)}{saved}{known}{ignored}{sizes}"


def _starts(report: Report, every: bool) -> Iterator[str]:
    starts = report.starts
    yield ""
    start = f"START in {plain_line(report.cwd)}/" if report.cwd else "START"
    if not starts:
        real = any(not each.agent.installable for each in report.result.agents)
        patterns = [pattern for each in report.looked_for for pattern in each.detect[:1]]
        is_kit = any(each.installed_tokens for each in report.result.agents)
        found = "agents are set up here, but load nothing at the start" if real else "no agent files found"
        found = "no agent reads these files before they are installed" if is_kit and not real else found
        yield f"{start}  {found}; looked for {short_list(patterns)}"
    else:
        yield f"{start}  what agents have in context before the first request"
    used = [each for each in starts if each.agent in report.result.used] or starts
    shown = starts if every else used[:_MOST_AGENTS]
    is_known = any(each.whole for each in shown)
    rows = [_start(each, is_known, report.instructions_in_words(each.agent)) for each in shown]
    yield from columns(_filled(rows), frozenset({1}))
    if len(used) > len(shown):
        yield f"  and {len(used) - len(shown):,} more"
    if unused := [f"{each.agent} {each.known:,}" for each in starts if not (every or each in used)]:
        yield from _remark(f"also read these files, with none of their own: {short_list(unused)}")
    yield from _not_counted(shown)
    yield from _published(shown, every)
    yield from _also_read(report, every)
    notes = [line for each in shown for line in _asked(report, each.agent)] if every else []
    notes += [f"  {each.agent}: {plain_line(text)}" for each in shown for text in each.versions]
    notes += [f"  longest start: {plain_line(text)}" for text in report.longest(every)]
    yield from notes if every else notes[:_MOST_NOTES]
    yield from _to_install(report)
    if report.money is not None:
        yield f"  {report.money.heading}"
        yield from (f"    {plain_line(row.name)}: {row.in_words}" for row in report.money.expenses)


def _start(start: Start, is_known: bool, asked: str) -> tuple[str, ...]:
    how = start.how_known or ("estimated" if is_known else "")
    lost = f"{start.lost_tokens:,} cut" if start.lost_tokens else ""
    twice = f"{start.repeated_tokens:,} paid twice" if start.repeated_tokens else ""
    files = plural(len(start.paths), "file")
    told = (files, asked, start.from_home, lost, twice, start.later, start.in_subagents)
    return f"  {start.agent}", f"{start.known:,}", how, *told


def _asked(report: Report, agent: str) -> Iterator[str]:
    """A line with the number of instructions in each file that an agent loads, if several files have some."""
    files = [f"{each.path} {each.instructions:,}" for each in report.instruction_counts(agent) if each.instructions]
    if len(files) > 1:
        yield from _remark(f"{agent}: instructions in {', '.join(files)}")


def _not_counted(starts: Sequence[Start]) -> Iterator[str]:
    """A line with the kinds of text that starts leave out, and the ids of agents if not all leave them out."""
    agents: dict[str, list[str]] = {}
    for start in starts:
        for part in start.not_counted:
            agents.setdefault(part, []).append(start.agent)
    parts = [part if len(ids) == len(starts) else f"{part} ({', '.join(ids)})" for part, ids in agents.items()]
    if parts:
        yield from _remark(f"not counted: {', '.join(parts)}")


def _published(starts: Sequence[Start], every: bool) -> Iterator[str]:
    """Lines with the published sizes of the agents' system prompts and tools. `every` adds agents and sources."""
    if every:
        yield from (f"  {each.agent}: {plain_line(text)}" for each in starts for text in each.published)
        return
    known = [(each.agent, each.fixed[0]) for each in starts if each.fixed]
    for is_captured, head in ((True, "captured: "), (False, "about ")):
        own = [(agent, fixed.tokens) for agent, fixed in known if fixed.is_captured == is_captured]
        sizes = [f"{tokens:,}{f' ({agent})' if len(starts) > 1 else ''}" for agent, tokens in own]
        if sizes:
            yield from _remark(f"+ {head}{', '.join(sizes)} for system prompt and tools (not in the sum)")


def _also_read(report: Report, every: bool) -> Iterator[str]:
    """A line with the agents that read AGENTS.md but have no files of their own here. `every` names them all."""
    names = report.also_readers
    if names:
        shown = full_list(names) if every else short_list(names)
        yield from _remark(f"AGENTS.md is also read by {shown}; found nothing else of theirs")


def _remark(text: str) -> list[str]:
    return wrap(f"  {plain_line(text)}", _WIDTH, subsequent_indent="    ", break_on_hyphens=False)


def _filled(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The rows without the columns in which all cells are empty."""
    kept = [place for place in range(len(rows[0]) if rows else 0) if any(row[place] for row in rows)]
    return [tuple(row[place] for place in kept) for row in rows]


def _to_install(report: Report) -> Iterator[str]:
    """A table of the tokens that files add to each agent's start once they are installed. Empty without any."""
    rows = []
    for context in report.result.agents:
        if context.installed_tokens:
            files = len({charge.path for charge in context.charges if charge.start_tokens})
            rows.append((f"  {context.agent.id}", f"{context.installed_tokens:,}", plural(files, "file")))
    if rows:
        yield "  to install: tokens that the lists of these files add to a start"
        yield from columns([(f"  {id_}", *rest) for id_, *rest in rows], frozenset({1}))


def _servers(report: Report, every: bool) -> Iterator[str]:
    servers = report.mcp.servers
    if not servers:
        return
    yield ""
    known = servers if every else [each for each in servers if each.state in ("weighed", "failed")]
    shown = known if every else known[:_MOST_SERVERS]
    yield f"MCP  {HEADING}" if shown else f"MCP  {plural(len(servers), 'server')}"
    yield from columns([(f"  {row[0]}", *row[1:]) for row in map(server_row, shown)], frozenset({2, 3, 4, 5}))
    if len(known) > len(shown):
        yield f"  and {len(known) - len(shown):,} more; --every shows them"
    rest = [each.server.name for each in servers if each not in known]
    if rest:
        yield f"  not weighed: {plain_line(short_list(list(dict.fromkeys(rest))))}; --weigh-mcp NAME counts one"
    yield from (f"  {line}" for line in remarks(servers, report.counter))


def _total_lines(report: Report, every: bool) -> Iterator[str]:
    totals = report.totals
    if not totals.files:
        return
    part = f"{totals.unasked:,}" if totals.unasked else "none"
    rest = f", {part} of them read unasked" if totals.unasked < totals.tokens else ""
    yield f"WHERE  the tokens are: {totals.tokens:,}{rest}"
    kinds: tuple[TotalKind, ...] = ("source", "strategy", "folder") if every else ("source", "folder")
    # All of one type is worth no line.
    kinds = ("type", *kinds) if len(totals.of("type")) > 1 else kinds
    rows = [
        (f"  {row.kind}", plain_line(row.name), f"{row.files}", f"{row.tokens:,}", f"{row.share:.0%}")
        for kind in kinds
        for row in totals.of(kind, _MOST_ROWS if every else _MOST_TOTALS)
    ]
    yield from columns(rows, frozenset({2, 3, 4}))


def _since(report: Report) -> Iterator[str]:
    if report.since is None:
        return
    yield ""
    yield f"SINCE  {report.since.ref}: {report.since.tokens:+,} tokens"
    rows = [
        (f"  {change.kind}", plain_line(change.path), f"{change.tokens:+,}")
        for change in report.since.files[:_MOST_ROWS]
    ]
    rows += [
        ("  start", change.agent, f"{change.after - change.before:+,}")
        for change in report.since.agents
        if change.after != change.before
    ]
    yield from columns(rows, frozenset({2})) if rows else ("  nothing changed",)


def _findings(report: Report, room: int | None) -> Iterator[str]:
    """The most urgent findings in about `room` lines (None: all), then the number of the others by rule."""
    adviser = report.adviser
    about = {rule.id: rule.about for rule in report.rules}
    ranked = adviser.ranked(report.findings)
    told = {finding: list(_lines(finding, adviser.on(finding), _PLACES)) for finding in ranked}
    shown = set(ranked) if room is None else _fitting(told, adviser, room - _ENDING)
    for finding in filter(shown.__contains__, ranked):
        yield from told[finding] if room else _lines(finding, adviser.on(finding), len(finding.places))
        if room is None:
            remarks = (about.pop(finding.rule, ""), finding.evidence)
            yield from (f"{_INDENT}{plain_line(each)}" for each in remarks if each)
    for is_note, what in ((False, "more finding" if shown else "finding"), (True, "note")):
        left = Counter(each.rule for each in ranked if each not in shown and (each.severity == "info") is is_note)
        if count := left.total():
            rules = short_list([f"{number:,} {rule}" for rule, number in left.most_common()])
            yield f"{plural(count, what)} ({rules}); --every shows {noun(count, 'it', 'them')}"


def _fitting(told: Mapping[Finding, Sequence[str]], adviser: Adviser, room: int) -> set[Finding]:
    """The findings whose lines in `told` fit into `room` lines: urgent ones, then those about lost or wrong text.

    Of each kind, up to three of a rule come first, then the rest.
    """
    shown: set[Finding] = set()
    rules: Counter[str] = Counter()
    # What many places or the first folders have matters most.
    notes = sorted(told, key=lambda each: (-each.count, (each.path or "").count("/")))
    for is_wanted, ordered in ((adviser.is_urgent, list(told)), (adviser.is_broken, notes)):
        for most in (_MOST_OF_RULE, len(told)):
            for finding in filter(is_wanted, ordered):
                if finding not in shown and rules[finding.rule] < most and len(told[finding]) <= room:
                    room -= len(told[finding])
                    rules[finding.rule] += 1
                    shown.add(finding)
    return shown


def _lines(finding: Finding, advice: Advice, places: int) -> Iterator[str]:
    place = finding.path or (finding.agent or "")
    place += f":{finding.line}" if finding.line is not None else ""
    yield f"{SPOKEN[finding.severity]:<8}{finding.rule}  {plain_line(place)}  {plain_line(advice.cost)}".rstrip()
    yield f"{_INDENT}{plain_line(advice.fact)}"
    if also := finding.also(places - 1):
        wrapper = TextWrapper(_WIDTH, _INDENT, _INDENT, break_long_words=False, break_on_hyphens=False)
        yield from wrapper.wrap(plain_line(also))
    yield f"{_INDENT}→ {plain_line(advice.remedy)}"


_LABEL = re.compile(r"(?P<error>FAIL|error)|(?P<warning>warning)|(?P<note>note)|(?P<good>ok)|(?P<bold>[A-Z]+)")


def look_of(line: str) -> tuple[int, str, str]:
    """The look of a line for `put`: the length and style of its label, and the style of the rest."""
    if line.startswith(f"{_INDENT}→"):
        return 0, "", "good"
    if line.startswith(
        ("  not counted:", "  + ", "  AGENTS.md is also read", "  also read these", "    (not in the sum)")
    ):
        return 0, "", "dim"
    found = None if line.startswith(" ") else _LABEL.match(line)
    if found is None:
        return 0, "", "bold" if re.match(r"\S+: \d+ errors?, ", line) else ""
    return found.end(), found.lastgroup or "", ""
