"""The composable context providers of seed 003."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctxtui.slices.agent import Agent, AgentBuilder
    from ctxtui.slices.artifact import Artifact
    from ctxtui.slices.board import Board, InMemoryBoard
    from ctxtui.slices.combining import CompositeProvider, FallbackProvider, LimitedProvider
    from ctxtui.slices.context import Context, EngineComponent, EvalInputs, EvalResult
    from ctxtui.slices.contract import ContextProvider, ContextRequest, ContextSlice
    from ctxtui.slices.declared import build_provider
    from ctxtui.slices.entry_board import EntryBoard
    from ctxtui.slices.filters import FilterConfig, TagFilter
    from ctxtui.slices.providers import (
        AllVisibleProvider,
        DefaultCorrelationProvider,
        FilteredContextProvider,
        StateDelegatingProvider,
    )
    from ctxtui.slices.redaction import RedactingProvider
    from ctxtui.slices.runner import Runner
    from ctxtui.slices.running import run_slice
    from ctxtui.slices.tracing import Call, Origin, Trace
    from ctxtui.slices.visibility import After, Labelled, Private, Public, Tenant, Visibility

_HOMES = {
    "After": "visibility",
    "Agent": "agent",
    "AgentBuilder": "agent",
    "AllVisibleProvider": "providers",
    "Artifact": "artifact",
    "Board": "board",
    "Call": "tracing",
    "CompositeProvider": "combining",
    "Context": "context",
    "ContextProvider": "contract",
    "ContextRequest": "contract",
    "ContextSlice": "contract",
    "DefaultCorrelationProvider": "providers",
    "EngineComponent": "context",
    "EntryBoard": "entry_board",
    "EvalInputs": "context",
    "EvalResult": "context",
    "FallbackProvider": "combining",
    "FilterConfig": "filters",
    "FilteredContextProvider": "providers",
    "InMemoryBoard": "board",
    "Labelled": "visibility",
    "LimitedProvider": "combining",
    "Origin": "tracing",
    "Private": "visibility",
    "Public": "visibility",
    "RedactingProvider": "redaction",
    "Runner": "runner",
    "StateDelegatingProvider": "providers",
    "TagFilter": "filters",
    "Tenant": "visibility",
    "Trace": "tracing",
    "Visibility": "visibility",
    "build_provider": "declared",
    "run_slice": "running",
}

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


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: a recipe needs no runner, and a runner no recipe."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - lazily, as the docstring says

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
