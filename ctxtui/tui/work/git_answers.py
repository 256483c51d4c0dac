"""Refresh git answers after commits, staging and changes of unlisted files."""

from __future__ import annotations

from collections.abc import Mapping

from ctxtui.session.answers import Answer
from ctxtui.session.session import Session


async def new_answers(session: Session) -> Mapping[str, Answer]:
    """The changed answers to the session's git queries, by their definitions."""
    queries = session.selection.queries
    if queries:
        from ctxtui.session.git_questions import asks_git  # noqa: PLC0415 - few selections have queries

        queries = tuple(filter(asks_git, queries))
    if not queries:
        return {}
    now = (await session.answered(queries)).answers
    definitions = (query.definition for query in queries)
    return {each: now[each] for each in definitions if _content(now[each]) != _content(session.answers.get(each))}


def _content(answer: Answer | None) -> object:
    """The content of an answer, for comparison. Errors equal only themselves."""
    return answer and (answer.items, answer.text, answer.notices, answer.picks)
