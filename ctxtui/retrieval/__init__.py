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

# ruff: noqa: I001 - each name is passed on as itself, those of a module together

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.base.lazy import lazy_names

if TYPE_CHECKING:
    from ctxtui.retrieval.as_json import (
        request_from_json as request_from_json,
        request_json as request_json,
        snippet_from_json as snippet_from_json,
        snippet_json as snippet_json,
    )
    from ctxtui.retrieval.client.provider import McpProvider as McpProvider
    from ctxtui.retrieval.contract import (
        ContextProvider as ContextProvider,
        ContextRetrievalRequest as ContextRetrievalRequest,
        ContextSnippet as ContextSnippet,
        RetrievalError as RetrievalError,
    )
    from ctxtui.retrieval.filesystem import FilesystemProvider as FilesystemProvider
    from ctxtui.retrieval.index.passages import Hit as Hit, SearchResult as SearchResult, Span as Span
    from ctxtui.retrieval.retriever import Retriever as Retriever
else:
    __getattr__, __dir__ = lazy_names(__name__)
