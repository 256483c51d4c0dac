"""The source of `.context` directories, with their files in loading order."""

from __future__ import annotations

from collections.abc import Iterable

from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.walk import Found
from ctxtui.core.documents import source
from ctxtui.core.documents.listing import CONTEXT
from ctxtui.core.documents.source import Project, stem
from ctxtui.core.text.metadata.reference import ALWAYS, LAZY, Reference, encode_id
from ctxtui.loader.types import CONSTITUTION, CONTEXT_DIR, bare, is_context_name, rank


class ContextDirectorySource:
    """`.context` directories (loader specification): top-level Markdown files load, deeper ones do not."""

    name = CONTEXT

    @staticmethod
    def holds(path: str) -> bool:
        return is_context_name(path.rpartition("/")[2]) and _directory_and_inner(path) is not None

    def scan(self, project: Project) -> Iterable[Reference]:
        """The Markdown files of every `.context` directory, in loading order."""
        found = [file for file in project.files if self.holds(file.path)]
        yield from filter(None, (_reference(project, file) for file in sorted(found, key=_order)))


def _directory_and_inner(path: str) -> tuple[str, str] | None:
    parts = path.split("/")
    if CONTEXT_DIR not in parts[:-1]:
        return None
    index = parts.index(CONTEXT_DIR) + 1
    return "/".join(parts[:index]), "/".join(parts[index:])


def _order(file: Found) -> tuple[str, bool, int, str]:
    directory, inner = _directory_and_inner(file.path) or ("", "")
    return directory, "/" in inner, rank(stem(inner)), bare(inner)


def _reference(project: Project, file: Found) -> Reference | None:
    _, inner = _directory_and_inner(file.path) or ("", "")
    nested = "/" in inner
    head = project.head(file.path)
    if head is None:
        project.on_notice(Notice("unreadable-file", "cannot be read as text", file.path))
        return None
    details = project.details(file.path, head)
    is_constitution = not nested and stem(inner).upper() == CONSTITUTION
    priority = source.LAZY if nested else source.FIRST + rank(stem(inner))
    return Reference(
        id=encode_id(file.path.removesuffix(".md")),
        path=file.path,
        source=ContextDirectorySource.name,
        title=stem(inner),
        stamp=file.stamp,
        priority=source.CONSTITUTION if is_constitution else priority,
        strategy=LAZY if nested else ALWAYS,
        protected=is_constitution,
        ignored=file.ignored,
        details=details,
    )
