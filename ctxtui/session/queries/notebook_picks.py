"""Pick the outputs of notebooks. They are queries, because a notebook's own text has no outputs."""

from __future__ import annotations

from collections.abc import Iterable

from ctxtui.core.base.errors import invalid
from ctxtui.core.base.notices import OnNotice
from ctxtui.core.text.notebook import is_notebook
from ctxtui.session.picks import OUTPUTS, QUERY
from ctxtui.session.queries.notebook_answers import answer_outputs
from ctxtui.session.session import Session
from ctxtui.workspace.choose import choose


def outputs_query(id_: str) -> str:
    """The id of the pick of a notebook's outputs."""
    return f"{QUERY}{OUTPUTS}{id_}"


def with_outputs(session: Session, id_: str) -> Session:
    """The session with the outputs of a notebook picked.

    Raises NotFound for an unknown document, ContextError without readable outputs.
    """
    reference = session.workspace.require(id_)
    if not answer_outputs(session.workspace, reference.id).items:
        raise invalid(f"{reference.path} has no outputs", hint="run it and save it with its outputs")
    return session.with_query(f"{OUTPUTS}{reference.id}", {"outputs": reference.id})


def outputs_words(session: Session, words: Iterable[str], on_notice: OnNotice) -> Session:
    """The session with the outputs of the notebooks that words choose. `!` before a word drops them.

    In folders and patterns, notebooks without outputs are left out. Raises as `choose` does, and ContextError
    (invalid_request) if a word finds no outputs.
    """
    for word in words:
        choice = choose(session.workspace, word)
        for notice in choice.notices:
            on_notice(notice)
        owner = session.workspace.by_id.get(str(choice.target))
        if owner is not None and not choice.takes_away:
            session = with_outputs(session, owner.id)
            continue
        nodes = filter(None, map(session.workspace.find, choice.ids))
        found = [each for node in nodes for each in node.documents() if is_notebook(each.path)]
        if choice.takes_away:
            session = session.with_selection(session.selection.without([outputs_query(each.id) for each in found]))
            continue
        wanted = [each.id for each in found if answer_outputs(session.workspace, each.id).items]
        if not wanted:
            raise invalid(f"{word} finds no notebook with outputs", hint="name an .ipynb file")
        for id_ in wanted:
            session = with_outputs(session, id_)
    return session
