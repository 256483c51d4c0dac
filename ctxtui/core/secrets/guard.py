"""The guard of all exports: finds credentials in text and replaces them with visible marks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from ctxtui.core.digest import text_digest
from ctxtui.core.lru import Memo
from ctxtui.core.secrets.marks import redacted
from ctxtui.core.secrets.secret import Secret

if TYPE_CHECKING:
    from ctxtui.core.passes import Passes

_KIND: Final = "secrets"
# What was found, by the digest of the text; a text is exported, counted and audited in turn.
_known: Final[Memo[bytes, tuple[Secret, ...]]] = Memo(100_000, lambda found: 8 + len(found))


def find_secrets(text: str, passes: Passes | None = None) -> list[Secret]:
    """The credentials in a text, by shape, name or place, in order and without overlaps; never the values.

    A text that was searched before is not searched again; with `passes`, by no other process either.
    """
    digest = text_digest(text)
    kept = passes.find(_KIND, digest) if passes else None
    if kept is not None:
        return [Secret(*each) for each in json.loads(kept)]
    found = _known.get(digest, lambda: _searched(text))
    if passes:
        passes.keep(_KIND, digest, json.dumps([(each.rule, each.start, each.end) for each in found]).encode())
    return list(found)


def _searched(text: str) -> tuple[Secret, ...]:
    # Most texts were searched before, and the patterns take longer to compile than to read what was found.
    from ctxtui.core.secrets.search import search  # noqa: PLC0415

    return tuple(search(text))


def redact(text: str, passes: Passes | None = None) -> tuple[str, list[Secret]]:
    """The text with every credential replaced by `[redacted: its kind]`, and what was replaced."""
    found = find_secrets(text, passes)
    return (redacted(text, found, 0, len(text))[0] if found else text), found
