"""Sections by name, regardless of numbering, anchor, emphasis and case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.text.markdown.document import Document, Part, unique_slugs
from ctxtui.core.text.markdown.scan import match_key, slug


def find_sections(document: Document, names: Sequence[str], on_notice: OnNotice) -> Iterator[tuple[str, Part]]:
    """The parts that the names refer to, each once, in the order of the names (catalog specification 10).

    A name shared by several headings means the first, a repeated name the next. A slug, or the name with `-1`, names
    a repeat directly. An unknown name is a notice.
    """
    times_named: Counter[str] = Counter()
    yielded: set[str] = set()
    for name in names:
        candidates = _candidates(document, name)
        key = match_key(name)
        if not candidates:
            message = f"there is no section {name!r}"
            on_notice(Notice("section-not-found", message, document.path))
            continue
        part = candidates[min(times_named[key], len(candidates) - 1)]
        times_named[key] += 1
        if len(candidates) > 1 and names.count(name) < 2:
            others = ", ".join(other.slug for other in candidates[1:])
            message = f"there are {len(candidates)} sections {name!r}; the others are {others}"
            on_notice(Notice("section-repeated", message, document.path))
        if part.slug not in yielded:
            yielded.add(part.slug)
            yield name, part


def _candidates(document: Document, name: str) -> tuple[Part, ...]:
    """The headings with a name, second level first, else the heading with that slug, else a path such as `A/B`."""
    sections = [part for part in document.parts if part.level]
    key = match_key(name)
    named = [part for part in sections if match_key(part.name) == key]
    if named:
        return tuple(sorted(named, key=lambda part: part.level != 2))
    wanted = slug(key)
    position = document.position(name.removeprefix("#"))
    if position is None:
        position = document.position(slug(name))
    if position is not None and document.parts[position].level:
        return (document.parts[position],)
    plain = unique_slugs([match_key(part.name) for part in sections])
    if wanted in plain:
        return (sections[plain.index(wanted)],)
    return document.find(name) if "/" in name else ()


def text_list(names: object) -> list[str]:
    """Names as a list. A single string is one name. A value that is not iterable gives none."""
    if isinstance(names, str):
        return [names]
    return [str(name) for name in names] if isinstance(names, Iterable) else []
