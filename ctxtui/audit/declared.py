"""Token counts declared in metadata: the exact counts to compare, and where the numbers are written."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.catalog.sections import find_sections
from ctxtui.core.documents.reader import Reader
from ctxtui.core.text.data.bounds import DataProblem
from ctxtui.core.text.data.yaml import MappingNode, Node, ScalarNode, SequenceNode, compose_yaml
from ctxtui.core.text.markdown.document import Document, Part
from ctxtui.core.text.markdown.light import Span
from ctxtui.core.text.markdown.scan import match_key
from ctxtui.core.text.metadata.reference import Declared, read_details
from ctxtui.core.tokens.counter import TokenCounter

if TYPE_CHECKING:
    from ctxtui.audit.types import Settings

_KEY = "estimatedTokens"
# A lookup by slug is slow, so sections after this many different names have none.
_MOST_LOOKUPS = 200
_DIGITS = re.compile(r"\d{1,18}")


@dataclass(frozen=True, slots=True)
class Number:
    """Character offsets of a declared number, `end` excluded. `place` is its section's index, None for the file."""

    place: int | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Claim:
    """A declared section: its index, the number of earlier ones of its name, and its span in the text or None."""

    place: int
    repeat: int
    declared: Declared
    span: Span | None

    @property
    def title(self) -> str:
        """The name, numbered if it is a repeat."""
        return f"{self.declared.name} ({self.repeat + 1})" if self.repeat else self.declared.name


def body_tokens(reader: Reader, document: Document, counter: TokenCounter) -> int:
    """The tokens of a document without frontmatter, the number that metadata declare."""
    return piece_tokens(reader, document, counter, document.body_start, len(document.text))


class Drift(NamedTuple):
    declared: int
    tokens: int


def file_drift(reader: Reader, document: Document, counter: TokenCounter, settings: Settings) -> Drift | None:
    """The declared and the exact tokens of a document. None if they are close enough or if none are declared."""
    values = document.frontmatter.values if document.frontmatter else {}
    declared = read_details(values, document.path, lambda _notice: None).declared_tokens
    if declared is None:
        return None
    tokens = body_tokens(reader, document, counter)
    return Drift(declared, tokens) if is_off(declared, tokens, settings) else None


def is_off(declared: int, tokens: float, settings: Settings) -> bool:
    """Whether a declared number is wrong by more than both thresholds of the settings."""
    off = abs(tokens - declared)
    return off > settings.drift_tokens and off > settings.drift_share * declared


def piece_tokens(reader: Reader, document: Document, counter: TokenCounter, start: int, end: int) -> int:
    """The tokens of the whole lines from character `start` up to `end`, excluded."""
    return reader.count(document.text[start:end], counter, lambda: reader.span(document, counter, start, end).units)


def read_claims(document: Document) -> Iterator[Claim]:
    """The sections that a document's metadata declare, each with the span that loading its name would give."""
    values = document.frontmatter.values if document.frontmatter else {}
    items = values.get("sections")
    if not isinstance(items, list):
        return
    places = [place for place, item in enumerate(items) if _is_section(item)]
    declared = read_details({"sections": items}, document.path, lambda _notice: None).sections
    by_key: defaultdict[str, list[Part]] = defaultdict(list)
    for heading in sorted((part for part in document.parts if part.level), key=lambda heading: heading.level != 2):
        by_key[match_key(heading.name)].append(heading)
    earlier: Counter[str] = Counter()
    for place, section in zip(places, declared, strict=False):
        key = match_key(section.name)
        parts = by_key[key] or (_by_slug_or_path(document, section.name) if len(earlier) <= _MOST_LOOKUPS else [])
        part = parts[min(earlier[key], len(parts) - 1)] if parts else None
        yield Claim(place, earlier[key], section, Span(part.start, part.end) if part else None)
        earlier[key] += 1


def _by_slug_or_path(document: Document, name: str) -> list[Part]:
    """The sections with a slug or a path of names, empty if there is none."""
    return [part for _, part in find_sections(document, [name], lambda _notice: None)]


def _is_section(item: object) -> bool:
    return isinstance(item, str) or (isinstance(item, dict) and isinstance(item.get("name"), str | int | float))


def find_numbers(document: Document) -> tuple[Number, ...]:
    """The positions of `estimatedTokens` values that are plain digits. Empty if the frontmatter is broken."""
    frontmatter = document.frontmatter
    if frontmatter is None or any(notice.code == "frontmatter-yaml" for notice in frontmatter.notices):
        return ()
    try:
        node = compose_yaml(document.text[frontmatter.start : frontmatter.end])
    except DataProblem:
        return ()
    numbers = [*_scalar(_value(node, _KEY), None, frontmatter.start)]
    sections = _value(node, "sections")
    for place, item in enumerate(sections.value if isinstance(sections, SequenceNode) else ()):
        numbers += _scalar(_value(item, _KEY), place, frontmatter.start)
    return tuple(number for number in numbers if _DIGITS.fullmatch(document.text[number.start : number.end]))


def _scalar(node: Node | None, place: int | None, offset: int) -> Iterator[Number]:
    """The offsets of a scalar, even if it is no number. Nothing for other nodes. `place` is its section's index."""
    if isinstance(node, ScalarNode):
        yield Number(place, offset + node.start_mark.index, offset + node.end_mark.index)


def _value(node: Node | None, key: str) -> Node | None:
    """The value of a key, or None. The last one of a repeated key counts."""
    found = None
    for name, value in node.value if isinstance(node, MappingNode) else ():
        if isinstance(name, ScalarNode) and name.value == key:
            found = value
    return found
