"""Detection on an opened project: the loading protocol of its catalogs, by the ids of the tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ctxtui.catalog.detection.signals import collect_signals
from ctxtui.catalog.protocol.cross_domain import derive_triggers
from ctxtui.catalog.protocol.run import run_protocol
from ctxtui.catalog.provider import MarkdownFileContextProvider
from ctxtui.catalog.types import DetectionSignals, ProtocolResult
from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.open_at import is_folder
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.links import catalog_of, catalog_root, document_path
from ctxtui.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Domain:
    """A domain of one of the project's catalogs. `catalog` is the catalog's folder, `""` for the project."""

    catalog: str
    name: str


@dataclass(frozen=True, slots=True)
class Detected:
    """The result of the five steps for a domain. `targets` maps the catalog's ids to the ids of documents."""

    domain: Domain
    triggers: tuple[str, ...]
    result: ProtocolResult
    targets: Mapping[str, str]
    notices: tuple[Notice, ...]

    @property
    def picks(self) -> tuple[str, ...]:
        """The ids of the documents to pick, without files that the workspace does not list."""
        return tuple(self.targets[file.id] for file in self.result.files if file.id in self.targets)


def has_catalog(workspace: Workspace) -> bool:
    """Whether a project has a domain catalog. Reads nothing."""
    return any(catalog_root(reference) is not None for reference in workspace.references)


class Detector:
    """Runs the protocol for the catalogs of a workspace. The signals of the project are collected once."""

    def __init__(self, workspace: Workspace, counter: TokenCounter) -> None:
        self.workspace = workspace
        self._counter = counter
        self._providers: dict[str, MarkdownFileContextProvider] = {}

    @cached_property
    def signals(self) -> DetectionSignals:
        """The signals of the project. Reads its code, within bounds."""
        return collect_signals(self.workspace.root)

    @cached_property
    def domains(self) -> tuple[Domain, ...]:
        """All domains, best match with the project first."""
        found = dict.fromkeys(
            Domain(root, reference.domain)
            for reference in self.workspace.references
            if (root := catalog_root(reference)) is not None and reference.domain
        )
        inside = [domain for domain in found if is_folder(self.workspace.root / domain.catalog / domain.name)]
        return tuple(sorted(inside, key=lambda domain: (-self._likeness(domain), domain.catalog, domain.name)))

    def _likeness(self, domain: Domain) -> int:
        detection = self._provider(domain.catalog).detect_project_type(domain.name, self.signals)
        return len(detection.explanation) + 100 * bool(detection.framework)

    def _provider(self, catalog: str) -> MarkdownFileContextProvider:
        if catalog not in self._providers:
            self._providers[catalog] = catalog_of(self.workspace, catalog, self._counter)
        return self._providers[catalog]

    def detect(self, domain: Domain, triggers: Sequence[str] | None = None, max_files: int = 6) -> Detected:
        """Walk the five steps of the protocol. Without `triggers`, those that the signals suggest are used.

        Reads the project's code on the first call, and the catalog.
        """
        provider = self._provider(domain.catalog)
        notices: list[Notice] = []
        provider.on_notice = notices.append
        asked = derive_triggers(self.signals) if triggers is None else tuple(triggers)
        result = run_protocol(provider, domain.name, self.signals, asked, max_files=max_files)
        ids = [*(file.id for file in result.files), *(left.id for left in result.left_out)]
        by_path = self.workspace.by_path
        targets = {id_: by_path[path].id for id_ in ids if (path := document_path(domain.catalog, id_)) in by_path}
        return Detected(domain, asked, result, targets, tuple(dict.fromkeys(notices)))
