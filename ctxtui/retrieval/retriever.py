"""The retriever: passes a request to the provider it names, and to the filesystem as an allowed fallback."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from ctxtui.core.base.errors import Category
from ctxtui.core.base.notices import Notice, OnNotice, log_notice
from ctxtui.core.tokens.arguments import a_function, shown, texts, with_methods, wrong
from ctxtui.retrieval.contract import (
    CATEGORIES,
    PROVIDER_IDS,
    ContextProvider,
    ContextProviderId,
    ContextRetrievalRequest,
    ContextSnippet,
    RetrievalError,
    check_request,
    safe_errors,
)

_FALLBACK: ContextProviderId = "filesystem"


class Retriever:
    """A provider that passes each request to the provider named by `provider_id`.

    If the provider fails with a category in `fallback_on`, the filesystem answers instead (retrieval specification
    8.2), with a notice, and each snippet's `provider` shows it. Nothing else falls back.
    """

    def __init__(
        self,
        providers: Mapping[ContextProviderId, ContextProvider],
        fallback_on: Collection[Category] = (),
        on_notice: OnNotice | None = None,
    ) -> None:
        if not isinstance(providers, Mapping):
            raise wrong("providers", "a mapping such as {'filesystem': FilesystemProvider()}", providers)
        strangers = [shown(name) for name in providers if name not in PROVIDER_IDS]
        if strangers:
            raise ValueError(f"unknown provider ids: {', '.join(strangers)}; known: {', '.join(PROVIDER_IDS)}")
        for name, provider in providers.items():
            with_methods(provider, ("retrieve",), f"the {name} provider", "a ContextProvider")
        fallback_on = texts(fallback_on, "fallback_on")  # type: ignore[assignment]
        unknown = set(fallback_on) - set(CATEGORIES)
        if unknown:
            raise ValueError(f"unknown error categories: {', '.join(sorted(unknown))}")
        self._providers = dict(providers)
        self._fallback_on = frozenset(fallback_on)
        self._on_notice = a_function(on_notice, "on_notice") or log_notice

    async def retrieve(self, request: ContextRetrievalRequest) -> list[ContextSnippet]:
        """The best snippets, best first. Raises RetrievalError, unavailable if the provider is not set up."""
        with safe_errors():
            check_request(request)
            try:
                return await self._ask(request)
            except RetrievalError as error:
                can_fall_back = request.provider_id != _FALLBACK and _FALLBACK in self._providers
                if not can_fall_back or error.category not in self._fallback_on:
                    raise
                failed = f"the {request.provider_id} provider failed ({error.category})"
                self._on_notice(Notice("retrieval-fallback", f"{failed}; the {_FALLBACK} answers instead"))
            return await self._ask(replace(request, provider_id=_FALLBACK))

    async def _ask(self, request: ContextRetrievalRequest) -> list[ContextSnippet]:
        provider = self._providers.get(request.provider_id)
        if provider is None:
            raise RetrievalError("unavailable", f"no {request.provider_id} provider is set up")
        with safe_errors():
            return await provider.retrieve(request)
