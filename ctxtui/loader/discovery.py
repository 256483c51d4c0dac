"""Finds the context directory that belongs to a folder (loader specification 2)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.base.notices import Notice, OnNotice, log_notice
from ctxtui.core.disk.open_at import exists, is_folder
from ctxtui.core.disk.root import Root
from ctxtui.core.tokens.arguments import a_path
from ctxtui.loader.types import CONTEXT_DIR, SUFFIX, is_context_name

PARENTS = 5


class ContextNotFound(NotFound):
    """The discovery rules found no context directory. `looked` names the searched folders."""

    def __init__(self, message: str, looked: Sequence[Path] = (), hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.looked = tuple(looked)


@dataclass(frozen=True, slots=True)
class ContextPlace:
    """A context directory, and the root that bounds what is read: its repository, else the folder it is in."""

    root: Root
    directory: Path
    name: str

    def names(self) -> list[str]:
        """The names of the top-level Markdown files, without extension, in no order.

        Raises ContextError (unauthorized, unavailable) if the directory cannot be listed.
        """
        try:
            with os.scandir(self.directory) as entries:
                listed = [each.name for each in entries if is_context_name(each.name) and not is_folder(each)]
                return [name.removesuffix(SUFFIX) for name in listed]
        except PermissionError as error:
            raise ContextError("unauthorized", f"no permission to read {self.directory}") from error
        except OSError as error:
            raise ContextError("unavailable", f"{self.directory} cannot be read: {error.strerror}") from error

    def path(self, name: str) -> str:
        """The path relative to the root of the file with this name, given without `.md`."""
        return (self.directory / f"{name}{SUFFIX}").relative_to(self.root.path).as_posix()

    def shown(self, name: str) -> str:
        """The path of a file as notices show it."""
        return f"{self.name}/{name}{SUFFIX}"


def has_context(root_dir: str | os.PathLike[str]) -> bool:
    """Whether `load_context` would find a `.context` directory (loader specification 1.4).

    Raises TypeError for anything but a path.
    """
    a_path(root_dir, "root_dir")
    try:
        find_context(root_dir, on_notice=lambda _notice: None)
    except ContextNotFound:
        return False
    return True


def find_context(
    root_dir: str | os.PathLike[str] | None = None, name: str = CONTEXT_DIR, on_notice: OnNotice = log_notice
) -> ContextPlace:
    """Find the context directory of a folder, in it or one of five parents up to a `.git` boundary.

    A directory that leads out of its repository is skipped with a notice. Raises ContextNotFound.
    """
    looked = []
    for level in _levels(root_dir):
        looked.append(level)
        if exists(level / name) and (place := _place(level, name, on_notice)):
            return place
        if exists(level / ".git"):
            break
    hint = f"make a folder `{name}` with CONSTITUTION.md, TASKS.md in it, or name another project"
    raise ContextNotFound(f"no `{name}` directory in {', '.join(map(str, looked))}", looked, hint)


def _levels(root_dir: str | os.PathLike[str] | None) -> list[Path]:
    """The real folder and its five nearest parents. Raises ContextNotFound if it is not a folder."""
    try:
        start = Path(os.path.realpath(root_dir or "."))
    except (OSError, ValueError):
        start = Path(root_dir or ".")
    if not is_folder(start):
        raise ContextNotFound(f"{start} is not a folder", (start,), "name the folder of a project")
    return [start, *start.parents][: PARENTS + 1]


def _place(level: Path, name: str, on_notice: OnNotice) -> ContextPlace | None:
    """The context directory of a folder. None with a notice for a file, and for a link out of the repository."""
    root = Root(next((each for each in _levels(level) if exists(each / ".git")), level))
    try:
        directory = root.resolve((level / name).as_posix())
    except ContextError:
        message = "the context directory leads out of the project; it is not read"
        on_notice(Notice("outside-project", message, name))
        return None
    if not is_folder(directory):
        on_notice(Notice("no-directory", "is a file, not a directory of context files", name))
        return None
    return ContextPlace(root, directory, name)
