"""Recipes named on the command line: if one does not exist, where it was looked for and which folder has it."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ctxtui.core.errors import ContextError, NotFound
from ctxtui.core.files.open_at import exists
from ctxtui.session.recipe import FOLDER, recipe_path

Found = TypeVar("Found")


def looking_for(name: str, root: Path, load: Callable[[], Found]) -> Found:
    """What `load` reads for a recipe of the project at `root`.

    A NotFound says where the recipe was looked for; if a folder above has one, how to name that.
    """
    try:
        return load()
    except NotFound as error:
        try:
            file = recipe_path(name)
        except ContextError:
            # A path of the user's own.
            raise error from None
        above = next((folder for folder in root.parents if exists(folder / file)), None)
        hint = error.hint if above is None else f"{above} has it: name the project with -C {shlex.quote(str(above))}"
        raise NotFound(f"{error.message} in {root / FOLDER}", hint=hint) from error
