"""The retrieval contract: a prompt in, ranked snippets of the project out.

Providers and the retriever are awaited.

>>> import asyncio
>>> from ctxtui.retrieval import ContextRetrievalRequest, FilesystemProvider
>>> prompt = "how long is the refund window"
>>> request = ContextRetrievalRequest(prompt, "space", "me", "sample_context", "filesystem", limit=1)
>>> [snippet] = asyncio.run(FilesystemProvider().retrieve(request))
>>> snippet.id, snippet.source
('filesystem:.context/TASKS.md#L12-L30', 'Tasks / In progress')
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.base.lazy import lazy_names

if TYPE_CHECKING:
    from ctxtui.retrieval.as_json import request_from_json, request_json, snippet_from_json, snippet_json
    from ctxtui.retrieval.client.provider import McpProvider
    from ctxtui.retrieval.contract import (
        ContextProvider,
        ContextRetrievalRequest,
        ContextSnippet,
        RetrievalError,
    )
    from ctxtui.retrieval.filesystem import FilesystemProvider
    from ctxtui.retrieval.index.passages import Hit, SearchResult, Span
    from ctxtui.retrieval.retriever import Retriever
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "as_json": "request_from_json request_json snippet_from_json snippet_json",
            "contract": "ContextProvider ContextRetrievalRequest ContextSnippet RetrievalError",
            "filesystem": "FilesystemProvider",
            "client.provider": "McpProvider",
            "index.passages": "Hit SearchResult Span",
            "retriever": "Retriever",
        },
    )

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
