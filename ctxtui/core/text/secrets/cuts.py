"""Credentials in excerpts, found in the whole text, because a part of a credential is not recognized."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from ctxtui.core.text.secrets.guard import find_secrets
from ctxtui.core.text.secrets.secret import Secret, redacted

if TYPE_CHECKING:
    from ctxtui.core.disk.cache import Cache


# The last line above is `---` or `+++`, apart from blank lines.
_RULE_ABOVE: Final = re.compile(r"[\r\n](?:---|\+\+\+)[ \t]*[\r\n]\s*\Z")
_NEAR: Final = 80


class Copied(NamedTuple):
    """A copied stretch: its offset in the excerpt, and its start and end in the whole text."""

    at: int
    start: int
    end: int


class Source(NamedTuple):
    """A whole text, and the stretches of it in an excerpt."""

    text: str
    copied: Sequence[Copied]

    def secrets(self, cache: Cache | None = None) -> Iterator[Secret]:
        """The credentials of the whole text at their offsets in the excerpt, joined across adjacent stretches."""
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
    """An excerpt: stretches of a whole text and other words."""

    text: str
    source: Source

    @staticmethod
    def of(whole: str, pieces: Iterable[tuple[int, int] | str]) -> Cut:
        """An excerpt of these pieces: start and end of a stretch, or words."""
        parts: list[str] = []
        copied: list[Copied] = []
        at = 0
        for piece in pieces:
            if not isinstance(piece, str):
                copied.append(Copied(at, *piece))
                piece = whole[piece[0] : piece[1]]
            parts.append(piece)
            at += len(piece)
        return Cut("".join(parts), Source(whole, copied))

    def secrets(self, cache: Cache | None = None) -> list[Secret]:
        whole = self.source.text
        if self.text == whole or (self._is_behind_rule() and not find_secrets(whole, cache)):
            return find_secrets(whole, cache)
        return find_in_cut(self.text, (self.source,), cache)

    def _is_behind_rule(self) -> bool:
        """Whether the excerpt is all of the text behind a line such as the last one of frontmatter.

        No table, manifest or statement reaches across it, so a whole text without credentials has none there.
        """
        whole, copied = self.source
        if len(copied) != 1 or copied[0].end != len(whole) or len(self.text) != len(whole) - copied[0].start:
            return False
        return _RULE_ABOVE.search(whole[max(0, copied[0].start - _NEAR) : copied[0].start]) is not None

    def redacted(self, cache: Cache | None = None) -> str:
        """The excerpt with marks for its credentials."""
        return redacted(self.text, self.secrets(cache), 0, len(self.text))[0]

    def back(self, offset: int) -> int:
        """The offset in the whole text. For other words, the end of the stretch before them."""
        copied = self.source.copied
        place = bisect_right(copied, offset, key=lambda each: each.at) - 1
        if place < 0:
            return copied[0].start if copied else 0
        return min(copied[place].start + offset - copied[place].at, copied[place].end)


def find_in_cut(text: str, sources: Iterable[Source], cache: Cache | None = None) -> list[Secret]:
    """The credentials in an excerpt of whole texts, in order and without overlaps.

    Includes parts of credentials of the whole texts, and credentials that only the excerpt shows.
    """
    return find_besides(text, [each for source in sources for each in source.secrets(cache)], cache)


def find_besides(text: str, hidden: Sequence[Secret], cache: Cache | None = None) -> list[Secret]:
    """The `hidden` credentials in a text and all others, in order."""
    found = find_secrets(text, cache)
    if all(_is_covered(each, found) for each in hidden):
        return found
    from ctxtui.core.text.secrets.search import search  # noqa: PLC0415 - few cuts have a part of a secret

    return search(text, hidden)


def _is_covered(secret: Secret, found: Sequence[Secret]) -> bool:
    place = bisect_right(found, secret.start, key=lambda each: each.start) - 1
    return place >= 0 and secret.end <= found[place].end
