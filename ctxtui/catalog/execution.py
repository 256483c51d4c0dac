"""The execution context: contents that a chain of commands has loaded, shared by their caches."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from dataclasses import dataclass

from ctxtui.catalog.types import ContextFile
from ctxtui.core.tokens.arguments import a_text


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
        with self._lock:
            self._loads[(domain, topic)] = load
            self._order.append((domain, topic))

    def find(self, domain: str, topic: str) -> Load | None:
        with self._lock:
            return self._loads.get((domain, topic))

    def forget(self, domain: str | None = None, topic: str | None = None) -> None:
        """Drop everything, a domain, one topic of a domain, or a topic in every domain."""
        with self._lock:
            for key in [key for key in self._loads if domain in (None, key[0]) and topic in (None, key[1])]:
                del self._loads[key]
