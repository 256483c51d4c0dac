"""The first session of a run: from a recipe, or from the last selection, which is saved in the state folder."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.root import write_atomic
from ctxtui.core.disk.state_folder import next_numbered_path, numbered_files, state_folder
from ctxtui.session.assembly.templates import read_template
from ctxtui.session.saved.recipe import Staleness, load_recipe, staleness
from ctxtui.session.saved.recipe_yaml import Recipe, read_recipe, recipe_values, sparing_digest
from ctxtui.session.selection import Selection
from ctxtui.session.session import Session

_KEPT = 5
_ENDING = ".json"
_DAMAGED = ".damaged"


@dataclass(frozen=True, slots=True)
class Saved:
    """A saved selection, its recipe, and the version of the recipe's file at that time."""

    recipe: Recipe
    name: str | None
    version: str = ""


def dump_saved(session: Session, name: str | None, version: str = "") -> str:
    """A session's selection as one line of JSON, with the name of its recipe and the version of the recipe's file.

    Reads a limited number of picked files for their digests.
    """
    values = {
        "root": str(session.workspace.root),
        "recipe": name,
        "version": version,
        "selection": recipe_values(session, sparing_digest()),
    }
    return json.dumps(values, separators=(",", ":")) + "\n"


def parse_saved(text: str, place: str) -> Saved:
    """Read the result of `dump_saved`. Raises ContextError (invalid_request) naming `place`."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise invalid(f"{place}: {error}") from error
    selection = values.get("selection") if isinstance(values, dict) else None
    if not isinstance(selection, dict):
        raise invalid(f"{place}: this is not an autosaved selection")
    name, version = values.get("recipe"), values.get("version")
    return Saved(
        read_recipe(selection, place, text),
        name if isinstance(name, str) else None,
        version if isinstance(version, str) else "",
    )


class Autosave:
    """Saves this process's selection of a project to a file of its own. The newest file of all processes wins."""

    def __init__(self, root: Path) -> None:
        self._folder = state_folder("selections", root)
        self._file: Path | None = None

    def save(self, session: Session, name: str | None, version: str = "") -> None:
        """Write the selection atomically, with its recipe and the version of the recipe's file.

        It is then the newest file of all processes, even if the clock was set back. Raises ContextError
        (unavailable).
        """
        data = dump_saved(session, name, version).encode()
        before, others = self._file, self._newest_first()
        self._file = before if before and others[:1] == [before] else next_numbered_path(self._folder, _ENDING)
        write_atomic(self._file, data, mode=0o600)
        if before is not None and before != self._file:
            with suppress(OSError):
                before.unlink()

    def restore(self) -> tuple[Saved | None, list[Path]]:
        """The last readable selection of any process, or None, and the new paths of damaged newer files.

        Damaged files are renamed, so that they are reported once.
        """
        damaged: list[Path] = []
        seen: set[Path] = set()
        # Listed again each time, since other processes rename files.
        while file := next((each for each in self._newest_first() if each not in seen), None):
            seen.add(file)
            try:
                return parse_saved(file.read_text("utf-8"), str(file)), damaged
            except FileNotFoundError:
                continue
            except (OSError, ContextError, UnicodeDecodeError):
                damaged.append(_set_aside(file))
        return None, damaged

    def tidy(self) -> None:
        """Remove the selections of ended processes, except the five newest files."""
        for file in self._newest_first()[_KEPT:]:
            if file != self._file and not _is_used_elsewhere(file):
                with suppress(OSError):
                    file.unlink()

    def _newest_first(self) -> list[Path]:
        try:
            return numbered_files(self._folder, _ENDING)[::-1]
        except ContextError:
            return []


def _set_aside(file: Path) -> Path:
    aside = file.with_suffix(_DAMAGED)
    try:
        return file.rename(aside)
    except OSError:
        return file


def _is_used_elsewhere(file: Path) -> bool:
    """Whether the process in a file's name is another running process. On Windows, any other counts."""
    try:
        process = int(file.stem.partition("-")[2])
        if process == os.getpid():
            return False
        # On Windows the check of a process would end it.
        if os.name != "nt":
            os.kill(process, 0)
    except (ProcessLookupError, ValueError):
        return False
    except OSError:
        return True
    return True


@dataclass(frozen=True, slots=True)
class Restored:
    """The first session of a run, and a message about it.

    `recipe` is the name of its recipe, with the selection and the version that the file has. `changed` are the ids of
    picks whose documents have changed since the selection was saved.
    """

    session: Session
    recipe: str | None = None
    recipe_selection: Selection | None = None
    message: str = ""
    changed: frozenset[str] = frozenset()
    recipe_version: str = ""


def from_recipe(empty: Session, name: str) -> Restored:
    """The `empty` session with the selection of a saved recipe. Raises as `load_recipe` does."""
    recipe = load_recipe(empty.workspace, name)
    session = empty.with_selection(recipe.selection)
    now = staleness(recipe, empty.workspace)
    message = f"opened {name}: {plural(len(session.selection.written.picks), 'pick')}{_counts(now)}"
    return Restored(session, name, session.selection, message, frozenset(now.changed), recipe.version)


def from_last(empty: Session) -> Restored:
    """The `empty` session with the last selection of the project, as far as it can be read, else `empty` itself.

    Renames damaged selections, and reads a limited number of files to compare them. A template that is gone is left
    out. The message says all this, and is empty without a last selection.
    """
    saved, damaged = Autosave(empty.workspace.root).restore()
    lost = f"the last selection could not be read; it is kept as {damaged[0]}" if damaged else ""
    selection = saved.recipe.selection if saved is not None else empty.selection
    if saved is None or selection.is_empty:
        return Restored(empty, message=lost)
    session, gone = _with_template(empty.with_selection(selection))
    now = staleness(saved.recipe, empty.workspace, sparing=True)
    earlier = "an earlier selection: " if lost else ""
    picks = plural(len(session.selection.written.picks), "pick")
    message = f"restored {earlier}{picks}{_counts(now)} · press u to start with none"
    message += "".join(f"\n{each}" for each in (gone, lost) if each)
    as_saved = _recipe_selection(empty, saved.name)
    return Restored(session, saved.name, as_saved, message, frozenset(now.changed), saved.version)


def _with_template(session: Session) -> tuple[Session, str]:
    """The session, without its template if that cannot be read, and a sentence that says so, else ""."""
    which = session.selection.template
    if which is None:
        return session, ""
    try:
        read_template(session.workspace.reader.root, which)
    except ContextError as error:
        return session.with_template(None), f"{error.message}; the format is {session.selection.format} again"
    return session, ""


def _recipe_selection(empty: Session, name: str | None) -> Selection | None:
    """The selection that the recipe `name` holds now, to compare it. None without a name or if it cannot be read."""
    if name is None:
        return None
    try:
        return load_recipe(empty.workspace, name).selection
    except ContextError:
        return None


def _counts(now: Staleness) -> str:
    counts = {"changed": now.changed, "missing": now.missing, "not compared": now.unknown}
    return "".join(f", {len(ids):,} {word}" for word, ids in counts.items() if ids)
