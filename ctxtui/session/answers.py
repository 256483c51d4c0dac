"""Answers: the results of queries, by the text that defines each query."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ctxtui.core.notices import Notice


@dataclass(frozen=True, slots=True)
class AnswerItem:
    """One item of an answer: its id in the tree if it has one, its type, text and provider."""

    id: str
    kind: str
    text: str
    provider: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a query: the items, the text to export, and the notices.

    One that `failed` has no items; its last notice says why.
    """

    items: tuple[AnswerItem, ...]
    text: str
    notices: tuple[Notice, ...]
    failed: bool = False


def definition_of(data: Mapping[str, Any]) -> str:
    """The data of a query as one text, the same for the same data."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True, default=str)
