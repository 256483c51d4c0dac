"""What the keys of agents, rows, cases and limits may hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxtui.agents.types import MOMENTS, Case, Limit
from ctxtui.core.data.schema import Place, Reader, choice, day, filled, flag, many, number, read

PLACES = ("root", "up", "down", "any", "home")
CONSEQUENCES = ("note", "drop", "cut", "cut_line", "pointer", "shorten", "names")
STRIPPED = ("frontmatter", "comments", "space")
UNITS = ("bytes", "chars", "lines", "tokens", "folders", "patterns", "percent_of_window", "percent_of_window_chars")

_TEXTS = many(filled, "a list of texts")


def _cases(place: Place, value: Any) -> tuple[Case, ...]:
    if isinstance(value, str):
        return (Case("", choice(*MOMENTS)(place, value)),)
    if not isinstance(value, list) or not value:
        raise place.should_be("a moment or a list of cases", value, f"one of {', '.join(MOMENTS)}")
    return many(_case)(place, value)


def _case(place: Place, value: object) -> Case:
    case = read(place, value, {"if": filled, "load": choice(*MOMENTS)}, "load")
    return Case(case.get("if", ""), case["load"])


def _limit(place: Place, value: object) -> Limit:
    return Limit(**read(place, value, _LIMIT, "of", "max", "unit", "effect"))


AGENT: Mapping[str, Reader] = {
    "name": filled,
    "checked": day,
    "src": _TEXTS,
    "detect": _TEXTS,
    "links": choice("each", "once"),
}
ROW: Mapping[str, Reader] = {
    "id": filled,
    "kind": filled,
    "files": _TEXTS,
    "not": _TEXTS,
    "at": choice(*PLACES),
    "pick": choice("all", "first"),
    "listed_in": filled,
    "load": _cases,
    "broken": choice("lines", "ignore", "drop"),
    "needs": _TEXTS,
    "globs": _TEXTS,
    "meta": _TEXTS,
    "entry": filled,
    "paragraph": flag,
    "unique": flag,
    "strip": many(choice(*STRIPPED), "a list of texts"),
    "imports": number,
    "again": flag,
    "links": choice("each", "once"),
    "limits": many(_limit, "a list of tables"),
    "unless": _TEXTS,
    "unless_beside": _TEXTS,
    "common": flag,
    "note": filled,
    "src": filled,
    "checked": day,
}
_LIMIT: Mapping[str, Reader] = {
    "of": filled,
    "max": number,
    "unit": choice(*UNITS),
    "effect": filled,
    "hard": flag,
    "then": choice(*CONSEQUENCES),
    "otherwise": number,
}
