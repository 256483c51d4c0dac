"""A cache of three tiers around any provider, and what the commands of a session share (catalog specification 13)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from ctxtui.catalog.contract import Choosing, ContextProvider, Notifying, Versioned
from ctxtui.catalog.library import split_id
from ctxtui.catalog.protocol.choices import as_choosing, load_all, load_conditional, load_cross_domain
from ctxtui.catalog.sections import text_list
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
from ctxtui.core.base.notices import Notice, OnNotice, log_notice
from ctxtui.core.tokens.arguments import a_text, an_instance, with_methods

Tier = Literal["catalog", "reference", "content"]
Key = tuple[Hashable, ...]

Value = TypeVar("Value")
_METHODS = ("get_catalog", "get_reference", "materialize", "search")


@dataclass(slots=True)
class TierStats:
    """Hits, and misses that the provider answered."""

    hits: int = 0
    misses: int = 0


@dataclass(frozen=True, slots=True)
class CacheStats:
    """Hits and misses of the tiers (catalog specification 13) and of the execution context."""

    catalog: TierStats = field(default_factory=TierStats)
    reference: TierStats = field(default_factory=TierStats)
    content: TierStats = field(default_factory=TierStats)
    execution: TierStats = field(default_factory=TierStats)

    @property
    def hits(self) -> int:
        return sum(tier.hits for tier in (self.catalog, self.reference, self.content, self.execution))

    @property
    def misses(self) -> int:
        """All misses. A miss of the execution context is also a miss of a tier, and is counted once."""
        return sum(tier.misses for tier in (self.catalog, self.reference, self.content))


@dataclass(frozen=True, slots=True)
class Load:
    """A recorded content, with its file and version if a provider recorded them."""

    content: str
    file: ContextFile | None = None
    version: Hashable = None


class ExecutionContext:
    """Contents by domain and topic for a session (catalog specification 13), in memory only."""

    def __init__(self) -> None:
        self._loads: dict[tuple[str, str], Load] = {}
        self._order: list[tuple[str, str]] = []
        self._lock = threading.Lock()

    @property
    def loaded(self) -> tuple[tuple[str, str], ...]:
        """The domains and topics in recorded order, repeats included."""
        return tuple(self._order)

    def record_context_load(self, domain: str, topic: str, content: str) -> None:
        """Record a content, replacing an earlier content of the topic. Raises TypeError for anything but strings."""
        for name, value in (("domain", domain), ("topic", topic), ("content", content)):
            a_text(value, name)
        self.record(domain, topic, Load(content))

    def get_cached_context(self, domain: str, topic: str) -> str | None:
        """The content that was recorded last, or None."""
        load = self.find(domain, topic)
        return load.content if load else None

    def record(self, domain: str, topic: str, load: Load) -> None:
        """Record a load, replacing an earlier load of the topic."""
        with self._lock:
            self._loads[(domain, topic)] = load
            self._order.append((domain, topic))

    def find(self, domain: str, topic: str) -> Load | None:
        """The load that was recorded last, or None."""
        with self._lock:
            return self._loads.get((domain, topic))

    def forget(self, domain: str | None = None, topic: str | None = None) -> None:
        """Drop everything, a domain, one topic of a domain, or a topic in every domain."""
        with self._lock:
            for key in [key for key in self._loads if domain in (None, key[0]) and topic in (None, key[1])]:
                del self._loads[key]


@dataclass(frozen=True, slots=True)
class _CachedValue:
    """A value with its provider's version and the notices that came with it."""

    value: Any
    version: Hashable
    notices: tuple[Notice, ...]


def _concerns(key: Key, domain: str | None, file: str | None) -> bool:
    """Whether a key's value may depend on a domain's file. The value of a key without a domain or file always may."""
    key_domain, key_file = key[1], key[2]
    if domain is None or key_domain is None:
        return True
    return key_domain == domain and (file is None or key_file in (None, file))


