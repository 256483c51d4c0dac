"""Render the page: figures as HTML, all rows as data for its tables, and a policy that forbids the network."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from importlib.resources import files
from typing import Any, Final, NamedTuple

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from ctxtui.audit.types import SEVERITIES, SPOKEN
from ctxtui.core.base.plain import plain_line, short_line
from ctxtui.core.base.wording import noun, plural
from ctxtui.fleet.distribution import Bin, StartDistribution, position
from ctxtui.fleet.judge import verdict_lines
from ctxtui.fleet.results.read import Counted
from ctxtui.fleet.since import other_changes
from ctxtui.fleet.summary import RuleTotal, Summary, at_stake

_LONGEST: Final = 300
# Characters that could end a script or begin a tag or comment.
_ESCAPED: Final = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&'"}

HEIGHT: Final = 46
_GAP: Final = 0.12
_LEAST: Final = 1.5
_SHORT: Final = ((1_000_000, "M"), (1_000, "k"))

_FOLDER: Final = files("ctxtui") / "fleet" / "page"
# Rows shown before the tables load, and without JavaScript.
_MOST: Final = {
    "most_charts": 8,
    "most_steps": 6,
    "most_grown": 8,
    "most_texts": 10,
    "most_worst": 25,
    "most_secrets": 50,
    "most_failures": 20,
    "most_names": 12,
}


def short(text: str) -> str:
    """Untrusted text as one line of limited length, with control and invisible characters shown."""
    return short_line(text, _LONGEST)


def table_data(summary: Summary) -> str:
    """The rows of all tables as text for a script element that `page.js` reads."""
    agents = [each.agent for each in summary.starts]
    rules = [each.rule for each in summary.rules]
    data = {
        "hasBefore": summary.before is not None,
        "agents": [short(agent) for agent in agents],
        "rules": [
            {
                "rule": short(each.rule),
                "title": short(each.title),
                "about": each.about,
                "severity": SEVERITIES.index(each.severity),
                "repositories": each.repositories,
                "findings": each.findings,
                "tokens": each.tokens,
            }
            for each in summary.rules
        ],
        "repositories": list(_repositories(summary, agents, rules)),
        "secrets": [
            (short(each.repository), short(each.path), each.line, SEVERITIES.index(each.severity))
            for each in summary.secrets
        ],
        "texts": [
            {
                "head": short(each.first_words),
                "tokens": each.tokens,
                "repositories": each.repositories,
                "files": each.files,
                "atStart": each.at_start,
                "paidIn": each.paid_in,
                "isWhole": each.whole,
                "dollars": None if each.dollars is None else round(float(each.dollars), 2),
                "places": [[short(name), short(path), line] for name, path, line in each.places],
            }
            for each in summary.texts.texts
        ],
        "breaches": [
            (short(each.repository), short(f"{each.name} {each.path}".strip()), each.judged, each.allowed)
            for each in (summary.verdict.breaches if summary.verdict else ())
        ],
        "hasPrices": summary.texts.dollars is not None,
    }
    return embedded(data)


def embedded(data: object) -> str:
    """JSON that cannot end its script element."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPED)


def _repositories(summary: Summary, agents: list[str], rules: list[str]) -> Iterator[tuple[Any, ...]]:
    """The repositories, worst first, which is the order of ties in sorted tables."""
    places = {agent: place for place, agent in enumerate(agents)}
    ranks = {rule: rank for rank, rule in enumerate(rules)}
    found: dict[str, list[Counted]] = {}
    for count in summary.counts:
        found.setdefault(count.repository, []).append(count)
    for row in summary.worst:
        kept = row.kept
        yield (
            short(kept.name),
            short(kept.place),
            short(kept.commit[:12]),
            short(kept.error),
            kept.files,
            kept.tokens,
            row.change,
            [(places[each.agent], each.start) for each in row.agents],
            [
                (ranks[each.rule], SEVERITIES.index(each.severity), each.findings, each.tokens)
                for each in found.get(kept.name, ())
            ],
        )


