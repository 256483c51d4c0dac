"""Answers of git while the app runs: what commits, staging and files that are not listed change."""

from __future__ import annotations

from collections.abc import Mapping

from ctxtui.session.answers import Answer
from ctxtui.session.session import Session


async def new_answers(session: Session) -> Mapping[str, Answer]:
    """The answers to the session's queries to git that are others now, by their definitions."""
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
    """What two answers have in common if they say the same; errors are equal only to themselves."""
    return answer and (answer.items, answer.text, answer.notices, answer.picks)
