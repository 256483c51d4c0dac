"""Pick git queries by a word: for the command line, the MCP server and the app."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from ctxtui.session.queries.git_questions import KINDS, git_query
from ctxtui.session.session import Session


def with_git(session: Session, asked: Mapping[str, str | None]) -> Session:
    """The session with a computed git query for each kind in `asked`, which maps kinds to words.

    An empty word stands for the working tree, None for no query. Never call it inside an event loop: it runs its own.
    Raises ContextError for a word that is neither a ref nor a range, without git or a repository, NotFound for an
    unknown ref.
    """
    added: list[str] = []
    for kind in KINDS:
        word = asked.get(kind)
        if word is not None:
            name, data = git_query(kind, word)
            session = session.with_query(name, data)
            added.append(name)
    if not added:
        return session
    queries = [query for query in session.selection.queries if query.name in added]
    session = asyncio.run(session.answered(queries))
    for query in queries:
        error = session.answers[query.definition].error
        if error is not None:
            raise error
    return session
