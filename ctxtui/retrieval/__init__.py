"""The retrieval contract of seed 004: a prompt in, ranked snippets of the project out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctxtui.retrieval.as_json import request_from_json, request_json, snippet_from_json, snippet_json
    from ctxtui.retrieval.contract import (
        ContextProvider,
        ContextRetrievalRequest,
        ContextSnippet,
        RetrievalError,
    )
    from ctxtui.retrieval.filesystem import FilesystemProvider
    from ctxtui.retrieval.mcp_provider import McpProvider
    from ctxtui.retrieval.reading import Span
    from ctxtui.retrieval.retriever import Retriever
    from ctxtui.retrieval.values import Hit, SearchResult

_HOMES = {
    "ContextProvider": "contract",
    "ContextRetrievalRequest": "contract",
    "ContextSnippet": "contract",
    "FilesystemProvider": "filesystem",
    "Hit": "values",
    "McpProvider": "mcp_provider",
    "RetrievalError": "contract",
    "Retriever": "retriever",
    "SearchResult": "values",
    "Span": "reading",
    "request_from_json": "as_json",
    "request_json": "as_json",
    "snippet_from_json": "as_json",
    "snippet_json": "as_json",
}

__all__ = [
    "ContextProvider",
    "ContextRetrievalRequest",
    "ContextSnippet",
    "FilesystemProvider",
    "Hit",
    "McpProvider",
    "RetrievalError",
    "Retriever",
    "SearchResult",
    "Span",
    "request_from_json",
    "request_json",
    "snippet_from_json",
    "snippet_json",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: most of the program never retrieves anything."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - lazily, as the docstring says

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
