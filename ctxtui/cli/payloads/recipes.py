"""Errors for missing recipes: where a recipe was looked for, and which ancestor folder has it."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.disk.open_at import exists
from ctxtui.session.saved.recipe import FOLDER, recipe_path

Found = TypeVar("Found")


def looking_for(name: str, root: Path, load: Callable[[], Found]) -> Found:
    """The result of `load`. Its NotFound says where it looked, and how to name a recipe of an ancestor."""
    try:
        return load()
    except NotFound as error:
        try:
            file = recipe_path(name)
        except ContextError:
            # The user named a path.
            raise error from None
        above = next((folder for folder in root.parents if exists(folder / file)), None)
        hint = error.hint if above is None else f"{above} has it: name the project with -C {shlex.quote(str(above))}"
        raise NotFound(f"{error.message} in {root / FOLDER}", hint=hint) from error
