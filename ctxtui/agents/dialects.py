"""The dialects of frontmatter, imports and globs, by the names in `dialects.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from ctxtui.agents.frontmatter import MENDINGS
from ctxtui.agents.types import GlobDialect, Grammar, Reading
from ctxtui.core.data.schema import Place, Reader, choice, day, filled, flag, read

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


def dialect_of(kind: str) -> Reader:
    """Reads the name of a dialect of a kind (frontmatter, imports, globs) as what it stands for."""

    def named(place: Place, value: Any) -> Any:
        known = _dialects()[kind]
        return known[choice(*known)(place, value)]

    return named


@cache
def _dialects() -> Mapping[str, Mapping[str, Any]]:
    # Read for the table of the program, which is kept, and for a user's own.
    import importlib.resources  # noqa: PLC0415

    from ctxtui.core.data.yaml import load_own_yaml  # noqa: PLC0415

    text = importlib.resources.files(__package__).joinpath("dialects.yaml").read_text(encoding="utf-8")
    place = Place.named("dialects.yaml")
    return {
        kind: {name: _made(kind, entry, place.at(kind, name)) for name, entry in entries.items()}
        for kind, entries in load_own_yaml(text).items()
    }


def _made(kind: str, entry: Mapping[str, Any], place: Place) -> Any:
    make, keys = _KEYS[kind]
    fields = read(place, entry, {**keys, **_ABOUT})
    return make(**{key: value for key, value in fields.items() if key not in _ABOUT})
