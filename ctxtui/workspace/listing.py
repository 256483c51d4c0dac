"""The files that a workspace lists, in a form that lets a search below its root use the same files."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from ctxtui.core.errors import ContextError
from ctxtui.core.files.listing import CONTEXT_FOLDERS, Listing
from ctxtui.core.files.open_at import is_anything
from ctxtui.core.files.root import Root
from ctxtui.core.files.walk import Found, Walker
from ctxtui.core.metadata.reference import composed
from ctxtui.core.patterns.ignore_rules import read_rules
from ctxtui.workspace.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from ctxtui.agents import Agent


# All that means something in a rule, at its start and end too.
_SIGNS: Final = re.compile(r"[*?\[\]\\!# ]")


def context_folders(table: Sequence[Agent] | None = None) -> frozenset[str]:
    """The hidden folders with context: those of agents, of a table or the packaged one, and `.context`."""
    if table is None:
        return CONTEXT_FOLDERS
    # Most projects use the packaged table, whose folders are known without it.
    from ctxtui.agents.source import hidden_folders  # noqa: PLC0415
    from ctxtui.loader.source import ContextDirectorySource  # noqa: PLC0415

    return hidden_folders(table) | ContextDirectorySource.hidden


def listing_of(root: Path, scope: Scope) -> Listing:
    """The listing for a search in a workspace's resolved root or a folder in it: the workspace's own files."""
    every = replace(scope, include=(), exclude=())
    name = "" if every == EVERYTHING else repr(every)
    keep, choose = partial(_kept, scope), partial(_chosen, root, scope)
    return Listing(context_folders(scope.table), scope.with_ignored, keep, name, choose)


def _kept(scope: Scope, _root: Path, files: Sequence[Found]) -> list[Found]:
    from ctxtui.agents import agent_files  # noqa: PLC0415 - only searches, which have read the files, need it
    from ctxtui.loader.source import ContextDirectorySource  # noqa: PLC0415

    ignored = [file.path for file in files if file.ignored]
    wanted = agent_files(ignored, scope.table) if ignored and not scope.with_ignored else frozenset()
    return [
        file
        for file in files
        if not file.ignored or scope.with_ignored or file.path in wanted or ContextDirectorySource.holds(file.path)
    ]


def _chosen(top: Path, scope: Scope, root: Path, files: Sequence[Found]) -> list[Found]:
    return in_scope(files, scope, top, "" if root == top else f"{root.relative_to(top).as_posix()}/")


def in_scope(found: Sequence[Found], scope: Scope, top: Path, above: str = "") -> list[Found]:
    """The files that globs keep; `above` is the path from the root of the globs, `top`, to the root of the paths.

    Raises ContextError as `kept_by` does.
    """
    if not scope.include and not scope.exclude:
        return list(found)
    keeps = kept_by(scope, top)
    return [each for each in found if keeps(above + each.path)]


def kept_by(scope: Scope, top: Path) -> Callable[[str], bool]:
    """Whether the globs of a scope keep a path below `top`.

    As much of the beginning of a glob as exists there stands for itself. Raises ContextError (invalid_request) for a
    glob that cannot be read.
    """
    if not scope.include and not scope.exclude:
        return lambda _path: True
    try:
        include = read_rules([_rule(glob, top) for glob in scope.include] or ("*",))
        exclude = read_rules([_rule(glob, top) for glob in scope.exclude])
    except ContextError as error:
        hint = "write globs as in .gitignore"
        raise ContextError("invalid_request", f"not a glob: {error.message}", hint=hint) from error

    def keeps(path: str) -> bool:
        name = composed(path)
        return bool(include.verdict(name)) and not exclude.verdict(name)

    return keeps


def _rule(glob: str, top: Path) -> str:
    """A glob as a rule, with an escape before each sign in the names that exist."""
    glob = glob.removeprefix("./")
    start = glob.rstrip("/")
    while _SIGNS.search(start) and not is_anything(top / start.lstrip("/")):
        start = start.rpartition("/")[0]
    return composed(_SIGNS.sub(r"\\\g<0>", start) + glob[len(start) :])


class Unlisted(NamedTuple):
    """Why a file is not listed, and what lists it."""

    reason: str
    hint: str | None


def why_unlisted(root: Root, scope: Scope, path: str) -> Unlisted | None:
    """Why a file that exists is not a document; None if that cannot be told, or there is no such file."""
    from ctxtui.workspace.plain_files import BINARY  # noqa: PLC0415 - only for what is not found

    if path.startswith(("/", "../")) or not root.exists(path) or not root.resolve(path).is_file():
        return None
    out, is_listed_on_request = Walker(root, context_folders(scope.table), lambda _notice: None).why_not(path)
    if out and not (is_listed_on_request and scope.with_ignored):
        return Unlisted(out, "--ignored lists it" if is_listed_on_request else None)
    if not kept_by(scope, root.path)(path):
        return Unlisted("left out by the globs of this project", "see --include and --exclude, and ctxtui config")
    if path.rpartition(".")[2].lower() in BINARY:
        return Unlisted("binary", None)
    return None
