"""The contract of the catalog specification: eleven methods, and three optional abilities of a provider."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Protocol, runtime_checkable

from ctxtui.catalog.types import (
    Choice,
    ContextCatalogEntry,
    ContextFile,
    ContextReference,
    DetectionResult,
    DetectionSignals,
    DomainIndex,
    LoadingProtocol,
    PartialContextFile,
    SearchResult,
)
from ctxtui.core.base.notices import OnNotice


class ContextProvider(Protocol):
    """Discovers, queries and loads context files (catalog specification 1–11).

    A file that cannot be found or read gives an empty or reduced result and a notice, never an exception.
    """

    def get_catalog(self, domain: str | None = None) -> list[ContextCatalogEntry]:
        """Every file of one domain, or of all, by its metadata (method 1)."""

    def get_domain_index(self, domain: str) -> DomainIndex:
        """The domain's index as data (method 2, protocol step 1)."""

    def get_loading_protocol(self) -> LoadingProtocol:
        """The five steps, the file budget and the priorities (method 3)."""

    def get_always_load_files(self, domain: str) -> list[ContextFile]:
        """The files that every task in the domain loads (method 4, protocol step 2)."""

    def detect_project_type(self, domain: str, signals: DetectionSignals) -> DetectionResult:
        """The kind of project that the signals show (method 5, protocol step 3)."""

    def get_conditional_context(self, domain: str, detection: DetectionResult) -> list[ContextFile]:
        """The files that a detection recommends, within the file budget (method 6, protocol step 4)."""

    def get_cross_domain_context(self, domain: str, triggers: Sequence[str]) -> list[ContextFile]:
        """The files of other domains that match the triggers (method 7, protocol step 5)."""

    def get_reference(self, domain: str, file: str) -> ContextReference | None:
        """A file's metadata without its content, or None for an unknown file (method 8)."""

    def materialize(self, reference: ContextReference) -> ContextFile:
        """The whole body of a file (method 9), empty if the file is gone."""

    def materialize_sections(self, reference: ContextReference, sections: Sequence[str]) -> PartialContextFile:
        """Some sections of a file by their names or slugs (method 10)."""

    def search(self, query: str, domain: str | None = None) -> list[SearchResult]:
        """Files by tags, keywords, titles and detection triggers, best first (method 11)."""


@runtime_checkable
class Notifying(Protocol):
    """A provider that sends its notices to a replaceable receiver."""

    on_notice: OnNotice


@runtime_checkable
class Choosing(Protocol):
    """A provider that reports the choices of a step, and the reasons, before loading anything."""

    @property
    def max_files(self) -> int:
        """The file budget: the maximum number of files to load."""

    def choose_always(self, domain: str) -> list[Choice]:
        """The files that step 2 loads."""

    def choose_conditional(self, domain: str, detection: DetectionResult) -> list[Choice]:
        """The files that step 4 would load without a budget."""

    def choose_cross_domain(self, domain: str, triggers: Sequence[str]) -> list[Choice]:
        """The files that step 5 would load without a budget, with relevance."""


@runtime_checkable
class Versioned(Protocol):
    """A provider that detects changed files without reading them, and can drop its caches."""

    def version(self, domain: str | None = None, file: str | None = None) -> Hashable:
        """A value that changes when a file, a domain or the catalog changes."""

    def forget(self) -> None:
        """Drop every cached value."""
