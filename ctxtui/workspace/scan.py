"""The scan: walks a project once and lets every source claim its files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple

from platformdirs import user_cache_path

from ctxtui.agents import Load, classify
from ctxtui.agents.base import is_above
from ctxtui.agents.source import AgentFilesSource
from ctxtui.catalog.source import CatalogSource
from ctxtui.core.errors import ContextError
from ctxtui.core.files.look import Looks
from ctxtui.core.files.open_at import exists, is_folder
from ctxtui.core.files.reader import Reader
from ctxtui.core.files.root import Root
from ctxtui.core.files.text import decode
from ctxtui.core.files.walk import Found
from ctxtui.core.metadata.reference import Reference, encode_id
from ctxtui.core.notices import Notice, OnNotice
from ctxtui.core.passes import Passes
from ctxtui.core.source import Project, Source
from ctxtui.core.tokens.ledger import Ledger
from ctxtui.entries.source import EntriesSource
from ctxtui.loader.source import ContextDirectorySource
from ctxtui.workspace.above import Above, look_above
from ctxtui.workspace.aliases import Aliases
from ctxtui.workspace.home import Home, look_home
from ctxtui.workspace.listing import in_scope, listing_of
from ctxtui.workspace.plain_files import PlainSource
from ctxtui.workspace.scope import Scope

# The order of the tree; files are claimed in the order of `scan`.
_SHOWN = ("agents", ".context", "catalog", "entries", "files")


@dataclass(slots=True)
class _Notices:
    """Collects notices, each once, and passes them on."""

    forward: OnNotice
    kept: dict[Notice, None]

    def __call__(self, notice: Notice) -> None:
        if notice not in self.kept:
            self.kept[notice] = None
            self.forward(notice)


class Scan(NamedTuple):
    """What a project holds at one moment; `paths` are those of all files in scope, listed or not.

    `above` are files of the repository around it that agents read too.
    """

    references: list[Reference]
    loads: list[Load]
    notices: list[Notice]
    paths: list[str]
    above: Above
    home: Home


def open_reader(path: str | os.PathLike[str], on_notice: OnNotice) -> Reader:
    """The reader of a project's folder; raises ContextError (invalid_request, unauthorized) if it cannot be read."""
    place = Path(path)
    if not is_folder(place):
        what = "is a file, not a folder" if exists(place) else "does not exist"
        raise ContextError("invalid_request", f"{path} {what}", hint="name the folder of a project")
    if not os.access(place, os.R_OK | os.X_OK):
        raise ContextError("unauthorized", f"no permission to read {path}")
    root = Root(place)
    ledger = Ledger(user_cache_path("ctxtui"), str(root.path), on_notice)
    return Reader(root, ledger, Passes(user_cache_path("ctxtui")))


def scan(reader: Reader, scope: Scope, on_notice: OnNotice) -> Scan:
    """What the reader's root holds now, as far as it is in scope."""
    notices = _Notices(on_notice, {})
    context = ContextDirectorySource()
    found = in_scope(listing_of(reader.root.path, scope).walk(reader.root, notices), scope)
    looks = reader.look(found)
    paths = [file.path for file in found]
    above = look_above(reader.root.path, paths, scope, partial(_text, looks))

    def text(path: str) -> str | None:
        return above.text(path) if is_above(path) else _text(looks, path)

    loads = classify([*paths, *above.paths], text, scope.table, base=above.base.folder)
    claiming: tuple[Source, ...] = (
        CatalogSource(),
        context,
        EntriesSource(),
        AgentFilesSource(loads, scope.table),
        PlainSource(scope.with_ignored),
    )
    references = _claim(Project(looks, tuple(found), notices), claiming)
    unique = _unique(references, notices)
    home = look_home(reader.root, paths, scope, notices)
    return Scan(unique, list(loads), list(notices.kept), paths, above, home)


def _text(looks: Looks, path: str) -> str | None:
    try:
        return decode(looks.content(path).data, path)[0]
    except ContextError:
        return None


def _claim(project: Project, sources: Sequence[Source]) -> list[Reference]:
    """A real path belongs to the first source that claims it, and is one document however many links it has."""
    aliases = Aliases(project.files)
    claimed: dict[str, list[Reference]] = {}
    taken: set[str] = set()
    for source in sources:
        references = list(source.scan(project))
        claimed[source.name] = aliases.once(references)
        if references:
            paths = {reference.path for reference in references}
            taken |= {file.real for file in project.files if file.path in paths}
            project = replace(project, files=_without(project.files, taken))
    return [reference for name in _SHOWN for reference in claimed.get(name, ())]


def _without(files: Sequence[Found], taken: set[str]) -> tuple[Found, ...]:
    return tuple(file for file in files if file.real not in taken)


def _free(id_: str, taken: Mapping[str, str]) -> str:
    """The id, or the first of `id~2`, `id~3` … that is free."""
    numbered = (f"{id_}~{number}" for number in count(2))
    return id_ if id_ not in taken else next(each for each in numbered if each not in taken)


def _unique(references: Sequence[Reference], on_notice: OnNotice) -> list[Reference]:
    """References with unique ids: a second owner of an id gets its path as id, with a notice."""
    taken: dict[str, str] = {}
    result = []
    for reference in references:
        id_ = reference.id
        if id_ in taken:
            id_ = _free(encode_id(reference.path), taken)
            message = f"the id {reference.id} already belongs to {taken[reference.id]}; this file is {id_}"
            on_notice(Notice("duplicate-id", message, reference.path))
            reference = replace(reference, id=id_)
        taken[id_] = reference.path
        result.append(reference)
    return result
