"""Shared text of files that were compared before, by this process or another."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from ctxtui.audit.shared import Block, Extent, Held, Shared, find_shared
from ctxtui.core.cache import Cache
from ctxtui.core.digest import digest_of
from ctxtui.core.markdown.document import Document
from ctxtui.core.metadata.reference import Reference
from ctxtui.core.tokens.counter import TokenCounter


def known_shared(
    held: Sequence[Held],
    least: int,
    counter: TokenCounter,
    passes: Cache,
    *,
    count: Callable[[str], int],
    read: Callable[[Reference], Document | None],
) -> tuple[Shared, ...]:
    """What `find_shared` finds in files with these contents, in this order; kept unless a file changes meanwhile."""
    kind, digest = f"shared {least} {counter.key}", digest_of(b"".join(facts.digest for _, facts in held))
    kept = passes.find(kind, digest)
    if kept is not None:
        return tuple(_shared(row, held) for row in json.loads(kept))
    by_path = {reference.path: (reference, facts.digest) for reference, facts in held}
    changed = False

    def text(path: str) -> str | None:
        nonlocal changed
        reference, version = by_path[path]
        document = read(reference)
        changed |= document is None or document.digest != version
        return document.text if document else None

    found = tuple(find_shared(held, least, count, text))
    if not changed:
        places = {reference.path: place for place, (reference, _) in enumerate(held)}
        passes.keep(kind, digest, json.dumps([_row(each, places) for each in found]).encode())
    return found


def _row(each: Shared, places: dict[str, int]) -> tuple[object, ...]:
    blocks = [(block.here, block.there, block.tokens) for block in each.blocks]
    return places[each.one.path], places[each.other.path], blocks, each.share_of_one, each.share_of_other


def _shared(
    row: tuple[int, int, list[tuple[list[int], list[int], int]], float, float], held: Sequence[Held]
) -> Shared:
    one, other, blocks, share_of_one, share_of_other = row
    found = tuple(Block(Extent(*here), Extent(*there), tokens) for here, there, tokens in blocks)
    return Shared(held[one][0], held[other][0], found, share_of_one, share_of_other)
