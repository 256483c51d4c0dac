"""The values of the catalog specification: the arguments and results of the eleven methods, in snake_case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ctxtui.core.text.projection import project
from ctxtui.core.tokens.arguments import a_text, texts

# A field beyond the specification. JSON omits it if empty.
_OURS = {"ours": True}

Kind = Literal["framework", "library", "testing", "architecture", "version", "setting"]


def to_json(value: object) -> Any:
    """Return a value of this package, or a list of values, as JSON data with the specification's keys.

    Fields that the specification lacks (`reason`, `explanation`) are omitted if empty. Metadata keep the keys of the
    file.
    """
    return project(value)


@dataclass(frozen=True, slots=True)
class ContextCatalogEntry:
    """One row of `getCatalog` (catalog specification 1). `path` is relative to the catalog's root."""

    id: str
    domain: str
    title: str
    type: str
    estimated_tokens: int
    loading_strategy: str
    path: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file as a domain's index describes it (method 2). `path` is relative to the catalog's root."""

    id: str
    path: str
    type: str
    loading_strategy: str
    purpose: str


@dataclass(frozen=True, slots=True)
class WorkflowEntry:
    """A recommended way through a domain (method 2): its steps, and the ids of the files they name."""

    name: str
    files: tuple[str, ...]
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DetectionHint:
    """A pattern that an index maps to files (method 2), by their ids."""

    pattern: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DomainIndex:
    """A domain's `index.md` as data (method 2)."""

    domain: str
    files: tuple[FileEntry, ...] = ()
    workflows: tuple[WorkflowEntry, ...] = ()
    detection_hints: tuple[DetectionHint, ...] = ()


@dataclass(frozen=True, slots=True)
class ProtocolStep:
    """One step of the loading protocol (method 3), counted from 1."""

    number: int
    title: str
    description: str
    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LoadingProtocol:
    """The loading protocol (method 3). `token_budget` is the upper bound of files, best `priority_order` first."""

    steps: tuple[ProtocolStep, ...]
    token_budget: int
    priority_order: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContextFile:
    """A loaded file (methods 4, 6, 7, 9): the body without frontmatter, and its counted tokens.

    `reason` says why a method returned the file.
    """

    id: str
    title: str
    content: str
    estimated_tokens: int
    metadata: Mapping[str, Any]
    reason: str = field(default="", compare=False, metadata=_OURS)


@dataclass(frozen=True, slots=True)
class DetectionSignals:
    """Signals of a project's code (method 5). A single string is one signal. Raises TypeError for other values."""

    imports: Sequence[str] = ()
    file_patterns: Sequence[str] = ()
    code_patterns: Sequence[str] = ()
    config_files: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("imports", "file_patterns", "code_patterns", "config_files"):
            object.__setattr__(self, name, texts(getattr(self, name), name))


@dataclass(frozen=True, slots=True)
class Match:
    """A signal that matched a row of a detection table, with the pattern and the row's label and kind."""

    signal: str
    pattern: str
    row: str
    section: str
    kind: Kind
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DetectionResult:
    """The detected kind of a project (method 5), empty if nothing was detected. `explanation` says why.

    A single string is one library or file. Raises TypeError for values of the wrong type.
    """

    framework: str = ""
    libraries: tuple[str, ...] = ()
    architecture: str = ""
    testing_framework: str = ""
    recommended_files: tuple[str, ...] = ()
    explanation: tuple[Match, ...] = field(default=(), metadata=_OURS)

    def __post_init__(self) -> None:
        for name in ("framework", "architecture", "testing_framework"):
            a_text(getattr(self, name), name)
        for name in ("libraries", "recommended_files"):
            object.__setattr__(self, name, texts(getattr(self, name), name))


@dataclass(frozen=True, slots=True)
class SectionRef:
    """A section declared in the metadata (method 8), with 0 tokens if they give no number."""

    name: str
    estimated_tokens: int
    keywords: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContextReference:
    """The metadata of a file without its content (method 8). `path` is absolute."""

    id: str
    domain: str
    title: str
    type: str
    estimated_tokens: int
    loading_strategy: str
    sections: tuple[SectionRef, ...]
    tags: tuple[str, ...]
    cross_domain_triggers: tuple[str, ...]
    detection_triggers: tuple[str, ...]
    path: str


@dataclass(frozen=True, slots=True)
class SectionContent:
    """A section's text from its heading to the next heading of equal or higher level (method 10)."""

    name: str
    content: str


@dataclass(frozen=True, slots=True)
class PartialContextFile:
    """Some sections of a file (method 10), and their total cost in tokens."""

    id: str
    title: str
    sections: tuple[SectionContent, ...]
    total_tokens: int
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A hit of `search` (method 11): relevance within 0..1, and which kinds of metadata matched."""

    reference: ContextReference
    relevance: float
    matched_on: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """A file that a step selects, its reason, and its `file` if loaded. Lower `priority` loads first."""

    id: str
    step: int
    reason: str
    priority: int
    relevance: float | None = None
    file: ContextFile | None = None


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """A file that the protocol loaded, with the step that loads it and the reason."""

    file: ContextFile
    step: int
    reason: str

    @property
    def id(self) -> str:
        return self.file.id


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that the protocol considered and did not load, with the step and the reason."""

    id: str
    step: int
    reason: str


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of one protocol step, with the ids of loaded and left-out files."""

    number: int
    title: str
    reason: str
    loaded: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProtocolResult:
    """The five steps for one domain and project: which files were loaded or left out, and why."""

    domain: str
    steps: tuple[StepResult, ...]
    files: tuple[LoadedFile, ...]
    left_out: tuple[LeftOut, ...]
    detection: DetectionResult
    max_files: int

    @property
    def tokens(self) -> int:
        return sum(each.file.estimated_tokens for each in self.files)
