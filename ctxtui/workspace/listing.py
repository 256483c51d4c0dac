"""The files of a workspace, in a form that a search below its root can use."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ctxtui.core.base.digest import text_digest
from ctxtui.core.base.errors import NotFound, invalid
from ctxtui.core.disk.cache import user_cache
from ctxtui.core.disk.git.rules import GitRules, Line, git_rules, is_sound, read_rules
from ctxtui.core.disk.open_at import is_anything
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.walk import Found, Walker
from ctxtui.core.documents.listing import CONTEXT_FOLDERS, SOURCE_FOLDERS, Listing
from ctxtui.core.text.decode import binary_ending
from ctxtui.core.text.metadata.reference import composed
from ctxtui.workspace.scope import EVERYTHING, Scope

if TYPE_CHECKING:
    from ctxtui.agents import Agent


_KIND: Final = "context among ignored files"
# All special characters of a rule, including at its start and end.
_SIGNS: Final = re.compile(r"[*?\[\]\\!# ]")


def context_folders(table: Sequence[Agent] | None) -> frozenset[str]:
    """The names of hidden folders with context: those of sources, and those of agents in a table.

    None is the packaged table.
    """
    if table is None:
        return CONTEXT_FOLDERS
    # Most projects use the packaged table, whose folders are constants.
    from ctxtui.agents.source import hidden_folders  # noqa: PLC0415

    return hidden_folders(table) | SOURCE_FOLDERS


def listing_of(root: Path, scope: Scope) -> Listing:
    """The rules by which a workspace lists files, for a search in its resolved root or a folder below it."""
    every = replace(scope, include=(), exclude=())
    name = "" if every == EVERYTHING else repr(every)
    keep, choose = partial(_without_ignored, scope), partial(in_scope, scope, root)
    return Listing(context_folders(scope.table), scope.with_ignored, keep, name, choose)


def _without_ignored(scope: Scope, _root: Path, files: Sequence[Found]) -> list[Found]:
    """The files that are not ignored, and ignored ones that are context. All files if the scope says so."""
    ignored = [file.path for file in files if file.ignored]
    if not ignored or scope.with_ignored:
        return list(files)
    wanted = _context_among(ignored, scope.table)
    return [file for file in files if not file.ignored or file.path in wanted]


def _context_among(ignored: Sequence[str], table: Sequence[Agent] | None) -> set[str]:
    """The ignored paths that are context by name or folder, cached, because the table of agents loads slowly."""
    cache, digest = user_cache(), text_digest("\0".join(ignored))
    places = cache.known_fact(_KIND, digest) if table is None else None
    if places is None:
        from ctxtui.agents import agent_files  # noqa: PLC0415
        from ctxtui.loader.source import ContextDirectorySource  # noqa: PLC0415

        found = {*agent_files(ignored, table), *filter(ContextDirectorySource.holds, ignored)}
        places = [place for place, path in enumerate(ignored) if path in found]
        if table is None:
            cache.keep_fact(_KIND, digest, places)
            cache.flush()
    return {ignored[place] for place in places}


def in_scope(scope: Scope, top: Path, root: Path, files: Sequence[Found]) -> list[Found]:
    """The files of `root`, which is `top` or a folder in it, that the scope's globs keep. The globs begin at `top`.

    Raises ContextError as `kept_by` does.
    """
    if not scope.include and not scope.exclude:
        return list(files)
    keeps = kept_by(scope, top)
    above = "" if root == top else f"{root.relative_to(top).as_posix()}/"
    return [each for each in files if keeps(above + each.path)]


def kept_by(scope: Scope, top: Path) -> Callable[[str], bool]:
    """A test whether globs keep a path below `top`. The longest existing beginning of a glob is literal.

    Raises ContextError (invalid_request) for a bad glob.
    """
    if not scope.include and not scope.exclude:
        return lambda _path: True
    # A default of `*` would mean a file of that name, where there is one.
    include = _rules(scope.include, top) if scope.include else None
    exclude = _rules(scope.exclude, top)

    def keeps(path: str) -> bool:
        name = composed(path)
        return (include is None or include.selects(name)) and not exclude.selects(name)

    return keeps


def _rules(globs: Sequence[str], top: Path) -> GitRules:
    """Globs as rules below `top`. Raises ContextError (invalid_request) for a glob that cannot match."""
    lines: list[Line] = []
    for glob in globs:
        read = read_rules([_rule(glob, top)])
        if not all(map(is_sound, read)):
            raise invalid(f"not a glob: {glob} matches nothing", hint="write globs as in .gitignore")
        lines += read
    return git_rules(lines)


def _rule(glob: str, top: Path) -> str:
    """A glob as a rule, with escaped special characters in its longest beginning that exists below `top`."""
    glob = glob.removeprefix("./")
    start = glob.rstrip("/")
    while _SIGNS.search(start) and not is_anything(top / start.lstrip("/")):
        start = start.rpartition("/")[0]
    return composed(_SIGNS.sub(r"\\\g<0>", start) + glob[len(start) :])


def require_listed(root: Root, scope: Scope, path: str, name: str) -> None:
    """Raise NotFound for `name`, with the reason, if a path is that of an existing file that is not listed.

    Returns for a path that does not exist and for a listed file.
    """
    if path.startswith(("/", "../")) or not root.exists(path) or not root.resolve(path).is_file():
        return
    why, hint = f"{name} is not listed: ", "--ignored lists it"
    out, is_listed_on_request = Walker(root, context_folders(scope.table), lambda _notice: None).why_not(path)
    if out and not (is_listed_on_request and scope.with_ignored):
        raise NotFound(why + out, hint=hint if is_listed_on_request else None)
    if not kept_by(scope, root.path)(path):
        hint = "see --include and --exclude, and ctxtui config"
        raise NotFound(f"{why}left out by the globs of this project", hint=hint)
    if binary_ending(path):
        raise NotFound(f"{why}binary")
