"""The export guard: finds credentials in texts and excerpts, replaces them with marks, or refuses the export."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from ctxtui.core.base.digest import text_digest
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.lru import Memo
from ctxtui.core.base.notices import Notice
from ctxtui.core.text.decode import line_ends
from ctxtui.core.text.secrets.secret import Secret, redacted

if TYPE_CHECKING:
    from ctxtui.core.disk.cache import Cache


# The last line above is `---` or `+++`, apart from blank lines.
_RULE_ABOVE: Final = re.compile(r"[\r\n](?:---|\+\+\+)[ \t]*[\r\n]\s*\Z")
_NEAR: Final = 80
_KIND: Final = "secrets"
_METADATA: Final = "metadata"
# Results by text digest: export, count and audit search the same texts.
_known: Final[Memo[bytes, tuple[Secret, ...]]] = Memo(100_000, lambda found: 8 + len(found))


def find_secrets(text: str, cache: Cache | None = None) -> list[Secret]:
    """The credentials in a text, in order and without overlaps, cached. Never their values."""
    digest = text_digest(text)
    kept = cache.known_fact(_KIND, digest) if cache else None
    if kept is not None:
        return list(kept)
    found = _known.get(digest, lambda: _uncached_secrets(text))
    if cache:
        cache.keep_fact(_KIND, digest, found)
    return list(found)


def has_secret(text: str) -> bool:
    """Whether a text contains a credential. Nothing is cached."""
    return bool(_uncached_secrets(text))


def redact_values(value: Any, key: str = "") -> Any:
    """JSON data with credentials replaced in texts and names. `key` (see `field_in`) can make a text one."""
    if isinstance(value, str):
        return redact_field(key, value)[0]
    if isinstance(value, list | tuple):
        return [redact_values(each, key) for each in value]
    if isinstance(value, Mapping):
        # Most data has no credential, so one search of the joined texts decides.
        if not has_secret("\n".join(_names_and_texts(value, key))):
            return value
        return {redact(str(name))[0]: redact_values(each, field_in(str(name), key)) for name, each in value.items()}
    return value


def field_in(name: str, outer: str) -> str:
    """The key that may mark the value `name` of an object as a credential: only in or at `metadata`, else "".

    `outer` is the key of the object, "" outside of `metadata`.
    """
    return name if outer or name == _METADATA else ""


def redact_field(key: str, text: str) -> tuple[str, list[Secret]]:
    """`redact` for the text of a field, whose `key` may mark it as a credential. Offsets are in `KEY: TEXT`."""
    start = len(key) + 2 if key else 0
    whole = f"{key}: {text}" if key else text
    found = find_secrets(whole)
    return redacted(whole, found, start, len(whole))[0], found


def _names_and_texts(value: Any, key: str) -> Iterator[str]:
    """The names and texts in data, to search for credentials. A text with a key is written `KEY: TEXT`."""
    if isinstance(value, str):
        yield f"{key}: {value}" if key else value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _names_and_texts(each, key)
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield str(name)
            yield from _names_and_texts(each, field_in(str(name), key))


def _uncached_secrets(text: str) -> tuple[Secret, ...]:
    # Most results are cached, and the patterns take longer to compile than a result to read.
    from ctxtui.core.text.secrets.search import search  # noqa: PLC0415

    return tuple(search(text))


def redact(text: str) -> tuple[str, list[Secret]]:
    """The text with every credential replaced by `[redacted: its kind]`, and the credentials."""
    found = find_secrets(text)
    return redacted(text, found, 0, len(text))[0], found


Secrets = Literal["redact", "keep", "fail"]
_BY_STRICTNESS: Final[tuple[Secrets, ...]] = ("keep", "redact", "fail")


def strictest(*policies: Secrets) -> Secrets:
    return max(policies, key=_BY_STRICTNESS.index)


class SecretFound(ContextError):
    """The export contains a credential, and the policy is "fail"."""


def lines_at(text: str, offsets: Iterable[int]) -> list[int]:
    """The numbers, from 1, of the lines at ascending offsets, in one pass. Lines end as in `line_ends`."""
    lines: list[int] = []
    line, place = 1, 0
    for offset in offsets:
        line += line_ends(text[place:offset])
        place = offset
        lines.append(line)
    return lines


def guarded(text: str, place: str, secrets: Secrets, has_lines: bool = True) -> tuple[str, tuple[Notice, ...]]:
    """The text to export by the policy `secrets`, and a notice for each secret in it, without the secret.

    `place` names the text. Notices name lines if it `has_lines`. Raises SecretFound with place and line under the
    policy "fail".
    """
    found = find_secrets(text)
    lines = lines_at(text, (secret.start for secret in found)) if has_lines else [None] * len(found)
    notices = secret_notices(found, place, secrets, lines)
    return redacted(text, found, 0, len(text))[0] if secrets == "redact" else text, notices


def secret_notices(
    found: Sequence[Secret], place: str, secrets: Secrets, lines: Sequence[int | None]
) -> tuple[Notice, ...]:
    """A notice for each credential `found` in an export, at its line of `lines`. Raises SecretFound under "fail"."""
    if found and secrets == "fail":
        where = place if lines[0] is None else f"{place}:{lines[0]}"
        message = f"{where} contains a secret ({found[0].rule})"
        raise SecretFound("invalid_request", message, hint="remove it, or choose --secrets redact")
    done = "replaced in the export" if secrets == "redact" else "exported as it is"
    # With a path, a notice shows the place before the message.
    return tuple(
        Notice("secret", f"a secret ({secret.rule}) in {place}, {done}")
        if line is None
        else Notice("secret", f"a secret ({secret.rule}), {done}", place, line)
        for secret, line in zip(found, lines, strict=True)
    )


class Copied(NamedTuple):
    """A range copied into an excerpt: its offset there (`at`), and its start and end in the whole text."""

    at: int
    start: int
    end: int


class CopiedText(NamedTuple):
    """A whole text, and the ranges of it that an excerpt copies."""

    text: str
    copied: Sequence[Copied]

    def secrets(self, cache: Cache | None = None) -> Iterator[Secret]:
        """The whole text's credentials as far as the excerpt has them, at its offsets. Adjacent ranges are joined."""
        hidden = find_secrets(self.text, cache)
        last, last_end, owner = None, 0, -1
        for piece in self.copied if hidden else ():
            place = bisect_right(hidden, piece.start, key=lambda secret: secret.end)
            while place < len(hidden) and hidden[place].start < piece.end:
                secret = hidden[place]
                first, end = max(secret.start, piece.start), min(secret.end, piece.end)
                here = replace(secret, start=piece.at + first - piece.start, end=piece.at + end - piece.start)
                if last is not None and owner == place and first == last_end:
                    here = replace(here, start=last.start)
                elif last is not None:
                    yield last
                last, last_end, owner = here, end, place
                place += 1
        if last is not None:
            yield last


