"""The text of an autosave: a selection as one line of JSON, which takes a tenth of the time of YAML."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ctxtui.core.errors import ContextError
from ctxtui.session.recipe_yaml import Recipe, read_recipe, recipe_values, sparing_digest
from ctxtui.session.session import Session


@dataclass(frozen=True, slots=True)
class Saved:
    """An earlier selection, the recipe it came from or was saved as, and the version of that file then."""

    recipe: Recipe
    name: str | None
    version: str = ""


def dump_saved(session: Session, name: str | None, version: str = "") -> str:
    """The text of a session's selection and its recipe."""
    values = {
        "root": str(session.workspace.root),
        "recipe": name,
        "version": version,
        "selection": recipe_values(session, sparing_digest()),
    }
    return json.dumps(values, separators=(",", ":")) + "\n"


def parse_saved(text: str, place: str) -> Saved:
    """Reads what `dump_saved` wrote; raises ContextError (invalid_request) for anything else, naming `place`."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ContextError("invalid_request", f"{place}: {error}") from error
    selection = values.get("selection") if isinstance(values, dict) else None
    if not isinstance(selection, dict):
        raise ContextError("invalid_request", f"{place}: this is not an autosaved selection")
    name, version = values.get("recipe"), values.get("version")
    return Saved(
        read_recipe(selection, place, text),
        name if isinstance(name, str) else None,
        version if isinstance(version, str) else "",
    )
