"""The source of entries directories: folders whose Markdown files have an `entryId`."""

from __future__ import annotations

from collections.abc import Iterable

from ctxtui.core.disk.walk import Found
from ctxtui.core.documents import source
from ctxtui.core.documents.listing import ENTRIES
from ctxtui.core.documents.records.file import ENTRY_ID, parse_record
from ctxtui.core.documents.source import Project, by_folder
from ctxtui.core.text.metadata.reference import ON_DEMAND, Reference, encode_id

_TITLE_CHARACTERS = 72
# The sample size per folder, spread evenly, that decides whether it holds entries.
_SAMPLED = 8
_SIGN = ENTRY_ID.encode()


class EntriesSource:
    """Entries directories (entries specification): one Markdown file per entry. The folder can have any name."""

    name = ENTRIES

    def scan(self, project: Project) -> Iterable[Reference]:
        """The entries of every folder in which a sampled file has an `entryId`."""
        files = (file for file in source.visible(project.files) if file.path.endswith(".md"))
        for inside in by_folder(files).values():
            step = max(1, len(inside) // _SAMPLED)
            if any(may_be_entry(project, file.path) for file in inside[::step]):
                yield from filter(None, (_reference(project, file) for file in inside))


def may_be_entry(project: Project, path: str) -> bool:
    """Whether the first few hundred bytes of a file contain the key `entryId`."""
    return project.begins_with(path, _SIGN)


def document_id(entry_id: str) -> str:
    return encode_id(f"entries/{entry_id}")


def _reference(project: Project, file: Found) -> Reference | None:
    """An entry of a folder, titled by its first line. None for a file that is no entry."""
    head = project.head(file.path)
    if head is None:
        return None
    entry_id = head.derived("entry id", lambda beginning: parse_record(beginning.text, file.path).id)
    if entry_id is None:
        return None
    details = project.details(file.path, head)
    first = (head.derived("first line", lambda beginning: beginning.first_line) or "").lstrip("# ").strip()
    return Reference(
        id=document_id(entry_id),
        path=file.path,
        source=EntriesSource.name,
        title=first[:_TITLE_CHARACTERS] or entry_id,
        stamp=file.stamp,
        priority=source.RECORD,
        strategy=ON_DEMAND,
        details=details,
    )