class Bar(NamedTuple):
    """A bar: `x` and `width` in percent, `y` and `height` in pixels. `over` if it is beyond the limit."""

    x: float
    width: float
    y: float
    height: float
    told: str
    over: bool


class Chart(NamedTuple):
    """The bars of one agent. `median`, `p90` and `limit` are percents of the width, `limit` None without one."""

    starts: StartDistribution
    bars: tuple[Bar, ...]
    median: float
    p90: float
    limit: float | None
    told: str


class Tick(NamedTuple):
    """A label on the shared scale. `x` is its position in percent, `anchor` its `text-anchor` in SVG."""

    x: float
    label: str
    anchor: str


def chart(starts: StartDistribution) -> Chart:
    bins = starts.bins
    median, p90 = (round(100 * position(each, bins), 2) for each in (starts.median, starts.p90))
    limit = None if starts.limit is None else round(100 * position(starts.limit, bins), 2)
    where = plural(starts.repositories, "repository")
    told = (
        f"{plain_line(starts.agent)}: {where}, median {starts.median:,} tokens, nine in ten have at most"
        f" {starts.p90:,}, the largest {starts.largest:,}"
    )
    return Chart(starts, tuple(_bars(starts)), median, p90, limit, told)


def ticks(bins: Sequence[Bin]) -> tuple[Tick, ...]:
    """The powers of ten on the scale, or its ends if there are fewer than two."""
    edges = [bins[0].least, *(each.below for each in bins)] if bins else []
    shown = [edge for edge in edges if str(edge).rstrip("0") == "1"]
    if len(shown) < 2:
        shown = [*edges[:1], *edges[-1:]]
    return tuple(_tick(edge, edges) for edge in shown)


def _tick(edge: int, edges: Sequence[int]) -> Tick:
    share = edges.index(edge) / (len(edges) - 1)
    return Tick(round(100 * share, 2), _label(edge), "start" if share == 0 else "end" if share == 1 else "middle")


def _bars(starts: StartDistribution) -> Iterator[Bar]:
    bins = starts.bins
    most = max(each.repositories for each in bins)
    width = 100 / len(bins)
    for place, each in enumerate(bins):
        if each.repositories:
            height = max(round(HEIGHT * each.repositories / most, 1), _LEAST)
            told = f"{each.least:,} to {each.below - 1:,} tokens: {plural(each.repositories, 'repository')}"
            is_over = starts.limit is not None and each.least > starts.limit
            x = round(width * (place + _GAP / 2), 2)
            yield Bar(x, round(width * (1 - _GAP), 2), round(HEIGHT - height, 1), height, told, is_over)


def _label(number: int) -> str:
    """A round number for a scale: `500`, `20k`, `1.5M`."""
    for unit, letter in _SHORT:
        if number >= unit:
            return f"{number / unit:g}{letter}"
    return str(number)


class Figure(NamedTuple):
    """A key figure: subject, number with unit, and details. `tone` is bad, good or empty."""

    what: str
    value: str
    unit: str
    more: str
    tone: str = ""


def page(summary: Summary) -> str:
    """The page of a run as one HTML document that loads nothing and runs only its own script.

    Texts of repositories are escaped, and control and invisible characters are shown.
    """
    style, script = (_package_text(name) for name in ("page.css", "page.js"))
    charts = [chart(each) for each in summary.starts]
    return (
        _environment()
        .from_string(_package_text("page.html"))
        .render(
            s=summary,
            title=f"Context of {plural(len(summary.rows), 'repository')}",
            figures=list(_figures(summary)),
            charts=charts,
            ticks=ticks(charts[0].starts.bins) if charts else (),
            moved=list(other_changes(summary.change)) if summary.change else [],
            exceptions=list(verdict_lines(replace(summary.verdict, breaches=()))) if summary.verdict else [],
            policy=Markup(_policy(style, script)),  # noqa: S704 - of this package, as the next two
            style=Markup(style),  # noqa: S704
            script=Markup(script),  # noqa: S704
            data=Markup(table_data(summary)),  # noqa: S704 - escaped for where it is
            **_MOST,
        )
    )


