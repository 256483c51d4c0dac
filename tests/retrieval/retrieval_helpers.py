"""What the tests of retrieval share: requests, and providers that keep their notices."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ctxtui.core.base.notices import Notice
from ctxtui.retrieval import ContextRetrievalRequest, ContextSnippet, FilesystemProvider, Hit, SearchResult


def request(root: Path | str, prompt: str = "alpha", **fields: Any) -> ContextRetrievalRequest:
    """A valid request, but for the given fields."""
    values = {"space_id": "space", "session_id": "session", "provider_id": "filesystem"} | fields
    return ContextRetrievalRequest(prompt, root_path=str(root), **values)


@contextmanager
def searching(*allowed: Any, **options: Any) -> Iterator[FilesystemProvider]:
    """A provider while it is open, which tells nobody."""
    provider = FilesystemProvider(*allowed, **{"on_notice": lambda _: None} | options)
    try:
        yield provider
    finally:
        provider.close()


def search(root: Path, prompt: str, limit: int | None = None, **options: Any) -> SearchResult:
    """One search by a provider of its own."""
    with searching() as provider:
        return provider.search(request(root, prompt, limit=limit), **options)


def hits(root: Path, prompt: str, limit: int | None = None, **options: Any) -> tuple[Hit, ...]:
    """The hits of one search."""
    return search(root, prompt, limit, **options).hits


def only(root: Path, prompt: str) -> Hit:
    """The only hit of one search."""
    (hit,) = hits(root, prompt)
    return hit


def paths(root: Path, prompt: str, limit: int | None = None) -> list[str]:
    """The paths that a search finds, best first."""
    return [hit.snippet.path for hit in hits(root, prompt, limit)]


def retrieve(
    root: Path, prompt: str, provider: FilesystemProvider | None = None, **fields: Any
) -> list[ContextSnippet]:
    """One call of the contract, on request of a provider that is open."""
    with searching() as own:
        return asyncio.run((provider or own).retrieve(request(root, prompt, **fields)))


def codes(result: SearchResult) -> list[str]:
    """The codes of a search's notices, sorted."""
    return sorted(notice.code for notice in result.notices)


def told(result: SearchResult, code: str) -> list[Notice]:
    """The notices of one code."""
    return [notice for notice in result.notices if notice.code == code]
