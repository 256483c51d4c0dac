"""Picking by words: ids, paths, folders and patterns, the same on the command line and for callers."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from ctxtui.core.notices import OnNotice
from ctxtui.session.picks import SnippetPick
from ctxtui.session.session import Session
from ctxtui.workspace.choose import Choice, choose


def pick_words(
    session: Session, words: Iterable[str], on_notice: OnNotice, directory: Path | None = None
) -> tuple[Session, list[Choice]]:
    """The session with what words choose picked or dropped, one after the other, and the choices.

    Of one word, documents are added in the order of the workspace; those already picked keep their place. Raises as
    `choose` does.
    """
    choices = [choose(session.workspace, word, directory) for word in words]
    for notice in (notice for choice in choices for notice in choice.notices):
        on_notice(notice)
    # Neighbors are picked at once: thousands of ids may come from a pipe.
    for takes_away, group in groupby(choices, lambda choice: choice.takes_away):
        if takes_away:
            for choice in group:
                session = _without(session, choice)
        else:
            session = session.pick_in_order([id_ for choice in group for id_ in choice.ids])
    return session, choices


def _without(session: Session, choice: Choice) -> Session:
    """The session without a choice, nor single lines of its documents."""
    gone = frozenset(choice.ids)
    lines = [each.id for each in session.picks if isinstance(each, SnippetPick) and each.document in gone]
    session = session.with_selection(session.selection.without(lines)) if lines else session
    return session.mark_rows(choice.ids, False) if choice.target is None else session.drop(str(choice.target))
