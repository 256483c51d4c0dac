"""The initial session, from a recipe or from the last selection."""

from __future__ import annotations

from dataclasses import dataclass

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.wording import plural
from ctxtui.session.saved.autosave import Autosave
from ctxtui.session.saved.recipe import Staleness, load_recipe, staleness
from ctxtui.session.selection import Selection
from ctxtui.session.session import Session


@dataclass(frozen=True, slots=True)
class Restored:
    """A session, its recipe and the version of the file, a message about it, and the changed picks."""

    session: Session
    recipe: str | None = None
    recipe_selection: Selection | None = None
    message: str = ""
    changed: frozenset[str] = frozenset()
    recipe_version: str = ""


def from_recipe(empty: Session, name: str) -> Restored:
    """The session of a saved recipe. Raises as `load_recipe` does."""
    recipe = load_recipe(empty.workspace, name)
    session = empty.with_selection(recipe.selection)
    now = staleness(recipe, empty.workspace)
    message = f"opened {name}: {plural(len(session.selection.written.picks), 'pick')}{_counts(now)}"
    return Restored(session, name, session.selection, message, frozenset(now.changed), recipe.version)


def from_last(empty: Session) -> Restored:
    """The session with the last saved selection of this project, or the empty session."""
    saved, damaged = Autosave(empty.workspace.root).restore()
    lost = f"the last selection could not be read; it is kept as {damaged[0]}" if damaged else ""
    selection = saved.recipe.selection if saved is not None else empty.selection
    if saved is None or not (selection.picks or selection.prompt or selection.tree):
        return Restored(empty, message=lost)
    session = empty.with_selection(selection)
    now = staleness(saved.recipe, empty.workspace, sparing=True)
    earlier = "an earlier selection: " if lost else ""
    picks = plural(len(session.selection.written.picks), "pick")
    message = f"restored {earlier}{picks}{_counts(now)} · press u to start with none"
    message += f"\n{lost}" if lost else ""
    as_saved = _as_saved(empty, saved.name)
    return Restored(session, saved.name, as_saved, message, frozenset(now.changed), saved.version)


def _as_saved(empty: Session, name: str | None) -> Selection | None:
    """The current selection of a recipe, to compare with the restored selection."""
    if name is None:
        return None
    try:
        return load_recipe(empty.workspace, name).selection
    except ContextError:
        return None


def _counts(now: Staleness) -> str:
    counts = {"changed": now.changed, "missing": now.missing, "not compared": now.unknown}
    return "".join(f", {len(ids):,} {word}" for word, ids in counts.items() if ids)
