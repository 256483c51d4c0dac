"""Composable context providers: what an agent sees of a board of artifacts.

Providers, boards and the runner are awaited.

>>> import asyncio
>>> from ctxtui.slices import EntryBoard, FilterConfig
>>> board = EntryBoard("sample_context/notes")
>>> found, total = asyncio.run(board.query_artifacts(FilterConfig(types={"Decision"})))
>>> found[0].type, total
('Decision', 1)
"""

# ruff: noqa: I001 - each name is passed on as itself, those of a module together

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.base.lazy import lazy_names

if TYPE_CHECKING:
    from ctxtui.slices.artifact import Artifact as Artifact
    from ctxtui.slices.board import Board as Board, InMemoryBoard as InMemoryBoard
    from ctxtui.slices.composite import (
        CompositeProvider as CompositeProvider,
        FallbackProvider as FallbackProvider,
        LimitedProvider as LimitedProvider,
        RedactingProvider as RedactingProvider,
    )
    from ctxtui.slices.context import Context as Context, EngineComponent as EngineComponent, run_slice as run_slice
    from ctxtui.slices.declarative import build_provider as build_provider
    from ctxtui.slices.entry_board import EntryBoard as EntryBoard
    from ctxtui.slices.filters import FilterConfig as FilterConfig, TagFilter as TagFilter
    from ctxtui.slices.providers import (
        AllVisibleProvider as AllVisibleProvider,
        DefaultCorrelationProvider as DefaultCorrelationProvider,
        FilteredContextProvider as FilteredContextProvider,
        StateDelegatingProvider as StateDelegatingProvider,
    )
    from ctxtui.slices.runner import AgentBuilder as AgentBuilder, Runner as Runner
    from ctxtui.slices.trace import Call as Call, Origin as Origin, Trace as Trace
    from ctxtui.slices.types import (
        Agent as Agent,
        ContextProvider as ContextProvider,
        ContextRequest as ContextRequest,
        ContextSlice as ContextSlice,
        EvalInputs as EvalInputs,
        EvalResult as EvalResult,
    )
    from ctxtui.slices.visibility import (
        After as After,
        Labelled as Labelled,
        Private as Private,
        Public as Public,
        Tenant as Tenant,
        Visibility as Visibility,
    )
else:
    __getattr__, __dir__ = lazy_names(__name__)
