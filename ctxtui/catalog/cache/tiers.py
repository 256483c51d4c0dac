"""The three tiers of the cache: values by key, with their versions and notices."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from ctxtui.core.notices import Notice

Tier = Literal["catalog", "reference", "content"]
Key = tuple[Hashable, ...]
Value = TypeVar("Value")


@dataclass(slots=True)
class TierStats:
    """Hits, and misses that the provider answered."""

    hits: int = 0
    misses: int = 0


@dataclass(frozen=True, slots=True)
class CacheStats:
    """Hits and misses of the tiers (catalog specification 13), and the hits of the execution context."""

    catalog: TierStats = field(default_factory=TierStats)
    reference: TierStats = field(default_factory=TierStats)
    content: TierStats = field(default_factory=TierStats)
    execution: TierStats = field(default_factory=TierStats)

    @property
    def hits(self) -> int:
        return sum(tier.hits for tier in (self.catalog, self.reference, self.content, self.execution))

    @property
    def misses(self) -> int:
        """All misses. The tiers count a miss of the execution context."""
        return sum(tier.misses for tier in (self.catalog, self.reference, self.content))


@dataclass(frozen=True, slots=True)
class _Kept:
    value: Any
    version: Hashable
    notices: tuple[Notice, ...]


class Tiers:
    """Keys are tuples of the kind of value, the domain and the file, never joined strings."""

    def __init__(self) -> None:
        self._kept: dict[Tier, dict[Key, _Kept]] = {"catalog": {}, "reference": {}, "content": {}}
        self._frames: list[list[Notice]] = []
        self.stats = CacheStats()

    def heard(self, notice: Notice) -> None:
        """Add a notice to every value that is being computed."""
        for frame in self._frames:
            frame.append(notice)

    def find(self, tier: Tier, key: Key, version: Hashable) -> _Kept | None:
        kept = self._kept[tier].get(key)
        stats: TierStats = getattr(self.stats, tier)
        if kept is None or kept.version != version:
            stats.misses += 1
            return None
        stats.hits += 1
        return kept

    def keep(self, tier: Tier, key: Key, version: Hashable, make: Callable[[], Value]) -> Value:
        """Compute a value and cache it with its notices. None is not cached."""
        self._frames.append([])
        try:
            value = make()
        finally:
            notices = self._frames.pop()
        if value is not None:
            self._kept[tier][key] = _Kept(value, version, tuple(notices))
        return value

    def drop(self, domain: str | None = None, file: str | None = None) -> None:
        """Drop all values, a domain, or a file with its domain's catalog rows."""
        for tier, kept in self._kept.items():
            for key in [key for key in kept if _concerns(tier, key, domain, file)]:
                del kept[key]


def _concerns(tier: Tier, key: Key, domain: str | None, file: str | None) -> bool:
    """Whether a key may depend on a domain's file. Values that span domains always do."""
    about, of = key[1], key[2]
    if domain is None or about is None:
        return True
    if about != domain:
        return False
    return file is None or of is None or of == file or tier == "catalog"