class Cut(NamedTuple):
    """An excerpt: ranges of a whole text, and words that are not from it."""

    text: str
    source: CopiedText

    @staticmethod
    def of(whole: str, pieces: Iterable[tuple[int, int] | str]) -> Cut:
        """An excerpt of these pieces: start and end of a range of the whole text, or other words."""
        parts: list[str] = []
        copied: list[Copied] = []
        at = 0
        for piece in pieces:
            if not isinstance(piece, str):
                copied.append(Copied(at, *piece))
                piece = whole[piece[0] : piece[1]]
            parts.append(piece)
            at += len(piece)
        return Cut("".join(parts), CopiedText(whole, copied))

    def secrets(self, cache: Cache | None = None) -> list[Secret]:
        """The credentials in the excerpt, parts of those of the whole text included, in order."""
        whole = self.source.text
        if self.text == whole or (self._is_behind_rule() and not find_secrets(whole, cache)):
            return find_secrets(whole, cache)
        return find_in_cut(self.text, (self.source,), cache)

    def _is_behind_rule(self) -> bool:
        """Whether the excerpt is all of the text after a line such as the last one of frontmatter.

        No table, manifest or statement reaches across it, so a whole text without credentials has none there.
        """
        whole, copied = self.source
        if len(copied) != 1 or copied[0].end != len(whole) or len(self.text) != len(whole) - copied[0].start:
            return False
        return _RULE_ABOVE.search(whole[max(0, copied[0].start - _NEAR) : copied[0].start]) is not None

    def redacted(self, cache: Cache | None = None) -> str:
        return redacted(self.text, self.secrets(cache), 0, len(self.text))[0]

    def back(self, offset: int) -> int:
        """The offset in the whole text for one in the excerpt. For words of its own, the end of the range before."""
        copied = self.source.copied
        place = bisect_right(copied, offset, key=lambda each: each.at) - 1
        if place < 0:
            return copied[0].start if copied else 0
        return min(copied[place].start + offset - copied[place].at, copied[place].end)


def find_in_cut(text: str, sources: Iterable[CopiedText], cache: Cache | None = None) -> list[Secret]:
    """The credentials in an excerpt, in order and without overlaps.

    Found are parts of credentials in the whole texts, and credentials that only the excerpt shows.
    """
    return find_with_hidden(text, [each for source in sources for each in source.secrets(cache)], cache)


def find_with_hidden(text: str, hidden: Sequence[Secret], cache: Cache | None) -> list[Secret]:
    """The `hidden` credentials of a text and all others in it, in order and without overlaps."""
    found = find_secrets(text, cache)
    if all(_is_covered(each, found) for each in hidden):
        return found
    from ctxtui.core.text.secrets.search import search  # noqa: PLC0415 - few cuts have a part of a secret

    return search(text, hidden)


def _is_covered(secret: Secret, found: Sequence[Secret]) -> bool:
    place = bisect_right(found, secret.start, key=lambda each: each.start) - 1
    return place >= 0 and secret.end <= found[place].end
