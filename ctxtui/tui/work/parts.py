"""Parse files before rows show sections, slow files in a thread."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from ctxtui.core.base.errors import ContextError
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.session import Session

# Bytes. Such files are parsed and counted within a few milliseconds.
_QUICK: Final = 16_384


def are_ready(session: Session, reference: Reference) -> bool:
    """Whether the sections of a file and their tokens show without delay."""
    return reference.stamp.size <= _QUICK or session.workspace.reader.knows_parts(reference, session.budget.counter)


def unready(session: Session, ids: Iterable[str]) -> list[Reference]:
    """The documents among some ids that take a moment to parse."""
    known = session.workspace.by_id
    return [known[id_] for id_ in ids if id_ in known and not are_ready(session, known[id_])]


def make_ready(session: Session, references: Iterable[Reference]) -> None:
    """Parse files, count their sections and read the dates. Unreadable files are skipped. Call it in a thread."""
    reader = session.workspace.reader
    for reference in references:
        with suppress(ContextError):
            document = session.workspace.document(reference)
            reader.part_ends(document, session.budget.counter)
            # Computed and cached for the badges of sections.
            assert len(document.task_counts) == len(document.section_dates)
    reader.cache.flush()
