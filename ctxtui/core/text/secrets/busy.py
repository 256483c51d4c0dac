"""The lines of a text with a digit: nearly every credential has one, and few lines of prose do."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import accumulate, count
from operator import add
from typing import Final

from ctxtui.core.text.secrets.secret import Secret

_DIGITS: Final = bytes(48 if code in b"0123456789" else 32 for code in range(256))


@dataclass(frozen=True, slots=True)
class Busy:
    """The busy lines of a text, with a byte for each character, and their offsets here and in the text."""

    text: str
    plain: bytes
    here: list[int]
    there: list[int]

    @classmethod
    def of(cls, text: str, plain: bytes) -> Busy:
        """The busy lines of a text; `plain` has one byte per character of it."""
        digits = plain.translate(_DIGITS)
        spans: list[tuple[int, int]] = []
        end, at = 0, digits.find(b"0")
        while at >= 0:
            start = plain.rfind(b"\n", end, at) + 1 or end
            end = plain.find(b"\n", at)
            end = len(plain) if end < 0 else end
            spans.append((start, end))
            at = digits.find(b"0", end)
        kept = [plain[start:end] for start, end in spans]
        joined = b"\n".join(kept)
        busy = joined.decode("ascii") if text.isascii() else "\n".join([text[start:end] for start, end in spans])
        here = list(map(add, accumulate(map(len, kept), initial=0), count()))
        return cls(busy, joined, here, [start for start, _ in spans])

    def back(self, secret: Secret) -> Secret:
        """A secret of the busy lines with its offsets in the whole text."""
        moved = self._moved(secret.start)
        return replace(secret, start=secret.start + moved, end=secret.end + moved)

    def above(self, whole: str, offset: int) -> str:
        """The 200 characters that precede an offset of the busy lines in the whole text."""
        end = offset + self._moved(offset)
        return whole[max(0, end - 200) : end]

    def _moved(self, offset: int) -> int:
        line = bisect_right(self.here, offset) - 1
        return self.there[line] - self.here[line]
