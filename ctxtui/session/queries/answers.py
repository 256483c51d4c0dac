"""The results of queries, by the JSON that defines each query."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.target import Target
from ctxtui.core.text.secrets import Secret
from ctxtui.session.picks import Pick, QueryPick
from ctxtui.session.selection import Selection


def without_block(selection: Selection, answers: Mapping[str, Answer], id_: str) -> tuple[QueryPick, Answer] | None:
    """The query without the block `id_`, and its answer without it.

    None if `id_` is not a block, is the only block, or if only the whole query can be dropped. Raises NotFound if the
    answer has no such block.
    """
    query = selection.other_pick(id_)
    if not isinstance(query, QueryPick) or query.id == id_ or query.definition not in answers:
        return None
    answer, item_id = answers[query.definition], Target.of_block(id_).section
    gone = [item for item in answer.items if item.id == item_id]
    kept = tuple(item for item in answer.items if item.id != item_id)
    if not gone:
        raise NotFound(f"{query.name} has no block {item_id}")
    paths = [path for item in gone for path in item.paths]
    if not kept or not paths:
        return None
    from ctxtui.session.queries.git_questions import leaving_out  # noqa: PLC0415 - few selections have queries

    definition = definition_of(leaving_out(json.loads(query.definition), paths))
    picks = tuple(pick for pick in answer.picks if pick.id != item_id)
    rest = replace(answer, items=kept, text="".join(item.text for item in kept), picks=picks)
    return replace(query, definition=definition), rest


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


def definition_of(data: Mapping[str, Any]) -> str:
    """A query's data as canonical JSON."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True, default=str)
