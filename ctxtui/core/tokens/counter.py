"""Token counters: exact, by the four-characters heuristic, or estimated with a band."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, field
from typing import Literal

from ctxtui.core.tokens.encodings import REFERENCE, count_texts, count_tokens

_CAPITALS = bytes(range(ord("A"), ord("Z") + 1))
_LETTERS = bytes(range(ord("a"), ord("z") + 1))
_DIGITS = b"0123456789"
_ASCII = bytes(range(128))
# Continuation bytes of UTF-8.
_INNER = bytes(range(128, 192))

DEFAULT_TOKENIZER = "o200k_base"
CHARACTERS = "characters"

Count = Callable[[str, str], int]
"""The number of tokens of a text in a named encoding."""

Label = Literal["exact", "measured", "reconstructed", "estimated"]
"""The source of a count: a public tokenizer, the vendor's endpoint, a vocabulary that others reconstructed, or a
formula with a band."""

_CJK = "[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]"
# Shares are thousandths, so that all sums are sums of integers.
_WHOLE = 1000


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of an estimate in thousandths of a token: per token of the basis, and per character of each kind.

    `capital` and `letter` are ASCII, `sign` is any other ASCII character, `wide` any character beyond ASCII. All are
    sums over the text, so the estimates of parts add up if their tokens do.
    """

    token: int
    capital: int = 0
    letter: int = 0
    digit: int = 0
    space: int = 0
    sign: int = 0
    wide: int = 0

    def of(self, text: str, tokens: int) -> int:
        """The estimate, in thousandths of a token, for a text with `tokens` tokens in the basis encoding."""
        data = text.encode("utf-8", "surrogatepass")
        size = len(data)
        capitals = size - len(data.translate(None, _CAPITALS))
        letters = size - len(data.translate(None, _LETTERS))
        digits = size - len(data.translate(None, _DIGITS))
        spaces = data.count(b" ")
        rest = b"" if text.isascii() else data.translate(None, _ASCII)
        wide = len(rest.translate(None, _INNER))
        signs = size - len(rest) - capitals - letters - digits - spaces
        return (
            self.token * tokens
            + self.capital * capitals
            + self.letter * letters
            + self.digit * digits
            + self.space * spaces
            + self.sign * signs
            + self.wide * wide
        )

    def __str__(self) -> str:
        return "/".join(map(str, astuple(self)))


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts a text in `units`, which add up over safe cuts, and converts a sum of units to tokens by `total`.

    `name` is the tokenizer or model that the user named. `basis` is the encoding that an estimate starts from, or
    characters. Without `weights`, units are tokens or characters, else thousandths of a token. The rest
    describes an estimate: 90 % of measured files lie between `low` and `high` thousandths of it, `judged` thousandths
    are compared with limits, and `cjk` is the band for Chinese, Japanese and Korean. `ratio` is the number of tokens
    per basis token in typical text.
    """

    name: str
    basis: str
    weights: Weights | None = None
    low: int = _WHOLE
    high: int = _WHOLE
    judged: int = _WHOLE
    ratio: float = 1.0
    exact: bool = True
    cjk: tuple[int, int] = (_WHOLE, _WHOLE)
    # Replaced by a cached count, never by one with other results.
    tokens_of: Count = field(default=count_tokens, compare=False, repr=False)

    @property
    def label(self) -> Label:
        return "exact" if self.exact else "estimated"

    @property
    def key(self) -> str:
        """The part of a cache key that stands for the unit: counters with the same key count alike."""
        return self.basis if self.weights is None else f"{self.basis} {self.weights}"

    def described(self) -> dict[str, str | bool]:
        """The origin of token counts, for JSON output. The band is included only for estimates."""
        told: dict[str, str | bool] = {"tokenizer": self.name, "exact": self.exact, "label": self.label}
        if self.basis != CHARACTERS:
            told["engine"] = REFERENCE
        return told if self.exact else told | {"band": self.band}

    def units(self, text: str) -> int:
        """The size of a text in units that add up: characters, tokens or weighted tokens."""
        if self.basis == CHARACTERS:
            return len(text)
        tokens = self.tokens_of(text, self.basis)
        return tokens if self.weights is None else self.weights.of(text, tokens)

    def units_of(self, texts: Sequence[str]) -> list[int]:
        """The units of many texts, counted in one call."""
        if self.basis == CHARACTERS:
            return [len(text) for text in texts]
        counts = count_texts(texts, self.basis)
        return counts if self.weights is None else list(map(self.weights.of, texts, counts))

    def total(self, units: int) -> int:
        """The number of tokens in `units`, rounded up."""
        return -(-units // self._per_token)

    def count(self, text: str) -> int:
        """The number of tokens of a text."""
        return self.total(self.units(text))

    def counts(self, texts: Sequence[str]) -> list[int]:
        return list(map(self.total, self.units_of(texts)))

    def upper(self, units: int) -> int:
        """The tokens to compare with a limit, rounded up: the upper end of the band of a model family.

        An exact count and the heuristic are compared as they are.
        """
        return -(-units * self.judged // (self._per_token * _WHOLE))

    def within(self, limit: int) -> int:
        """The largest number of units within a limit in tokens."""
        return limit * self._per_token * _WHOLE // self.judged

    @property
    def _per_token(self) -> int:
        if self.basis == CHARACTERS:
            return 4
        return 1 if self.weights is None else _WHOLE

    @property
    def band(self) -> str:
        """The band around an estimate in percent, such as `-6 % to +8 %`, empty for exact counts."""
        return "" if self.exact else _percent(self.low, self.high)

    def band_of(self, text: str) -> str:
        """The band for a text: `cjk` if over 5 % of its characters are Chinese, Japanese or Korean, else `band`."""
        if self.exact or 20 * len(re.findall(_CJK, text)) <= len(text):
            return self.band
        return _percent(*self.cjk)


def _percent(low: int, high: int) -> str:
    return f"{low / _WHOLE - 1:+.0%} to {high / _WHOLE - 1:+.0%}".replace("%", " %")


# The heuristic of the loader specification. The band is the spread of characters/4 against o200k_base, as in
# `models.toml`.
HEURISTIC = TokenCounter("heuristic", CHARACTERS, None, 800, 1240, exact=False, cjk=(800, 6000))
