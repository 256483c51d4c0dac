"""The results of queries, by the JSON that defines each query."""

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
    """One item of an answer.

    `id` is empty for items that are not in the tree. `source` names an item that is a block of its own. `paths` are
    the changed files of a git query, which can leave them out. `hidden` are secrets whose full text reaches beyond
    the item.
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
    """The result of a query.

    If `apart`, every item is a block of its own, else `text` is the only block. `picks` are documents that are
    exported as if picked. `language` is None for Markdown. With an `error`, the last notice describes it too.
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
        return self.error is not None


def definition_of(data: Mapping[str, Any]) -> str:
    """A query's data as canonical JSON."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True, default=str)
