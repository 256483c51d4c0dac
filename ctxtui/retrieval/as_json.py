"""Requests and snippets as the JSON of the retrieval specification, with its camelCase keys."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ctxtui.core.text.projection import camel, project
from ctxtui.retrieval.contract import (
    PROVIDER_IDS,
    ContextRetrievalRequest,
    ContextSnippet,
    RetrievalError,
    check_request,
)

_TEXTS = ("id", "provider", "path", "source", "content")


def request_json(request: ContextRetrievalRequest) -> dict[str, object]:
    """A request as JSON, with `limit` only if it is given."""
    return {key: value for key, value in project(request).items() if value is not None}


def request_from_json(data: object) -> ContextRetrievalRequest:
    """The request in a JSON object. Raises RetrievalError (invalid_request).

    Unknown keys are ignored, so that later versions can add optional keys (retrieval specification 6).
    """
    if not isinstance(data, Mapping):
        raise RetrievalError("invalid_request", "the request is not a JSON object")
    values: dict[str, Any] = {each.name: data.get(camel(each.name)) for each in fields(ContextRetrievalRequest)}
    request = ContextRetrievalRequest(**values)
    check_request(request)
    return request


def snippet_json(snippet: ContextSnippet) -> dict[str, object]:
    """A snippet as JSON."""
    data: dict[str, object] = project(snippet)
    return data


def snippet_from_json(data: object) -> ContextSnippet:
    """The snippet in a JSON object. Raises RetrievalError (internal) if an engine broke the contract."""
    if not isinstance(data, Mapping):
        raise RetrievalError("internal", "the engine's answer contains no snippet")
    texts: dict[str, Any] = {key: data.get(key) for key in _TEXTS}
    score: Any = data.get("score")
    is_number = isinstance(score, int | float) and not isinstance(score, bool) and abs(score) < math.inf
    if not is_number or not all(isinstance(text, str) for text in texts.values()):
        raise RetrievalError("internal", "the engine's answer lacks fields of a snippet")
    if not 0 <= score <= 1:
        raise RetrievalError("internal", "the engine's answer contains a score outside 0..1")
    if texts["provider"] not in PROVIDER_IDS:
        raise RetrievalError("internal", "the engine's answer names an unknown provider")
    return ContextSnippet(**texts, score=float(score))
