"""The source of `.context` directories, with their files in loading order."""

from __future__ import annotations

from collections.abc import Iterable

from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.walk import Found
from ctxtui.core.documents import source
from ctxtui.core.documents.listing import CONTEXT
from ctxtui.core.documents.source import Project, stem
from ctxtui.core.text.metadata.reference import ALWAYS, LAZY, Reference, encode_id
from ctxtui.loader.types import CONTEXT_DIR, bare, is_constitution, is_context_name, rank


class ContextDirectorySource:
    """`.context` directories (loader specification): top-level Markdown files load, deeper ones do not."""

    name = CONTEXT

    @staticmethod
    def holds(path: str) -> bool:
        """Whether a path is a visible Markdown file in a `.context` directory, at any depth."""
        folder, _, name = path.rpartition("/")
        return is_context_name(name) and CONTEXT_DIR in folder.split("/")

    def scan(self, project: Project) -> Iterable[Reference]:
        """The Markdown files of every `.context` directory, in loading order."""
        found = [file for file in project.files if self.holds(file.path)]
        yield from filter(None, (_reference(project, file) for file in sorted(found, key=_order)))


def _directory_and_inner(path: str) -> tuple[str, str]:
    parts = path.split("/")
    index = parts.index(CONTEXT_DIR) + 1
    return "/".join(parts[:index]), "/".join(parts[index:])


def _order(file: Found) -> tuple[str, bool, int, str]:
    directory, inner = _directory_and_inner(file.path)
    return directory, "/" in inner, rank(stem(inner)), bare(inner)


def _reference(project: Project, file: Found) -> Reference | None:
    """A file of a `.context` directory. None with a notice for an unreadable file."""
    _, inner = _directory_and_inner(file.path)
    nested = "/" in inner
    head = project.head(file.path)
    if head is None:
        project.on_notice(Notice("unreadable-file", "cannot be read as text", file.path))
        return None
    details = project.details(file.path, head)
    protected = not nested and is_constitution(stem(inner))
    priority = source.LAZY if nested else source.FIRST + rank(stem(inner))
    return Reference(
        id=encode_id(file.path.removesuffix(".md")),
        path=file.path,
        source=ContextDirectorySource.name,
        title=stem(inner),
        stamp=file.stamp,
        priority=source.CONSTITUTION if protected else priority,
        strategy=LAZY if nested else ALWAYS,
        protected=protected,
        ignored=file.ignored,
        details=details,
    )
