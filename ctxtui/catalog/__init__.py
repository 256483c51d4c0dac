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

# ruff: noqa: I001 - each name is passed on as itself, those of a module together

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.base.lazy import lazy_names

if TYPE_CHECKING:
    from ctxtui.catalog.cached import (
        CachedContextProvider as CachedContextProvider,
        ExecutionContext as ExecutionContext,
    )
    from ctxtui.catalog.contract import ContextProvider as ContextProvider
    from ctxtui.catalog.detection.signals import collect_signals as collect_signals
    from ctxtui.catalog.protocol.cross_domain import derive_triggers as derive_triggers
    from ctxtui.catalog.protocol.run import run_protocol as run_protocol
    from ctxtui.catalog.provider import MarkdownFileContextProvider as MarkdownFileContextProvider
    from ctxtui.catalog.types import (
        ContextCatalogEntry as ContextCatalogEntry,
        ContextFile as ContextFile,
        ContextReference as ContextReference,
        DetectionHint as DetectionHint,
        DetectionResult as DetectionResult,
        DetectionSignals as DetectionSignals,
        DomainIndex as DomainIndex,
        FileEntry as FileEntry,
        LeftOut as LeftOut,
        LoadedFile as LoadedFile,
        LoadingProtocol as LoadingProtocol,
        Match as Match,
        PartialContextFile as PartialContextFile,
        ProtocolResult as ProtocolResult,
        ProtocolStep as ProtocolStep,
        SearchResult as SearchResult,
        SectionContent as SectionContent,
        SectionRef as SectionRef,
        StepResult as StepResult,
        WorkflowEntry as WorkflowEntry,
        to_json as to_json,
    )
else:
    __getattr__, __dir__ = lazy_names(__name__)
