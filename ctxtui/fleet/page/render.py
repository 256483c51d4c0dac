"""Renders the page: the figures as HTML, all rows as data for its tables, and a policy that forbids the network."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from importlib.resources import files
from typing import Final, NamedTuple

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from ctxtui.audit.types import SPOKEN
from ctxtui.core.base.wording import noun, plural
from ctxtui.fleet.judge import verdict_lines
from ctxtui.fleet.page.charts import chart, ticks
from ctxtui.fleet.page.data import short, table_data
from ctxtui.fleet.rule_totals import RuleTotal, at_stake
from ctxtui.fleet.since import moved
from ctxtui.fleet.summary import Summary

_FOLDER: Final = files("ctxtui") / "fleet" / "page"
# What is shown before the tables take over, and without JavaScript.
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


class Figure(NamedTuple):
    """A key figure: what it counts, the number with its unit, and what else to know; `tone` is bad, good or empty."""

    what: str
    value: str
    unit: str
    more: str
    tone: str = ""


def page(summary: Summary) -> str:
    """The page of a run as one HTML document, which loads nothing and runs no script but its own.

    Texts of repositories are escaped, and what steers or hides text in them is made visible.
    """
    style, script = (_part(name) for name in ("page.css", "page.js"))
    charts = [chart(each) for each in summary.starts]
    return (
        _environment()
        .from_string(_part("page.html"))
        .render(
            s=summary,
            title=f"Context of {plural(len(summary.rows), 'repository')}",
            figures=list(_figures(summary)),
            charts=charts,
            ticks=ticks(charts[0].starts.bins) if charts else (),
            moved=list(moved(summary.change)) if summary.change else [],
            exceptions=list(verdict_lines(replace(summary.verdict, breaches=()))) if summary.verdict else [],
            policy=Markup(_policy(style, script)),  # noqa: S704 - of this package, as the next two
            style=Markup(style),  # noqa: S704
            script=Markup(script),  # noqa: S704
            data=Markup(table_data(summary)),  # noqa: S704 - escaped for where it is
            **_MOST,
        )
    )


def _part(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _environment() -> Environment:
    environment = Environment(
        autoescape=True, finalize=_harmless, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "number": lambda number: f"{number:,}",
        "signed": signed,
        "noun": lambda count, one: noun(count, one),
        "spoken": lambda severity: SPOKEN.get(severity, severity),
        "day": _day,
        "dollars": lambda amount: f"{amount:,.2f}",
        "stake": lambda total: _sentence(total),
    }
    return environment


def _harmless(value: object) -> object:
    """What is printed: a text that is not this package's own in one line, with what steers or hides text visible."""
    return short(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _policy(style: str, script: str) -> str:
    """Only the style and the script of this page count, and nothing is loaded from anywhere."""
    parts = ("default-src 'none'", f"style-src '{_digest(style)}'", f"script-src '{_digest(script)}'")
    return "; ".join((*parts, "img-src data:", "base-uri 'none'", "form-action 'none'"))


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _figures(summary: Summary) -> Iterator[Figure]:
    yield Figure("Repositories", f"{len(summary.rows):,}", "", _not_audited(summary), "")
    yield Figure(
        "Median start",
        f"{summary.median_start:,}",
        noun(summary.median_start, "token"),
        f"9 in 10 repositories have at most {summary.p90_start:,}",
    )
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


def _not_audited(summary: Summary) -> str:
    bare = len(summary.audited) - summary.with_agents
    parts = [f"{summary.failed:,} not audited"] if summary.failed else ["all audited"]
    return ", ".join([*parts, *([f"{bare:,} without agents"] if bare else [])])


def signed(number: int) -> str:
    """A change with its sign, as people write it."""
    return f"{number:+,}".replace("-", "−") if number else "0"


def _sentence(total: RuleTotal) -> str:
    told = at_stake(total)
    return f"{told[0].upper()}{told[1:]}. {total.about}" if told else total.about


def _day(time: str) -> str:
    """A time of the results as people write it, or as it is if it cannot be read."""
    try:
        read = datetime.fromisoformat(time)
    except ValueError:
        return time
    return f"{read.day} {read:%B %Y}, {read:%H:%M} UTC"
