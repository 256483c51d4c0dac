"""Parsing before rows show sections: a file that takes a moment is parsed in a thread."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from ctxtui.core.errors import ContextError
from ctxtui.core.metadata.reference import Reference
from ctxtui.session.session import Session

# Files up to this many bytes are parsed and counted within a few milliseconds.
_QUICK: Final = 16_384


def are_ready(session: Session, reference: Reference) -> bool:
    """Whether the sections of a file and their tokens take no time to show."""
    return reference.stamp.size <= _QUICK or session.workspace.reader.knows_parts(reference, session.budget.counter)


def unready(session: Session, ids: Iterable[str]) -> list[Reference]:
    """The documents among some rows whose sections have to be made ready first."""
    known = session.workspace.by_id
    return [known[id_] for id_ in ids if id_ in known and not are_ready(session, known[id_])]


def make_ready(session: Session, references: Iterable[Reference]) -> None:
    """Parse files, and count and date their sections; to be called in a thread."""
    reader = session.workspace.reader
    for reference in references:
        with suppress(ContextError):
            document = session.workspace.document(reference)
            reader.part_ends(document, session.budget.counter)
            # What the badges of sections say.
            assert len(document.task_counts) == len(document.section_dates)
    reader.passes.flush()
