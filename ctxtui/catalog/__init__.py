"""The domain catalog: discover, query and load context files by domain.

Nothing is awaited.

>>> from ctxtui.catalog import MarkdownFileContextProvider
>>> catalog = MarkdownFileContextProvider("sample_context/context_library")
>>> reference = catalog.get_reference("python", "fastapi_patterns")
>>> reference.title, [section.name for section in reference.sections[:2]]
('FastAPI Patterns', ['Endpoints', 'Dependencies'])
>>> catalog.materialize_sections(reference, ["Endpoints"]).total_tokens
204
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.base.lazy import lazy_names

if TYPE_CHECKING:
    from ctxtui.catalog.cached import CachedContextProvider
    from ctxtui.catalog.contract import ContextProvider
    from ctxtui.catalog.detection.signals import collect_signals
    from ctxtui.catalog.execution import ExecutionContext
    from ctxtui.catalog.protocol.cross_domain import derive_triggers
    from ctxtui.catalog.protocol.run import run_protocol
    from ctxtui.catalog.provider import MarkdownFileContextProvider
    from ctxtui.catalog.types import (
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
        to_json,
    )
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "cached": "CachedContextProvider",
            "contract": "ContextProvider",
            "execution": "ExecutionContext",
            "protocol.run": "run_protocol",
            "provider": "MarkdownFileContextProvider",
            "detection.signals": "collect_signals",
            "protocol.cross_domain": "derive_triggers",
            "types": (
                "ContextCatalogEntry ContextFile ContextReference DetectionHint DetectionResult "
                "DetectionSignals DomainIndex FileEntry LeftOut LoadedFile LoadingProtocol Match "
                "PartialContextFile ProtocolResult ProtocolStep SearchResult SectionContent SectionRef "
                "StepResult WorkflowEntry to_json"
            ),
        },
    )

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