def _package_text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _environment() -> Environment:
    environment = Environment(
        autoescape=True, finalize=_harmless, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "number": lambda number: f"{number:,}",
        "signed": signed,
        "noun": noun,
        "spoken": lambda severity: SPOKEN.get(severity, severity),
        "day": _day,
        "dollars": lambda amount: f"{amount:,.2f}",
        "stake": _stake_sentence,
    }
    return environment


def _harmless(value: object) -> object:
    """Sanitize printed values: foreign text becomes one line, with control and invisible characters shown."""
    return short(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _policy(style: str, script: str) -> str:
    """A content security policy that allows only the page's own style and script."""
    parts = ("default-src 'none'", f"style-src '{_policy_digest(style)}'", f"script-src '{_policy_digest(script)}'")
    return "; ".join((*parts, "img-src data:", "base-uri 'none'", "form-action 'none'"))


def _policy_digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _figures(summary: Summary) -> Iterator[Figure]:
    """The key figures. Those about growth, limits and shared texts only if the run has them."""
    yield Figure("Repositories", f"{len(summary.rows):,}", "", _coverage(summary), "")
    most = f"9 in 10 repositories have at most {summary.p90_start:,}"
    told = "; ".join(filter(None, (most, summary.without_start)))
    yield Figure("Median start", f"{summary.median_start:,}", noun(summary.median_start, "token"), told)
    if summary.before is not None:
        tone = "bad" if summary.growth > 0 else "good" if summary.growth < 0 else ""
        changed = f"{plural(len(summary.grown), 'start')} grew, {summary.shrunk:,} shrank"
        what = f"All starts since run {summary.before.id}"
        yield Figure(what, signed(summary.growth), noun(summary.growth, "token"), changed, tone)
    saved = sum(each.tokens for each in summary.savings)
    most = f"at most; first: {summary.savings[0].title}" if summary.savings else "no finding saves any"
    yield Figure("Could be saved", f"{saved:,}", noun(saved, "token"), most)
    if summary.verdict is not None:
        tone = "bad" if summary.breaking else "good"
        yield Figure("Over the limits", f"{summary.breaking:,}", noun(summary.breaking, "repository"), "", tone)
    texts = summary.texts
    if texts.count:
        paid = f"{plural(texts.at_start, 'token')} at all starts"
        price = f", ${texts.dollars:,.2f} for 1,000 starts" if texts.dollars is not None else ""
        yield Figure("Texts in several places", f"{texts.count:,}", "", f"{paid}{price}")
    secret = summary.secret_total
    if secret is None:
        yield Figure("Secrets", "0", "", "none found", "good")
    else:
        yield Figure("Secrets", f"{secret.findings:,}", "", f"in {plural(secret.repositories, 'repository')}", "bad")


def _coverage(summary: Summary) -> str:
    """The numbers of repositories not audited and without agents, in words."""
    bare = len(summary.audited) - summary.with_agents
    parts = [f"{summary.failed:,} not audited"] if summary.failed else ["all audited"]
    return ", ".join([*parts, *([f"{bare:,} without agents"] if bare else [])])


def signed(number: int) -> str:
    """A number with its sign, a real minus. Zero has none."""
    return f"{number:+,}".replace("-", "−") if number else "0"


def _stake_sentence(total: RuleTotal) -> str:
    told = at_stake(total)
    return f"{told[0].upper()}{told[1:]}. {total.about}" if told else total.about


def _day(time: str) -> str:
    """The day of a time, or the unchanged text if it is invalid."""
    try:
        read = datetime.fromisoformat(time)
    except ValueError:
        return time
    return f"{read.day} {read:%B %Y}, {read:%H:%M} UTC"
