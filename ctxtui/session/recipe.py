"""Recipes: selections saved in the project as YAML, rebuilt headlessly to the same bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ctxtui.core.errors import ContextError, NotFound
from ctxtui.core.notices import Notice
from ctxtui.core.root import write_atomic
from ctxtui.session.picks import Pick, QueryPick, SnippetPick
from ctxtui.session.recipe_yaml import UNKNOWN, Recipe, current_digest, dump_recipe, parse_recipe, sparing_digest
from ctxtui.session.session import Session
from ctxtui.workspace.workspace import Workspace, near

FOLDER = Path(".ctxtui") / "recipes"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def recipe_path(root: Path, name: str) -> Path:
    """The file of a recipe by its name; raises ContextError (invalid_request) for an unusable name."""
    if not _NAME.fullmatch(name):
        raise ContextError(
            "invalid_request", f"no name for a recipe: {name!r}", hint="use letters, digits, dots, dashes"
        )
    return root / FOLDER / f"{name}.yaml"


def recipe_names(root: Path) -> list[str]:
    """The recipes of a project, by name."""
    return sorted(path.stem for path in (root / FOLDER).glob("*.yaml") if _NAME.fullmatch(path.stem))


def save_recipe(session: Session, name: str) -> Path:
    """Write the selection as `.ctxtui/recipes/NAME.yaml`, whole or not at all."""
    path = recipe_path(session.workspace.root, name)
    write_atomic(path, dump_recipe(session).encode())
    return path


def load_recipe(workspace: Workspace, name: str) -> Recipe:
    """Read a recipe of the project, by name or by path.

    Raises NotFound where there is none, ContextError (invalid_request) naming file and line where it is
    damaged.
    """
    path = Path(name) if name.endswith((".yaml", ".yml")) else recipe_path(workspace.root, name)
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as error:
        names = recipe_names(workspace.root)
        hint = near(name, names) or (f"there are {', '.join(names)}" if names else "save one in the app with w")
        raise NotFound(f"no recipe {name}", hint=hint) from error
    except (OSError, UnicodeDecodeError) as error:
        raise ContextError("unavailable", f"{path} cannot be read: {error}") from error
    return parse_recipe(text, str(path))


@dataclass(frozen=True, slots=True)
class Staleness:
    """The picks of a recipe whose documents changed since it was saved, and what of them is gone."""

    changed: tuple[str, ...]
    missing: tuple[str, ...]
    # Picks whose files have not been counted and are too many to be read now.
    unknown: tuple[str, ...] = ()

    @property
    def notices(self) -> list[Notice]:
        """Both as notices."""
        gone = [Notice("missing", f"{id_} is gone or cannot be read; it is left out") for id_ in self.missing]
        return gone + [Notice("stale", f"{id_} has changed since it was saved") for id_ in self.changed]


def staleness(recipe: Recipe, workspace: Workspace, sparing: bool = False) -> Staleness:
    """What has changed or gone since a recipe was saved; `sparing` does not read thousands of files for it."""
    digest_of = sparing_digest() if sparing else current_digest
    changed: list[str] = []
    missing: list[str] = []
    unknown: list[str] = []
    for pick in recipe.selection.picks:
        if isinstance(pick, QueryPick):
            # Its result is meant to change.
            continue
        owner = pick.document if isinstance(pick, SnippetPick) else pick.id
        digest = digest_of(workspace, owner)
        if digest is None or digest == UNKNOWN:
            (missing if digest is None else unknown).append(pick.id)
            continue
        if isinstance(pick, Pick) and pick.marks:
            try:
                document = workspace.document(workspace.by_id[pick.id])
            except ContextError:
                missing.append(pick.id)
                continue
            missing += [f"{pick.id}#{slug}" for slug in pick.lost(document)]
        if recipe.digests.get(pick.id, digest) != digest:
            changed.append(pick.id)
    return Staleness(tuple(changed), tuple(missing), tuple(unknown))
