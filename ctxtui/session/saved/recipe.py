"""Recipes: selections saved in the project as YAML, rebuilt without the app to the same bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from ctxtui.core.base.digest import digest_of
from ctxtui.core.base.errors import ContextError, Gone, NotFound, invalid
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.target import Target
from ctxtui.core.base.times import time_of
from ctxtui.core.base.wording import near
from ctxtui.core.disk.content import Content
from ctxtui.core.disk.root import Root, read_file
from ctxtui.core.disk.state_folder import back_up
from ctxtui.core.text.data.bounds import DataProblem
from ctxtui.core.text.data.yaml import dump_yaml, load_yaml
from ctxtui.core.text.decode import diff
from ctxtui.core.text.markdown.document import Document
from ctxtui.session.picks import GlobPick, Pick, QueryPick, SnippetPick
from ctxtui.session.saved.recipe_yaml import (
    UNKNOWN,
    Recipe,
    current_digest,
    dump_recipe,
    parse_recipe,
    sparing_digest,
)
from ctxtui.session.session import Session
from ctxtui.workspace.resolve import why_missing
from ctxtui.workspace.workspace import Workspace

FOLDER = ".ctxtui/recipes"
_ENDINGS = (".yaml", ".yml")
# A name with an extension would be read as a path.
_NAME = re.compile(r"(?!.*\.ya?ml$)[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def recipe_path(name: str) -> str:
    """The file of a recipe below the project's root. Raises ContextError (invalid_request) for an invalid name."""
    if not _NAME.fullmatch(name):
        hint = "use letters, digits, dots, dashes, and no extension"
        raise invalid(f"not a name for a recipe: {name!r}", hint=hint)
    return f"{FOLDER}/{name}.yaml"


def recipe_names(root: Root) -> list[str]:
    """The recipes of a project, by name. Raises ContextError if their folder leads out or cannot be read."""
    names = (file.removesuffix(".yaml") for file in root.names(FOLDER) if file.endswith(".yaml"))
    return [name for name in names if _NAME.fullmatch(name)]


def recent_recipes(root: Root) -> list[tuple[str, datetime]]:
    """The recipes of a project with the times when they were saved, newest first. Raises as `recipe_names` does."""
    names = recipe_names(root)
    times: dict[str, float] = {}
    # Opening a recipe reports a file that vanishes meanwhile.
    with suppress(OSError, Gone), root.scanned(FOLDER) as entries:
        times = {each.name: each.stat(follow_symlinks=False).st_mtime for each in entries}
    saved = {name: time_of(times.get(f"{name}.yaml", 0)) for name in names}
    return sorted(saved.items(), key=lambda each: each[1], reverse=True)


@dataclass(frozen=True, slots=True)
class RecipeDraft:
    """A recipe to write: the file, its current content (None if it does not exist), and its next content."""

    path: str
    before: bytes | None
    after: bytes

    @property
    def version_after(self) -> str:
        return version_of(self.after)

    @property
    def change(self) -> str:
        """The change as a unified diff."""
        return diff(self.path, self.before, self.after)

    def reason_to_ask(self, opened: str | None) -> str | None:
        """The reason to ask before replacing the file, or None. `opened` is the version that was opened, if any."""
        if self.before is None or self.before == self.after:
            return None
        if opened is None:
            return "already exists"
        if version_of(self.before) != opened:
            return "was changed since it was opened here"
        return None if _is_as_written(self.before) else "was written by hand; its comments and layout will be lost"


@dataclass(frozen=True, slots=True)
class SavedRecipe:
    """The path of a recipe, and the path where the text that it replaced is kept, if any."""

    path: Path
    kept: Path | None = None


def draft_recipe(session: Session, name: str) -> RecipeDraft:
    """The selection as `.ctxtui/recipes/NAME.yaml`, not written yet. Reads the picked files for their digests.

    Raises as `recipe_path`, `dump_recipe` and `Root.read` do.
    """
    path = recipe_path(name)
    try:
        before = session.workspace.reader.root.read(path).data
    except Gone:
        before = None
    return RecipeDraft(path, before, dump_recipe(session).encode())


