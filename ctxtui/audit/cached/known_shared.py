"""A cache of the text that files share, across processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ctxtui.audit.shared import Held, Shared, find_shared
from ctxtui.core.base.digest import digest_of
from ctxtui.core.disk.cache import Cache
from ctxtui.core.text.markdown.document import Document
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.tokens.counter import TokenCounter


def known_shared(
    held: Sequence[Held],
    least: int,
    counter: TokenCounter,
    cache: Cache,
    *,
    count: Callable[[str], int],
    read: Callable[[Reference], Document | None],
) -> tuple[Shared, ...]:
    """Like `find_shared`, cached by the contents of the files and their order."""
    kind, digest = f"shared {least} {counter.key}", digest_of(b"".join(facts.digest for _, facts in held))
    kept = cache.find(kind, digest)
    if kept is not None:
        return tuple(Shared(held[one][0], held[other][0], *rest) for one, other, *rest in kept)
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
        rows = (
            (places[each.one.path], places[each.other.path], each.blocks, each.share_of_one, each.share_of_other)
            for each in found
        )
        cache.keep(kind, digest, list(rows))
    return found
