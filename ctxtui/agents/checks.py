"""Checks of the keys of agents, rows, cases and limits."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Any, Final, get_type_hints

from ctxtui.agents.loads import GlobDialect
from ctxtui.agents.moments import FORMS
from ctxtui.agents.project.frontmatter import MENDINGS
from ctxtui.agents.types import MOMENTS, Agent, Case, Fixed, Grammar, Limit, Reading, Row, Switch, Uncounted, Verified
from ctxtui.core.text.data.schema import Place, Reader, choice, day, filled, flag, many, number, read, table, text

PLACES = ("root", "up", "down", "any", "home", "package")
CONSEQUENCES = ("note", "warn", "drop", "cut", "cut_line", "pointer", "shorten", "names")
STRIPPED = ("frontmatter", "comments", "space")
UNITS = ("bytes", "chars", "lines", "tokens", "folders", "patterns", "percent_of_window", "percent_of_window_chars")

_TEXTS = many(filled, "a list of strings")
_BY_TYPE: Final[Mapping[Any, Reader]] = {
    str: filled,
    bool: flag,
    int: number,
    date: day,
    date | None: day,
    tuple[str, ...]: _TEXTS,
    Mapping[str, str]: table(text),
    Mapping[str, tuple[str, ...]]: table(_TEXTS),
}


def readers(kind: type, *without: str, **special: Reader) -> dict[str, Reader]:
    """For each field of a type, except those in `without`, its reader in `special`, else one by the field's type."""
    types = {name: each for name, each in get_type_hints(kind).items() if name not in without}
    return {name: special.get(name) or _BY_TYPE[each] for name, each in types.items()}


def reader_of(kind: type, keys: Mapping[str, Reader], *required: str) -> Reader:
    """A reader that turns a table into a `kind`. `keys` has a reader for each key. `required` keys must be there.

    The reader raises ContextError with the place of the problem, as all readers here do.
    """
    return lambda place, value: kind(**read(place, value, keys, *required))


_BROKEN: Final = choice("lines", "ignore", "drop")
_MENDS: Final = choice(*MENDINGS)
_ABOUT: Final[Mapping[str, Reader]] = {"note": filled, "src": filled, "checked": day}
_KEYS: Final[Mapping[str, tuple[Any, Mapping[str, Reader]]]] = {
    "frontmatter": (
        Reading,
        {
            "broken": _BROKEN,
            "mends": _MENDS,
            "mark": choice("unknown", "stripped", "kept"),
            "repeated": choice("last", "first", "broken", "broken_if_read"),
            "values": choice("any", "scalars", "texts_or_dates", "texts"),
        },
    ),
    "imports": (Grammar, readers(Grammar, code=choice("markdown", "backticks"))),
    "globs": (GlobDialect, readers(GlobDialect)),
}
PACKAGED: Final = Place.named("agents.yaml")


@cache
def packaged_yaml() -> dict[str, Any]:
    """The packaged table as written: `dialects` and `agents`."""
    # Needed only for an uncached packaged table and for a user's own table.
    import importlib.resources  # noqa: PLC0415

    from ctxtui.core.text.data.yaml import load_own_yaml  # noqa: PLC0415

    text = importlib.resources.files(__package__).joinpath("agents.yaml").read_text(encoding="utf-8")
    table: dict[str, Any] = load_own_yaml(text)
    return table


@cache
def _dialects() -> Mapping[str, Mapping[str, Any]]:
    place = PACKAGED.at("dialects")
    return {
        kind: {name: _dialect(kind, entry, place.at(kind, name)) for name, entry in entries.items()}
        for kind, entries in packaged_yaml()["dialects"].items()
    }


def _dialect(kind: str, entry: Mapping[str, Any], place: Place) -> Any:
    make, keys = _KEYS[kind]
    fields = read(place, entry, {**keys, **_ABOUT})
    return make(**{key: value for key, value in fields.items() if key not in _ABOUT})


