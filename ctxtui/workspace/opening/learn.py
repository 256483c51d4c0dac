"""What a scan learns from the files: how agents load them, and which source claims each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count

from ctxtui.agents import classify
from ctxtui.agents.base import is_above
from ctxtui.agents.source import AgentFilesSource, ask_title
from ctxtui.catalog.source import CatalogSource
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.disk.walk import Found
from ctxtui.core.documents.by_file import ByFile
from ctxtui.core.documents.look import Looks
from ctxtui.core.documents.source import Project, Source
from ctxtui.core.text.decode import decode_as_utf8
from ctxtui.core.text.metadata.reference import Reference, encode_id
from ctxtui.entries.source import EntriesSource, may_be_entry
from ctxtui.loader.source import ContextDirectorySource
from ctxtui.workspace.opening.aliases import Aliases
from ctxtui.workspace.opening.around import look_above
from ctxtui.workspace.opening.plain_files import PlainSource
from ctxtui.workspace.opening.scan_cache import Learned
from ctxtui.workspace.scope import Scope

# The order of the tree; files are claimed in the order of `scan`.
_SHOWN = ("agents", ".context", "catalog", "entries", "files")


def learn(looks: Looks, found: Sequence[Found], scope: Scope, by_file: ByFile) -> Learned:
    """What the files say: what lies above them, how agents load them, and which source claims them.

    What `by_file` knows is not read.
    """
    notices: list[Notice] = []
    project = Project(looks, tuple(found), notices.append, by_file)
    above, trail = look_above(looks.root.path, [file.path for file in found], scope, partial(_text, looks), by_file)

    def text(path: str) -> str | None:
        if is_above(path):
            return above.text(path)
        read = _text(looks, path)
        if read is not None:
            _ask_ahead(project, path)
        return read

    paths = [file.path for file in found]
    loads = classify([*paths, *above.paths], text, scope.table, base=above.base.folder, by_file=by_file)
    claiming: tuple[Source, ...] = (
        CatalogSource(),
        ContextDirectorySource(),
        EntriesSource(),
        AgentFilesSource(loads, scope.table),
        PlainSource(scope.with_ignored),
    )
    references = _claim(project, claiming)
    return Learned(_unique(references, notices.append), list(loads), notices, above, trail)


def _text(looks: Looks, path: str) -> str | None:
    try:
        return decode_as_utf8(looks.content(path).data, path)
    except ContextError:
        return None


def _ask_ahead(project: Project, path: str) -> None:
    """Learn of a file what sources ask about those that agents read, which would be opened again for it later."""
    ask_title(project, path)
    if path.endswith(".md"):
        may_be_entry(project, path)


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