def save_recipe(session: Session, name: str, draft: RecipeDraft | None = None) -> SavedRecipe:
    """Write the selection or its draft atomically, and keep the replaced text in the state folder.

    Nothing is written if the file has this content. Raises as `Root.write` does, and ContextError (unavailable) if
    the file changed meanwhile.
    """
    root = session.workspace.reader.root
    draft = draft or draft_recipe(session, name)
    path, before, after = draft.path, draft.before, draft.after
    if before == after:
        return SavedRecipe(root.path / path)
    kept = None if before is None else back_up(root.path, f"{name}.yaml", before)
    if not (root.create(path, after) if before is None else root.exchange(path, before, after)):
        raise ContextError("unavailable", f"{path} was changed meanwhile", retryable=True, hint="save it again")
    return SavedRecipe(root.path / path, kept)


def version_of(data: bytes) -> str:
    return digest_of(data).hex()


def _is_as_written(data: bytes) -> bool:
    """Whether YAML is as we write it: without comments and layout that writing its values again would lose."""
    try:
        text = data.decode()
        return dump_yaml(load_yaml(text)[0]) == text.replace("\r\n", "\n")
    except (DataProblem, UnicodeDecodeError, TypeError):
        return False


def load_recipe(workspace: Workspace, name: str) -> Recipe:
    """The recipe of the project with a name, or in any file by a path that ends with `.yaml` or `.yml`.

    A path is relative to the current directory. Raises NotFound, and ContextError with file and line.
    """
    if name.endswith(_ENDINGS):
        return _read(name, workspace, lambda: read_file(Path(name)))
    path = recipe_path(name)
    return _read(name, workspace, lambda: workspace.reader.root.read(path), str(workspace.root / path))


def _read(name: str, workspace: Workspace, read: Callable[[], Content], place: str | None = None) -> Recipe:
    """The recipe in a file that `read` returns. Errors name the `place`, by default `name`."""
    try:
        data = read().data
        text = data.decode()
    except Gone as error:
        names = recipe_names(workspace.reader.root)
        hint = near(name, names) or (f"known: {', '.join(names)}" if names else "save one in the app with w")
        hint = f"a file is picked with --pick {name}" if workspace.find(name) else hint
        raise NotFound(f"no recipe {name}", hint=hint) from error
    except UnicodeDecodeError as error:
        raise ContextError("unavailable", f"{place or name} is not valid UTF-8", hint="save it as UTF-8") from error
    return replace(parse_recipe(text, place or name), version=version_of(data))


@dataclass(frozen=True, slots=True)
class Staleness:
    """The ids of a recipe's picks: documents `changed` since it was saved, or `missing` with the reason.

    `unknown` are picks of uncounted files that were too many to read.
    """

    changed: tuple[str, ...]
    missing: Mapping[str, str]
    unknown: tuple[str, ...] = ()

    @property
    def notices(self) -> list[Notice]:
        gone = [Notice("missing", f"{id_} {why}; it is left out") for id_, why in self.missing.items()]
        return gone + [Notice("stale", f"{id_} has changed since it was saved") for id_ in self.changed]


def _missing_parts(pick: Pick | SnippetPick, document: Document) -> list[str]:
    if isinstance(pick, Pick):
        return [str(Target(pick.id, slug)) for slug in pick.missing(document)]
    return [] if document.lines.text(document.text, pick.first, pick.last).strip() else [pick.id]


def staleness(recipe: Recipe, workspace: Workspace, sparing: bool = False) -> Staleness:
    """The changes of the picked documents since a recipe was saved. `sparing` limits the number of files read.

    Queries and patterns are left out, since their results are expected to change.
    """
    digest_now = sparing_digest() if sparing else current_digest
    changed: list[str] = []
    missing: list[str] = []
    unknown: list[str] = []
    for pick in recipe.selection.picks:
        if isinstance(pick, QueryPick | GlobPick):
            continue
        owner = pick.document if isinstance(pick, SnippetPick) else pick.id
        digest = digest_now(workspace, owner)
        if digest is None or digest == UNKNOWN:
            (missing if digest is None else unknown).append(pick.id)
            continue
        if isinstance(pick, SnippetPick) or pick.marks:
            try:
                document = workspace.document(workspace.by_id[owner])
            except ContextError:
                missing.append(pick.id)
                continue
            missing += _missing_parts(pick, document)
        if recipe.digests.get(pick.id, digest) != digest:
            changed.append(pick.id)
    whys = {id_: why_missing(workspace, id_) for id_ in missing}
    return Staleness(tuple(changed), whys, tuple(unknown))
