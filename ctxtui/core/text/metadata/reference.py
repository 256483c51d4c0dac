"""References: the metadata of a document without its content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from sys import intern
from typing import Any, Final
from unicodedata import normalize

from ctxtui.core.disk.content import Stamp

ALWAYS, ON_DEMAND, LAZY = "always", "onDemand", "lazy"
LAST: Final = 90
"""The priority of plain files, behind all others under a budget."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A section declared in the metadata of a document: its name, tokens and keywords."""

    name: str
    estimated_tokens: int | None = None
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Details:
    """The fields of a reference beyond identity (catalog specification 8), if metadata was read."""

    values: Mapping[str, Any] = field(default_factory=dict)
    type: str | None = None
    domain: str | None = None
    declared_tokens: int | None = None
    sections: tuple[Declared, ...] = ()
    tags: tuple[str, ...] = ()
    cross_domain_triggers: tuple[str, ...] = ()
    detection_triggers: tuple[str, ...] = ()


NO_DETAILS = Details()


@dataclass(frozen=True, slots=True)
class Reference:
    """A document as the tree, the selection and the budget see it.

    `path` is relative to the project. `source` is the source that claims it, `strategy` one of ALWAYS, ON_DEMAND and
    LAZY. Under a budget, the lowest number of `priority` is kept longest, and `protected` documents are never cut.
    `aliases` are other paths to the same file by links. `large` is the reason to leave out large data, such as
    `lock file`, else None. `domain` is that of a file in a domain of a catalog, else empty.
    """

    id: str
    path: str
    source: str
    title: str
    stamp: Stamp
    priority: int
    strategy: str | None = None
    protected: bool = False
    ignored: bool = False
    details: Details = NO_DETAILS
    aliases: tuple[str, ...] = ()
    large: str | None = None
    domain: str = ""

    @property
    def folders(self) -> tuple[str, ...]:
        """The names of the folders around the file, from the project down."""
        return folders_of(self.path.rpartition("/")[0])

    @property
    def paths(self) -> tuple[str, ...]:
        """All paths to the file, `path` first."""
        return (self.path, *self.aliases)

    @property
    def is_on_request(self) -> bool:
        """Whether it is counted on request only, like all large data that is not empty."""
        return self.large is not None and self.stamp.size > 0


@lru_cache(maxsize=16_384)
def folders_of(folder: str) -> tuple[str, ...]:
    """The names in the path of a folder, interned. Empty for the project itself."""
    above, _, name = folder.rpartition("/")
    return (*folders_of(above), intern(name)) if folder else ()


def encode_id(path: str) -> str:
    """A path as an id: `#` and `%` are percent-encoded, so that `id#slug` can be split."""
    return path.replace("%", "%25").replace("#", "%23")


def composed(name: str) -> str:
    """A name with composed marks (NFC): some systems write them apart, and both look alike."""
    return name if name.isascii() else normalize("NFC", name)


def decode_id(id_: str) -> str:
    return id_.replace("%23", "#").replace("%25", "%")
