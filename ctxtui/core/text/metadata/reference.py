"""References: the metadata of a document without its content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from unicodedata import normalize

from ctxtui.core.disk.content import Stamp

ALWAYS, ON_DEMAND, LAZY = "always", "onDemand", "lazy"
LAST: Final = 90
"""The priority of plain files, behind all others under a budget."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A section as declared in a document's metadata: its name, its tokens and its keywords."""

    name: str
    estimated_tokens: int | None = None
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Details:
    """The fields of a reference beyond identity (catalog specification 8), for documents whose metadata was read."""

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
    """A document as the tree, the selection and the budget know it.

    `path` is relative to the project; `source` is the source that claims it, `group` the folders it is shown in.
    Documents with a low `priority` are kept longest under a budget; `protected` ones are never cut. `aliases` are
    the other paths that lead to the same file by links. `large` says why it is large data that nobody sends, such as
    `lock file`; None if it is not.
    """

    id: str
    path: str
    source: str
    group: tuple[str, ...]
    title: str
    stamp: Stamp
    priority: int
    strategy: str | None = None
    protected: bool = False
    ignored: bool = False
    details: Details = NO_DETAILS
    aliases: tuple[str, ...] = ()
    large: str | None = None

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that leads to the file, its own first."""
        return (self.path, *self.aliases)

    @property
    def is_on_request(self) -> bool:
        """Whether it is counted on request only, as large data is unless it is empty."""
        return self.large is not None and self.stamp.size > 0


def encode_id(path: str) -> str:
    """A path as an id: `#` and `%` are percent-encoded, so that `id#slug` can be split."""
    return path.replace("%", "%25").replace("#", "%23")


def composed(name: str) -> str:
    """A name with its marks composed: some systems write them apart, and both look alike."""
    return name if name.isascii() else normalize("NFC", name)


def decode_id(id_: str) -> str:
    """The path that an id is of."""
    return id_.replace("%23", "#").replace("%25", "%")