class CachedContextProvider:
    """A `ContextProvider` that asks another provider only for values it has not cached.

    A hit repeats the notices of the value. If the provider reports versions, an outdated value is never returned. For
    other providers, call `invalidate`. Detection and search are computed each time, and so are choices if the
    provider reports them. Contents are shared with other commands through `execution`.
    """

    def __init__(self, inner: ContextProvider, execution: ExecutionContext | None = None) -> None:
        self._inner: ContextProvider = with_methods(inner, _METHODS, "inner", "a ContextProvider")
        self._execution: ExecutionContext | None = an_instance(
            execution, (ExecutionContext, type(None)), "execution", "an ExecutionContext or None"
        )
        # By the kind of value, the domain, the file, and further arguments.
        self._kept: dict[Key, _CachedValue] = {}
        # The notices of each value that is being computed.
        self._frames: list[list[Notice]] = []
        self._lock = threading.RLock()
        self.stats = CacheStats()
        """Hits and misses so far."""
        self.on_notice: OnNotice = log_notice
        """The receiver of notices, new and repeated."""
        if isinstance(inner, Notifying):
            self.on_notice = inner.on_notice
            inner.on_notice = self._receive

    @property
    def max_files(self) -> int:
        """The file budget of the inner provider."""
        return as_choosing(self._inner, self).max_files

    def invalidate(self, domain: str | None = None, file: str | None = None) -> None:
        """Forget everything, a domain, or a file (with or without `.md`) and the lists of files that contain it."""
        file = file and file.removesuffix(".md")
        with self._lock:
            self._kept = {key: kept for key, kept in self._kept.items() if not _concerns(key, domain, file)}
            if self._execution:
                self._execution.forget(domain, file)
            if isinstance(self._inner, Versioned):
                self._inner.forget()

    def get_catalog(self, domain: str | None = None) -> list[ContextCatalogEntry]:
        """The inner provider's entries, kept in tier 1 after the first call."""
        return list(self._cached("catalog", ("catalog", domain, None), lambda: self._inner.get_catalog(domain)))

    def get_domain_index(self, domain: str) -> DomainIndex:
        """The inner provider's index, kept in tier 1 after the first call."""
        return self._cached("catalog", ("index", domain, None), lambda: self._inner.get_domain_index(domain))

    def get_loading_protocol(self) -> LoadingProtocol:
        """The inner provider's protocol, kept in tier 1 after the first call."""
        return self._cached("catalog", ("protocol", "", None), self._inner.get_loading_protocol)

    def get_always_load_files(self, domain: str) -> list[ContextFile]:
        """The files that step 2 loads, with contents from tier 3."""
        if isinstance(self._inner, Choosing):
            return load_all(self, self._inner.choose_always(domain))
        return self._files(("always", domain, None), lambda: self._inner.get_always_load_files(domain))

    def detect_project_type(self, domain: str, signals: DetectionSignals) -> DetectionResult:
        """The inner provider's detection, never cached: signals differ."""
        return self._inner.detect_project_type(domain, signals)

    def get_conditional_context(self, domain: str, detection: DetectionResult) -> list[ContextFile]:
        """The recommended files, at most `max_files` less the always files, with contents from tier 3."""
        if isinstance(self._inner, Choosing):
            return load_conditional(self, self._inner, domain, detection, self._receive)
        key = ("conditional", domain, None, tuple(detection.recommended_files))
        return self._files(key, lambda: self._inner.get_conditional_context(domain, detection))

    def get_cross_domain_context(self, domain: str, triggers: Sequence[str]) -> list[ContextFile]:
        """The files of other domains that match the triggers, within the file budget, with contents from tier 3."""
        if isinstance(self._inner, Choosing):
            return load_cross_domain(self, self._inner, domain, triggers, self._receive)
        # The files can be of any domain, so invalidating any domain drops this entry.
        key = ("cross", None, domain, (triggers,) if _is_a(str, triggers) else tuple(triggers))
        return self._files(key, lambda: self._inner.get_cross_domain_context(domain, triggers))

    def get_reference(self, domain: str, file: str) -> ContextReference | None:
        """A file's metadata, kept in tier 2 after the first call. None for an unknown file, looked up each time."""
        key = ("reference", domain, file.removesuffix(".md") if _is_a(str, file) else file)
        return self._cached("reference", key, lambda: self._inner.get_reference(domain, file))

    def materialize(self, reference: ContextReference) -> ContextFile:
        """The body of a file: from tier 3, else from the execution context, else from the inner provider."""
        if not _is_a(ContextReference, reference):
            return self._inner.materialize(reference)
        domain, name = split_id(reference.id)
        return self._content(domain, name, lambda: self._inner.materialize(reference))

    def materialize_sections(self, reference: ContextReference, sections: Sequence[str]) -> PartialContextFile:
        """The inner provider's sections of a file, kept in tier 3 for each list of sections."""
        if not _is_a(ContextReference, reference) or not _is_a(Iterable, sections):
            return self._inner.materialize_sections(reference, sections)
        key = ("sections", *split_id(reference.id), tuple(text_list(sections)))
        return self._cached("content", key, lambda: self._inner.materialize_sections(reference, sections))

    def search(self, query: str, domain: str | None = None) -> list[SearchResult]:
        """The inner provider's results, never cached: queries differ."""
        return self._inner.search(query, domain)

    def choose_always(self, domain: str) -> list[Choice]:
        """The files that step 2 loads, each with its reason."""
        return as_choosing(self._inner, self).choose_always(domain)

    def choose_conditional(self, domain: str, detection: DetectionResult) -> list[Choice]:
        """The files that step 4 would load without a budget."""
        return as_choosing(self._inner, self).choose_conditional(domain, detection)

    def choose_cross_domain(self, domain: str, triggers: Sequence[str]) -> list[Choice]:
        """The files that step 5 would load without a budget."""
        return as_choosing(self._inner, self).choose_cross_domain(domain, triggers)

    def version(self, domain: str | None = None, file: str | None = None) -> Hashable:
        """The inner provider's version, constant if it has none."""
        return self._inner.version(domain, file) if isinstance(self._inner, Versioned) else None

    def forget(self) -> None:
        """Forget everything."""
        self.invalidate()

    def _receive(self, notice: Notice) -> None:
        for frame in self._frames:
            frame.append(notice)
        self.on_notice(notice)

    def _cached(self, tier: Tier, key: Key, make: Callable[[], Value]) -> Value:
        """The value of a key, from the cache or newly computed, counted in a tier.

        A key starts with the kind of value, the domain and the file. A hit repeats the notices.
        """
        domain, file = key[1], key[2]
        if not isinstance(domain, str | None) or not isinstance(file, str | None):
            # The inner provider says what is wrong.
            return make()
        with self._lock:
            version = self.version(domain, file)
            if key[0] == "index":
                # The catalog's own index states purposes too.
                version = (version, self.version(""))
            stats: TierStats = getattr(self.stats, tier)
            kept = self._kept.get(key)
            if kept is None or kept.version != version:
                stats.misses += 1
                return self._computed(key, version, make)
            stats.hits += 1
            for notice in kept.notices:
                self._receive(notice)
            value: Value = kept.value
            return value

    def _computed(self, key: Key, version: Hashable, make: Callable[[], Value]) -> Value:
        """The new value that `make` returns, kept with its version and notices unless it is None."""
        self._frames.append([])
        try:
            value = make()
        finally:
            notices = self._frames.pop()
        if value is not None:
            self._kept[key] = _CachedValue(value, version, tuple(notices))
        return value

    def _content(self, domain: str, name: str, make: Callable[[], ContextFile]) -> ContextFile:
        return self._cached("content", ("content", domain, name), lambda: self._shared(domain, name, make))

    def _shared(self, domain: str, name: str, make: Callable[[], ContextFile]) -> ContextFile:
        """The content from an earlier command of the session, or a new content, recorded for later commands."""
        if self._execution is None:
            return make()
        version = self.version(domain, name)
        load = self._execution.find(domain, name)
        if load is not None and load.file is not None and load.version == version:
            self.stats.execution.hits += 1
            return load.file
        self.stats.execution.misses += 1
        file = make()
        self._execution.record(domain, name, Load(file.content, file, version))
        return file

    def _files(self, key: Key, make: Callable[[], list[ContextFile]]) -> list[ContextFile]:
        """Files that the inner provider chose and loaded itself, each cached for `materialize` as well."""
        with self._lock:
            files = self._cached("content", key, make)
            return [self._content(*split_id(file.id), lambda file=file: file) for file in files]  # type: ignore[misc]


def _is_a(kind: type, value: object) -> bool:
    return isinstance(value, kind)
