"""Answers: the results of queries, by the text that defines each query."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ctxtui.core.errors import ContextError
from ctxtui.core.notices import Notice
from ctxtui.core.secrets import Secret
from ctxtui.session.picks import Pick


@dataclass(frozen=True, slots=True)
class AnswerItem:
    """One item of an answer: its id in the tree if it has one, its type, text and provider.

    What is not in the tree, and a block of its own, is named by its `source`. `paths` are the changed files that it
    is about: a query of git can leave them out. `hidden` are the secrets of whole texts of which it is a part.
    """

    id: str
    kind: str
    text: str
    provider: str
    source: str = ""
    paths: tuple[str, ...] = ()
    hidden: tuple[Secret, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a query: the items, the text to export, and the notices.

    If it is `apart`, every item is a block of its own, instead of `text` for all of them; `picks` are documents that
    are exported as if they were picked. `language` is that of the texts, None for Markdown. An `error` says why it
    could not be computed; the last notice does, too.
    """

    items: tuple[AnswerItem, ...]
    text: str
    notices: tuple[Notice, ...]
    language: str | None = None
    apart: bool = False
    picks: tuple[Pick, ...] = ()
    error: ContextError | None = None

    @property
    def failed(self) -> bool:
        """Whether it could not be computed."""
        return self.error is not None


def definition_of(data: Mapping[str, Any]) -> str:
    """The data of a query as one text, the same for the same data."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True, default=str)
