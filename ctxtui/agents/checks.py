"""Checks of the keys of agents, rows, cases and limits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from ctxtui.agents.frontmatter import MENDINGS
from ctxtui.agents.load_rule import FORMS
from ctxtui.agents.scope import GlobDialect
from ctxtui.agents.types import MOMENTS, Case, Fixed, Grammar, Limit, Reading, Uncounted, Verified
from ctxtui.core.text.data.schema import Place, Reader, choice, day, filled, flag, many, number, read, text

BROKEN: Final = choice("lines", "ignore", "drop")
MENDS: Final = choice(*MENDINGS)

_ABOUT: Final[Mapping[str, Reader]] = {"note": filled, "src": filled, "checked": day}
_KEYS: Final[Mapping[str, tuple[Any, Mapping[str, Reader]]]] = {
    "frontmatter": (
        Reading,
        {
            "broken": BROKEN,
            "mends": MENDS,
            "mark": choice("unknown", "stripped", "kept"),
            "repeated": choice("last", "first", "broken", "broken_if_read"),
            "values": choice("any", "scalars", "texts_or_dates", "texts"),
        },
    ),
    "imports": (
        Grammar,
        {
            "code": choice("markdown", "backticks"),
            **dict.fromkeys(("comments", "markup", "escapes", "part", "ascii"), flag),
            "begins": filled,
        },
    ),
    "globs": (GlobDialect, dict.fromkeys(GlobDialect._fields, flag)),
}

PLACES = ("root", "up", "down", "any", "home", "package")
CONSEQUENCES = ("note", "warn", "drop", "cut", "cut_line", "pointer", "shorten", "names")
STRIPPED = ("frontmatter", "comments", "space")
UNITS = ("bytes", "chars", "lines", "tokens", "folders", "patterns", "percent_of_window", "percent_of_window_chars")

_TEXTS = many(filled, "a list of strings")


def dialect_of(kind: str) -> Reader:
    """A reader that resolves the name of a dialect (frontmatter, imports, globs)."""

    def named(place: Place, value: Any) -> Any:
        known = _dialects()[kind]
        return known[choice(*known)(place, value)]

    return named


@cache
def _dialects() -> Mapping[str, Mapping[str, Any]]:
    # Needed only for an uncached packaged table and for a user's own table.
    import importlib.resources  # noqa: PLC0415

    from ctxtui.core.text.data.yaml import load_own_yaml  # noqa: PLC0415

    raw = importlib.resources.files(__package__).joinpath("dialects.yaml").read_text(encoding="utf-8")
    place = Place.named("dialects.yaml")
    return {
        kind: {name: _made(kind, entry, place.at(kind, name)) for name, entry in entries.items()}
        for kind, entries in load_own_yaml(raw).items()
    }


def _made(kind: str, entry: Mapping[str, Any], place: Place) -> Any:
    make, keys = _KEYS[kind]
    fields = read(place, entry, {**keys, **_ABOUT})
    return make(**{key: value for key, value in fields.items() if key not in _ABOUT})


def _cases(place: Place, value: Any) -> tuple[Case, ...]:
    if isinstance(value, str):
        return (Case("", choice(*MOMENTS)(place, value)),)
    if not isinstance(value, list) or not value:
        raise place.should_be("a moment or a list of cases", value, f"one of {', '.join(MOMENTS)}")
    return many(_case)(place, value)


def _case(place: Place, value: object) -> Case:
    case = read(place, value, {"if": filled, "load": choice(*MOMENTS)}, "load")
    return Case(case.get("if", ""), case["load"])


def _configuration(place: Place, value: object) -> str:
    written = filled(place, value)
    file, _, key = written.partition("#")
    if not (file and key):
        raise place.wrong("should name a file and a key in it", '".mine/settings.json#files"')
    return written


def _configurations(place: Place, value: object) -> tuple[str, ...]:
    return many(_configuration, "a list of strings")(place, [value] if isinstance(value, str) else value)


def _pair(place: Place, value: object) -> tuple[str, ...]:
    texts = _TEXTS(place, value)
    if len(texts) != 2:
        raise place.wrong("should be two names: a plugin's manifest and a list of plugins")
    return texts


def _forms(place: Place, value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise place.should_be("a table of keys and forms", value, f"forms: {', '.join(FORMS)}")
    return read(place, value, dict.fromkeys(map(str, value), choice(*FORMS)))


def _uncounted(place: Place, value: object) -> Uncounted:
    return Uncounted(**read(place, value, {"what": filled, "places": _TEXTS, "note": filled}, "what"))


def _fixed(place: Place, value: object) -> Fixed:
    keys = {**dict.fromkeys(("what", "src", "by", "version", "of"), filled), "tokens": number, "day": day}
    return Fixed(**read(place, value, keys, "what", "tokens", "src", "day", "by"))


def _verified(place: Place, value: object) -> Verified:
    keys = {"by": choice("capture", "source", "documentation", "report"), "day": day, "version": filled}
    return Verified(**read(place, value, keys, "by", "day"))


def _limit(place: Place, value: object) -> Limit:
    return Limit(**read(place, value, LIMIT, "of", "max", "unit", "effect"))


AGENT: Mapping[str, Reader] = {
    "name": filled,
    "checked": day,
    "src": _TEXTS,
    "detect": _TEXTS,
    "links": choice("each", "once", "text"),
    "window": number,
    "installable": flag,
    "manifests": _pair,
    "excluded_in": _configurations,
    "ignored_in": _TEXTS,
    "uncounted": many(_uncounted, "a list of tables"),
    "home": filled,
    "variable": filled,
    "installed_in": _configuration,
    "enabled_in": _configurations,
    "verified": _verified,
    "fixed": many(_fixed, "a list of tables"),
}
ROW: Mapping[str, Reader] = {
    "id": filled,
    "kind": filled,
    "files": _TEXTS,
    "not": _TEXTS,
    "at": choice(*PLACES),
    "pick": choice("all", "first", "name"),
    "listed_in": _configurations,
    "within": _TEXTS,
    "part": choice("skills", "commands", "agents"),
    "also_in": _configurations,
    "instead_in": _configurations,
    "load": _cases,
    "read_as": dialect_of("frontmatter"),
    "broken": BROKEN,
    "mends": MENDS,
    "needs": _TEXTS,
    "takes": _forms,
    "globs": _TEXTS,
    "globs_as": dialect_of("globs"),
    "meta": _TEXTS,
    "entry": filled,
    "between": text,
    "paragraph": flag,
    "body_lines": number,
    "one_line": flag,
    "first_line": flag,
    "escapes": flag,
    "joint": filled,
    "whole_globs": flag,
    "unique": flag,
    "misnamed": choice("keep", "drop", "folder"),
    "unlisted_by": _configuration,
    "strip": many(choice(*STRIPPED), "a list of strings"),
    "imports": number,
    "imports_inside": flag,
    "imports_as": dialect_of("imports"),
    "verbatim": flag,
    "varies": filled,
    "again": flag,
    "links": choice("each", "once", "text"),
    "limits": many(_limit, "a list of tables"),
    "unless": _TEXTS,
    "unless_beside": _TEXTS,
    "common": flag,
    "after_compaction": choice("stays", "again", "gone"),
    "in_subagents": flag,
    "since": filled,
    "per_project": flag,
    "git_only": flag,
    "note": filled,
    "src": filled,
    "checked": day,
    "verified": _verified,
}
LIMIT: Mapping[str, Reader] = {
    "of": filled,
    "max": number,
    "unit": choice(*UNITS),
    "effect": filled,
    "hard": flag,
    "then": choice(*CONSEQUENCES),
    "otherwise": number,
    "most": number,
    "own": number,
    "set_in": _configuration,
    "by": filled,
}
