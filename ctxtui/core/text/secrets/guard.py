"""The guard of all exports: finds credentials in text and replaces them with visible marks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from ctxtui.core.base.digest import text_digest
from ctxtui.core.base.lru import Memo
from ctxtui.core.text.secrets.marks import redacted
from ctxtui.core.text.secrets.secret import Secret

if TYPE_CHECKING:
    from ctxtui.core.disk.cache import Cache

_KIND: Final = "secrets"
_METADATA: Final = "metadata"
# What was found, by the digest of the text; a text is exported, counted and audited in turn.
_known: Final[Memo[bytes, tuple[Secret, ...]]] = Memo(100_000, lambda found: 8 + len(found))


def find_secrets(text: str, cache: Cache | None = None) -> list[Secret]:
    """The credentials in a text, by shape, name or place, in order and without overlaps; never the values.

    A text that was searched before is not searched again; with a `cache`, by no other process either.
    """
    digest = text_digest(text)
    kept = cache.find(_KIND, digest) if cache else None
    if kept is not None:
        return list(kept)
    found = _known.get(digest, lambda: _searched(text))
    if cache:
        cache.keep(_KIND, digest, found)
    return list(found)


def has_secret(text: str) -> bool:
    """Whether there is a credential in a text; nothing is remembered of it."""
    return bool(_searched(text))


def redact_values(value: Any, key: str = "") -> Any:
    """JSON data with every credential in its texts and names replaced; with a `key`, names tell what a text is."""
    if isinstance(value, str):
        return redact_field(key, value)[0]
    if isinstance(value, list | tuple):
        return [redact_values(each, key) for each in value]
    if isinstance(value, Mapping):
        # Most data has no credential, and what is joined is searched at once.
        if not has_secret("\n".join(_lines(value, key))):
            return value
        return {redact(str(name))[0]: redact_values(each, field_in(str(name), key)) for name, each in value.items()}
    return value


def field_in(name: str, outer: str) -> str:
    """What a name in data says of its text, below the name `outer`: names are the user's own in metadata only."""
    return name if outer or name == _METADATA else ""


def redact_field(key: str, text: str) -> tuple[str, list[Secret]]:
    """As `redact`, of the text of a field; its `key` may tell that it is a credential."""
    start = len(key) + 2 if key else 0
    whole = f"{key}: {text}" if key else text
    found = find_secrets(whole)
    return redacted(whole, found, start, len(whole))[0], found


def _lines(value: Any, key: str) -> Iterator[str]:
    """The texts in data, each with its key if that may tell what it is."""
    if isinstance(value, str):
        yield f"{key}: {value}" if key else value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _lines(each, key)
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield str(name)
            yield from _lines(each, field_in(str(name), key))


def _searched(text: str) -> tuple[Secret, ...]:
    # Most texts were searched before, and the patterns take longer to compile than to read what was found.
    from ctxtui.core.text.secrets.search import search  # noqa: PLC0415

    return tuple(search(text))


def redact(text: str, cache: Cache | None = None) -> tuple[str, list[Secret]]:
    """The text with every credential replaced by `[redacted: its kind]`, and what was replaced."""
    found = find_secrets(text, cache)
    return (redacted(text, found, 0, len(text))[0] if found else text), found
