"""What the keys of agents, rows, cases and limits may hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from difflib import get_close_matches
from typing import Any, NoReturn

from ctxtui.agents.types import MOMENTS, Case, Limit, Uncounted
from ctxtui.core.errors import ContextError

PLACES = ("root", "up", "down", "any", "home", "package")
CONSEQUENCES = ("note", "drop", "cut", "cut_line", "pointer", "shorten", "names")
STRIPPED = ("frontmatter", "comments", "space")
UNITS = ("bytes", "chars", "lines", "tokens", "folders", "patterns", "percent_of_window", "percent_of_window_chars")

Check = Callable[[str, Any], Any]
"""Takes the place of a value, for messages, and the value; gives what a field holds, or refuses."""


def checked(place: str, entry: Mapping[str, Any], checks: Mapping[str, Check]) -> dict[str, Any]:
    """The fields of an entry; raises ContextError naming an unknown key and the nearest known one."""
    fields = {}
    for key, value in entry.items():
        if key not in checks:
            refuse(place, f"unknown key `{key}`", _nearest(key, checks))
        fields[key] = checks[key](f"{place}: `{key}`", value)
    return fields


def require(place: str, fields: Mapping[str, Any], *keys: str) -> None:
    """Raises ContextError where a key is missing."""
    missing = [key for key in keys if key not in fields]
    if missing:
        refuse(place, f"has no `{missing[0]}`")


def refuse(place: str, message: str, hint: str | None = None) -> NoReturn:
    """Raises the ContextError (invalid_request) of this package's data."""
    raise ContextError("invalid_request", f"{place} {message}", hint=hint)


def tables(place: str, value: Any) -> Sequence[Mapping[str, Any]]:
    """A list of tables, each with an id."""
    if not isinstance(value, list) or not all(isinstance(each, Mapping) and "id" in each for each in value):
        refuse(place, "should be a list of tables, each with an `id`")
    return value


def flag(place: str, value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        refuse(place, "should be true or false")
    return value


def _nearest(word: Any, known: Iterable[str]) -> str:
    words = list(known)
    close = get_close_matches(str(word), words, n=1, cutoff=0.5)
    return f"did you mean `{close[0]}`?" if close else f"one of {', '.join(words)}"


def _text(place: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        refuse(place, "should be a text")
    return value


def _texts(place: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        refuse(place, "should be a list of texts")
    return tuple(value)


def _configuration(place: str, value: Any) -> str:
    text = _text(place, value)
    if not all(text.partition("#")[::2]):
        refuse(place, "should name a file and a key in it", '".mine/settings.json#files"')
    return text


def _configurations(place: str, value: Any) -> tuple[str, ...]:
    texts = _texts(place, [value] if isinstance(value, str) else value)
    return tuple(_configuration(place, text) for text in texts)


def _pair(place: str, value: Any) -> tuple[str, ...]:
    texts = _texts(place, value)
    if len(texts) != 2:
        refuse(place, "should be two names: a plugin's manifest and a list of plugins")
    return texts


def _number(place: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        refuse(place, "should be a whole number")
    return value


def _day(place: str, value: Any) -> date:
    # TOML has dates of its own; YAML is read with them as texts.
    if type(value) is date:
        return value
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        refuse(place, "should be a date", "checked = 2026-11-01")


def _word(*known: str) -> Check:
    def check(place: str, value: Any) -> str:
        if value not in known:
            refuse(place, f"cannot be {value!r}", _nearest(value, known))
        return str(value)

    return check


def _words(*known: str) -> Check:
    each = _word(*known)
    return lambda place, value: tuple(each(place, word) for word in _texts(place, value))


def _cases(place: str, value: Any) -> tuple[Case, ...]:
    if isinstance(value, str):
        return (Case("", _word(*MOMENTS)(place, value)),)
    if not isinstance(value, list) or not value or not all(isinstance(case, Mapping) for case in value):
        refuse(place, "should be a moment or a list of cases", f"one of {', '.join(MOMENTS)}")
    cases = [checked(place, case, {"if": _text, "load": _word(*MOMENTS)}) for case in value]
    for case in cases:
        require(place, case, "load")
    return tuple(Case(case.get("if", ""), case["load"]) for case in cases)


def _uncounted(place: str, value: Any) -> tuple[Uncounted, ...]:
    if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
        refuse(place, "should be a list of tables")
    parts = [checked(place, each, {"what": _text, "places": _texts, "note": _text}) for each in value]
    for fields in parts:
        require(place, fields, "what")
    return tuple(Uncounted(**fields) for fields in parts)


def _limits(place: str, value: Any) -> tuple[Limit, ...]:
    if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
        refuse(place, "should be a list of tables")
    limits = [checked(place, each, LIMIT) for each in value]
    for fields in limits:
        require(place, fields, "of", "max", "unit", "effect")
    return tuple(Limit(**fields) for fields in limits)


AGENT: Mapping[str, Check] = {
    "name": _text,
    "checked": _day,
    "src": _texts,
    "detect": _texts,
    "links": _word("each", "once", "text"),
    "window": _number,
    "installable": flag,
    "manifests": _pair,
    "excluded_in": _configurations,
    "uncounted": _uncounted,
}
ROW: Mapping[str, Check] = {
    "id": _text,
    "kind": _text,
    "files": _texts,
    "not": _texts,
    "at": _word(*PLACES),
    "pick": _word("all", "first", "name"),
    "listed_in": _configurations,
    "within": _texts,
    "part": _word("skills", "commands", "agents"),
    "also_in": _configurations,
    "instead_in": _configurations,
    "load": _cases,
    "broken": _word("lines", "ignore", "drop"),
    "needs": _texts,
    "globs": _texts,
    "meta": _texts,
    "entry": _text,
    "paragraph": flag,
    "one_line": flag,
    "unique": flag,
    "misnamed": _word("keep", "drop", "folder"),
    "unlisted_by": _configuration,
    "strip": _words(*STRIPPED),
    "imports": _number,
    "again": flag,
    "links": _word("each", "once", "text"),
    "limits": _limits,
    "unless": _texts,
    "unless_beside": _texts,
    "common": flag,
    "after_compaction": _word("stays", "again", "gone"),
    "in_subagents": flag,
    "since": _text,
    "note": _text,
    "src": _text,
    "checked": _day,
}
LIMIT: Mapping[str, Check] = {
    "of": _text,
    "max": _number,
    "unit": _word(*UNITS),
    "effect": _text,
    "hard": flag,
    "then": _word(*CONSEQUENCES),
    "otherwise": _number,
    "set_in": _configuration,
}
