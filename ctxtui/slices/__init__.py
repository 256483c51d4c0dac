"""Composable context providers: what an agent sees of a board of artifacts.

Providers, boards and the runner are awaited.

>>> import asyncio
>>> from ctxtui.slices import EntryBoard, FilterConfig
>>> board = EntryBoard("sample_context/notes")
>>> found, total = asyncio.run(board.query_artifacts(FilterConfig(types={"Decision"})))
>>> found[0].type, total
('Decision', 1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.base.lazy import lazy_names

if TYPE_CHECKING:
    from ctxtui.slices.artifact import Artifact
    from ctxtui.slices.board import Board, InMemoryBoard
    from ctxtui.slices.composite import CompositeProvider, FallbackProvider, LimitedProvider, RedactingProvider
    from ctxtui.slices.context import Context, EngineComponent, run_slice
    from ctxtui.slices.declarative import build_provider
    from ctxtui.slices.entry_board import EntryBoard
    from ctxtui.slices.filters import FilterConfig, TagFilter
    from ctxtui.slices.providers import (
        AllVisibleProvider,
        DefaultCorrelationProvider,
        FilteredContextProvider,
        StateDelegatingProvider,
    )
    from ctxtui.slices.runner import AgentBuilder, Runner
    from ctxtui.slices.trace import Call, Origin, Trace
    from ctxtui.slices.types import Agent, ContextProvider, ContextRequest, ContextSlice, EvalInputs, EvalResult
    from ctxtui.slices.visibility import After, Labelled, Private, Public, Tenant, Visibility
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "artifact": "Artifact",
            "board": "Board InMemoryBoard",
            "composite": "CompositeProvider FallbackProvider LimitedProvider RedactingProvider",
            "context": "Context EngineComponent run_slice",
            "types": "Agent ContextProvider ContextRequest ContextSlice EvalInputs EvalResult",
            "declarative": "build_provider",
            "entry_board": "EntryBoard",
            "filters": "FilterConfig TagFilter",
            "providers": (
                "AllVisibleProvider DefaultCorrelationProvider FilteredContextProvider StateDelegatingProvider"
            ),
            "runner": "AgentBuilder Runner",
            "trace": "Call Origin Trace",
            "visibility": "After Labelled Private Public Tenant Visibility",
        },
    )

__all__ = [
    "After",
    "Agent",
    "AgentBuilder",
    "AllVisibleProvider",
    "Artifact",
    "Board",
    "Call",
    "CompositeProvider",
    "Context",
    "ContextProvider",
    "ContextRequest",
    "ContextSlice",
    "DefaultCorrelationProvider",
    "EngineComponent",
    "EntryBoard",
    "EvalInputs",
    "EvalResult",
    "FallbackProvider",
    "FilterConfig",
    "FilteredContextProvider",
    "InMemoryBoard",
    "Labelled",
    "LimitedProvider",
    "Origin",
    "Private",
    "Public",
    "RedactingProvider",
    "Runner",
    "StateDelegatingProvider",
    "TagFilter",
    "Tenant",
    "Trace",
    "Visibility",
    "build_provider",
    "run_slice",
]
