"""The domain catalog of seed 000: discover, query and load context files by domain."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctxtui.catalog.as_json import to_json
    from ctxtui.catalog.cached import CachedContextProvider
    from ctxtui.catalog.contract import ContextProvider
    from ctxtui.catalog.execution import ExecutionContext
    from ctxtui.catalog.protocol import run_protocol
    from ctxtui.catalog.provider import MarkdownFileContextProvider
    from ctxtui.catalog.signals import collect_signals
    from ctxtui.catalog.triggers import derive_triggers
    from ctxtui.catalog.values import (
        ContextCatalogEntry,
        ContextFile,
        ContextReference,
        DetectionHint,
        DetectionResult,
        DetectionSignals,
        DomainIndex,
        FileEntry,
        LeftOut,
        LoadedFile,
        LoadingProtocol,
        Match,
        PartialContextFile,
        ProtocolResult,
        ProtocolStep,
        SearchResult,
        SectionContent,
        SectionRef,
        StepResult,
        WorkflowEntry,
    )

_VALUES = (
    "ContextCatalogEntry ContextFile ContextReference DetectionHint DetectionResult DetectionSignals DomainIndex"
    " FileEntry LeftOut LoadedFile LoadingProtocol Match PartialContextFile ProtocolResult ProtocolStep"
    " SearchResult SectionContent SectionRef StepResult WorkflowEntry"
)
_HOMES = {
    "CachedContextProvider": "cached",
    "ContextProvider": "contract",
    "ExecutionContext": "execution",
    "MarkdownFileContextProvider": "provider",
    "collect_signals": "signals",
    "derive_triggers": "triggers",
    "run_protocol": "protocol",
    "to_json": "as_json",
} | dict.fromkeys(_VALUES.split(), "values")

__all__ = [
    "CachedContextProvider",
    "ContextCatalogEntry",
    "ContextFile",
    "ContextProvider",
    "ContextReference",
    "DetectionHint",
    "DetectionResult",
    "DetectionSignals",
    "DomainIndex",
    "ExecutionContext",
    "FileEntry",
    "LeftOut",
    "LoadedFile",
    "LoadingProtocol",
    "MarkdownFileContextProvider",
    "Match",
    "PartialContextFile",
    "ProtocolResult",
    "ProtocolStep",
    "SearchResult",
    "SectionContent",
    "SectionRef",
    "StepResult",
    "WorkflowEntry",
    "collect_signals",
    "derive_triggers",
    "run_protocol",
    "to_json",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: listing a project needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - lazily, as the docstring says

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