def _dialect_reader(kind: str) -> Reader:

    def resolve(place: Place, value: Any) -> Any:
        known = _dialects()[kind]
        return known[choice(*known)(place, value)]

    return resolve


def _cases(place: Place, value: Any) -> tuple[Case, ...]:
    if isinstance(value, str):
        return (Case("", choice(*MOMENTS)(place, value)),)
    if not isinstance(value, list) or not value:
        raise place.should_be("a moment or a list of cases", value, f"one of {', '.join(MOMENTS)}")
    return many(_case)(place, value)


def _case(place: Place, value: object) -> Case:
    case = read(place, value, {"if": filled, "load": choice(*MOMENTS)}, "load")
    return Case(case.get("if", ""), case["load"])


def _configuration_key(place: Place, value: object) -> str:
    written = filled(place, value)
    file, _, key = written.partition("#")
    if not (file and key):
        raise place.wrong("should name a file and a key in it", '".mine/settings.json#files"')
    return written


def _configurations(place: Place, value: object) -> tuple[str, ...]:
    return many(_configuration_key, "a list of strings")(place, [value] if isinstance(value, str) else value)


def _pair(place: Place, value: object) -> tuple[str, ...]:
    texts = _TEXTS(place, value)
    if len(texts) != 2:
        raise place.wrong("should be two names: a plugin's manifest and a list of plugins")
    return texts


def _forms(place: Place, value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise place.should_be("a table of keys and forms", value, f"forms: {', '.join(FORMS)}")
    return read(place, value, dict.fromkeys(map(str, value), choice(*FORMS)))


_LINKS: Final = choice("each", "once", "text", "named")
_VERIFIED: Final = reader_of(
    Verified, readers(Verified, by=choice("capture", "source", "documentation", "report")), "by", "day"
)
_FIXED: Final = reader_of(Fixed, readers(Fixed, "is_captured"), "what", "tokens", "src", "day", "by")
LIMIT: Mapping[str, Reader] = readers(
    Limit, unit=choice(*UNITS), then=choice(*CONSEQUENCES), set_in=_configuration_key
)
AGENT: Mapping[str, Reader] = {
    "src": lambda place, value: (filled(place, value),) if isinstance(value, str) else _TEXTS(place, value),
    **readers(
        Agent,
        *("id", "sources", "rows", "servers", "is_wanted"),
        links=_LINKS,
        manifests=_pair,
        excluded_in=_configurations,
        installed_in=_configuration_key,
        enabled_in=_configurations,
        uncounted=many(reader_of(Uncounted, readers(Uncounted), "what"), "a list of tables"),
        fixed=many(_FIXED, "a list of tables"),
        verified=_VERIFIED,
        switches=many(
            reader_of(
                Switch, readers(Switch, what=choice("skill", "subagent", "server", "rule"), also=_configurations)
            ),
            "a list of tables",
        ),
    ),
}
ROW: Mapping[str, Reader] = {
    "not": _TEXTS,
    "broken": _BROKEN,
    "mends": _MENDS,
    "verbatim": flag,
    **readers(
        Row,
        "exclude",
        at=choice(*PLACES),
        pick=choice("all", "first", "name"),
        listed_in=_configurations,
        also_in=_configurations,
        instead_in=_configurations,
        unlisted_by=_configuration_key,
        part=choice("skills", "commands", "agents"),
        load=_cases,
        read_as=_dialect_reader("frontmatter"),
        globs_as=_dialect_reader("globs"),
        imports_as=_dialect_reader("imports"),
        takes=_forms,
        between=text,
        misnamed=choice("keep", "drop", "folder"),
        strip=many(choice(*STRIPPED), "a list of strings"),
        links=_LINKS,
        limits=many(reader_of(Limit, LIMIT, "of", "max", "unit", "effect"), "a list of tables"),
        after_compaction=choice("stays", "again", "gone"),
        verified=_VERIFIED,
    ),
}
