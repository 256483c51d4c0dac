"""Drop one block of a query while the rest stays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from ctxtui.core.errors import NotFound
from ctxtui.core.target import Target
from ctxtui.session.answers import Answer, definition_of
from ctxtui.session.picks import QueryPick
from ctxtui.session.selection import Selection


def without_block(selection: Selection, answers: Mapping[str, Answer], id_: str) -> tuple[QueryPick, Answer] | None:
    """The query without the block `id_`, and its answer.

    None if `id_` is not a block or is the only block. Raises NotFound if the answer has no such block.
    """
    query = selection.beside(id_)
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
    from ctxtui.session.git_questions import leaving_out  # noqa: PLC0415 - few selections have queries

    definition = definition_of(leaving_out(json.loads(query.definition), paths))
    picks = tuple(pick for pick in answer.picks if pick.id != item_id)
    rest = replace(answer, items=kept, text="".join(item.text for item in kept), picks=picks)
    return replace(query, definition=definition), rest
