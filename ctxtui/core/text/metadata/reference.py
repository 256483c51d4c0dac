"""References: the metadata of a document without its content, with its details as frontmatter has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from sys import intern
from typing import Any, Final
from unicodedata import normalize

from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.content import Stamp

ALWAYS, ON_DEMAND, LAZY = "always", "onDemand", "lazy"
LAST_PRIORITY: Final = 90
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
        return _folders_of(self.path.rpartition("/")[0])

    @property
    def paths(self) -> tuple[str, ...]:
        """All paths to the file, `path` first."""
        return (self.path, *self.aliases)

    @property
    def is_on_request(self) -> bool:
        """Whether it is counted on request only, like all large data that is not empty."""
        return self.large is not None and self.stamp.size > 0


@lru_cache(maxsize=16_384)
def _folders_of(folder: str) -> tuple[str, ...]:
    """The names in the path of a folder, interned. Empty for the project itself."""
    above, _, name = folder.rpartition("/")
    return (*_folders_of(above), intern(name)) if folder else ()


def encode_id(path: str) -> str:
    """A path as an id: `#` and `%` are percent-encoded, so that `id#slug` can be split."""
    return path.replace("%", "%25").replace("#", "%23")


def composed(name: str) -> str:
    """A name with composed marks (NFC): some systems write them apart, and both look alike."""
    return name if name.isascii() else normalize("NFC", name)


def decode_id(id_: str) -> str:
    return id_.replace("%23", "#").replace("%25", "%")


@dataclass(frozen=True, slots=True)
class LenientValues:
    """The values of a mapping in a file. Numbers are read as strings, a string with commas as a list."""

    values: Mapping[str, Any]
    path: str
    on_notice: OnNotice

    def refuse(self, key: str, wanted: str, what: str = "it is") -> None:
        """Report that `key` should be `wanted` and is ignored, or only the part in `what`, such as `2 values are`."""
        self.on_notice(Notice("metadata-type", f"`{key}` should be {wanted}; {what} ignored", self.path))

    def text(self, key: str) -> str | None:
        """A string or number as a string. None if it is missing, or refused."""
        value = self.values.get(key)
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, int | float):
            return str(value)
        self.refuse(key, "a string")
        return None

    def texts(self, key: str) -> tuple[str, ...]:
        """A list, or a string split at its commas, as strings. Refused items are left out. Empty if it is missing."""
        value = self.values.get(key)
        if value is None:
            return ()
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        if not isinstance(value, list):
            self.refuse(key, "a list of strings")
            return ()
        found = tuple(str(item) for item in value if isinstance(item, str | int | float))
        if len(found) < len(value):
            self.refuse(key, "a list of strings", plural(len(value) - len(found), "value is", "values are"))
        return found


_KEYS: Final = frozenset(
    {"type", "domain", "estimatedTokens", "sections", "tags", "crossDomainTriggers", "detectionTriggers"}
)


def read_details(values: Mapping[str, Any], path: str, on_notice: OnNotice) -> Details:
    """The reference fields in frontmatter (catalog specification 8). Wrong types are dropped with a notice."""
    # Most metadata that agents read has none of these.
    if _KEYS.isdisjoint(values):
        return Details(values)
    given = LenientValues(values, path, on_notice)
    return Details(
        values=values,
        type=given.text("type"),
        domain=given.text("domain"),
        declared_tokens=_declared_tokens(given),
        sections=_declared_sections(given),
        tags=given.texts("tags"),
        cross_domain_triggers=given.texts("crossDomainTriggers"),
        detection_triggers=given.texts("detectionTriggers"),
    )


def _declared_tokens(given: LenientValues) -> int | None:
    value = given.values.get("estimatedTokens")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 10**12:
        given.refuse("estimatedTokens", "a number of tokens")
        return None
    return int(value)


def _declared_sections(given: LenientValues) -> tuple[Declared, ...]:
    value = given.values.get("sections")
    if value is None:
        return ()
    if not isinstance(value, list):
        given.refuse("sections", "a list of sections")
        return ()
    found = tuple(declared for item in value if (declared := _declared_section(given, item)))
    if len(found) < len(value):
        given.refuse("sections", f"a list of sections with names ({len(value) - len(found)} without)")
    return found


def _declared_section(given: LenientValues, item: object) -> Declared | None:
    """A section from its name, or a mapping with a `name`. None for others, without a notice."""
    if isinstance(item, str):
        return Declared(item)
    if not isinstance(item, dict) or not isinstance(item.get("name"), str | int | float):
        return None
    inner = replace(given, values=item)
    return Declared(str(item["name"]), _declared_tokens(inner), inner.texts("keywords"))
