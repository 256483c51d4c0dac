"""Picking by words: ids, paths, folders and patterns, the same on the command line and for callers."""

from __future__ import annotations

from pathlib import Path

from ctxtui.core.notices import OnNotice
from ctxtui.session.picks import SnippetPick
from ctxtui.session.session import Session
from ctxtui.workspace.choose import Choice, choose


def pick_word(
    session: Session, word: str, on_notice: OnNotice, directory: Path | None = None
) -> tuple[Session, Choice]:
    """The session with what a word chooses picked or dropped, and that choice; raises as `choose` does.

    Documents are added in the order of the workspace; those already picked keep their place.
    """
    choice = choose(session.workspace, word, directory)
    for notice in choice.notices:
        on_notice(notice)
    if choice.takes_away:
        return _without(session, choice), choice
    return session.mark_rows(choice.ids, True) if choice.target is None else session.pick(str(choice.target)), choice


def _without(session: Session, choice: Choice) -> Session:
    """The session without a choice, nor single lines of its documents."""
    gone = frozenset(choice.ids)
    lines = [each.id for each in session.picks if isinstance(each, SnippetPick) and each.document in gone]
    session = session.with_selection(session.selection.without(lines)) if lines else session
    return session.mark_rows(choice.ids, False) if choice.target is None else session.drop(str(choice.target))
