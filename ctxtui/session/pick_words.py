"""Pick by words: ids, paths, folders and patterns, for the command line and for library callers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from pathlib import Path

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.notices import OnNotice
from ctxtui.core.text.code.languages import language_of, why_no_symbols
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.outlines import no_outline_error, no_outline_notice, with_outline
from ctxtui.session.pick_state import outline_all
from ctxtui.session.picks import Pick, SnippetPick
from ctxtui.session.session import Session
from ctxtui.workspace.choose import Choice, choose
from ctxtui.workspace.workspace import Workspace


def pick_words(
    session: Session, words: Iterable[str], on_notice: OnNotice, directory: Path | None = None
) -> tuple[Session, list[Choice]]:
    """The session after each word picked or dropped its matches in turn, and the choice of each word.

    The documents of one word come in workspace order. Documents already picked keep their place. Notices of all words
    are posted first. Raises as `choose` does.
    """
    choices = [choose(session.workspace, word, directory) for word in words]
    for notice in (notice for choice in choices for notice in choice.notices):
        on_notice(notice)
    # A pipe may bring thousands of ids, so neighbors are picked at once.
    for takes_away, group in groupby(choices, lambda choice: choice.takes_away):
        if takes_away:
            for choice in group:
                session = _drop_choice(session, choice)
        else:
            session = session.pick_in_order([id_ for choice in group for id_ in choice.ids])
    return session, choices


def named_whole(recipe: Session, choices: Iterable[Choice]) -> frozenset[str]:
    """The ids of files that a recipe's session or a word picks whole by name, not by a pattern or a folder."""
    own = (pick.id for pick in recipe.selection.written.picks if isinstance(pick, Pick) and pick.whole)
    return frozenset((*own, *(str(each.target) for each in choices if each.target and not each.takes_away)))


def outline_words(
    session: Session, words: Iterable[str], named: Collection[str], on_notice: OnNotice, directory: Path | None = None
) -> Session:
    """The session with the outlines of the documents that words choose. `!` before a word excludes.

    Files in `named` stay as they are, sections stay beside an outline, other whole files are outlined. Files without
    an outline are left out with a notice, unless they are picked. Raises as `choose` does, and ContextError
    (invalid_request) if a word finds no outline.
    """
    workspace = session.workspace
    chosen: dict[str, Reference] = {}
    lacking: dict[str, str] = {}
    for word in words:
        choice = choose(workspace, word, directory)
        for notice in choice.notices:
            on_notice(notice)
        references = _documents_to_outline(workspace, choice)
        if choice.takes_away:
            chosen = {id_: each for id_, each in chosen.items() if each not in references}
            continue
        found = with_outline(workspace, references)
        if not found:
            raise _no_outlines_error(word, references)
        chosen |= {each.id: each for each in found}
        lacking |= {each.id: each.path for each in references if each not in found}
    left = [path for id_, path in lacking.items() if session.selection.document_pick(id_) is None]
    if left:
        on_notice(no_outline_notice(left))
    wanted = [each for id_, each in chosen.items() if id_ not in named]
    return session.with_selection(outline_all(workspace, session.selection, wanted)) if wanted else session


def _documents_to_outline(workspace: Workspace, choice: Choice) -> list[Reference]:
    """The documents of a choice. A folder has large data only if it holds nothing else.

    Raises ContextError (invalid_request) for a section.
    """
    if choice.target is None:
        return list(choice.references)
    if choice.target.section:
        message = f"{choice.target} is a section; only whole files are outlined"
        raise invalid(message, hint="pick it beside the outline of its file")
    node = workspace.find(str(choice.target))
    return node.documents_to_pick() if node else []


def _no_outlines_error(word: str, references: Sequence[Reference]) -> ContextError:
    """The error (invalid_request) for a word that chooses `references`, of which none has an outline."""
    if len(references) == 1:
        return no_outline_error(references[0].path)
    known = (each.path for each in references if language_of(each.path))
    lacking = next(filter(None, map(why_no_symbols, known)), "")
    hint = lacking or "name code with classes or functions; ctxtui help code lists the languages"
    return invalid(f"{word} finds no file with an outline", hint=hint)


def _drop_choice(session: Session, choice: Choice) -> Session:
    gone = frozenset(choice.ids)
    lines = [each.id for each in session.picks if isinstance(each, SnippetPick) and each.document in gone]
    session = session.with_selection(session.selection.without(lines)) if lines else session
    return session.mark_rows(choice.ids, False) if choice.target is None else session.drop(str(choice.target))
