"""The rows of the page's tables as JSON in it: lists instead of objects, since there may be tens of thousands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from ctxtui.audit.types import SEVERITIES
from ctxtui.core.base.plain import plain_line
from ctxtui.fleet.results.findings import Counted
from ctxtui.fleet.summary import Summary

_LONGEST: Final = 300
# Characters that could end a script or begin a tag or a comment.
_ESCAPED: Final = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&'"}


def short(text: str) -> str:
    """Untrusted text in one line of bounded length, with what steers or hides text made visible."""
    line = plain_line(text)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def table_data(summary: Summary) -> str:
    """The rows of all tables as the text of a script element; `page.js` reads it."""
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
                "tokens": each.text.tokens,
                "repositories": each.text.repositories,
                "files": each.text.files,
                "atStart": each.text.at_start,
                "paidIn": each.text.paid_in,
                "isWhole": each.text.whole,
                "dollars": None if each.dollars is None else round(float(each.dollars), 2),
                "places": [[short(name), short(path), line] for name, path, line in each.text.places],
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
    """JSON that nothing in it can end, wherever in a document it is."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPED)


def _repositories(summary: Summary, agents: list[str], rules: list[str]) -> Iterator[tuple[Any, ...]]:
    """The repositories, the worst first: the order of rows that are equal in what a table is sorted by."""
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
