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
# A byte inside a character of UTF-8, not its first.
_INNER = bytes(range(128, 192))

DEFAULT_TOKENIZER = "o200k_base"
CHARACTERS = "characters"

Count = Callable[[str, str], int]
"""The number of tokens of a text in a named encoding."""

Label = Literal["exact", "measured", "reconstructed", "estimated"]
"""How a number of tokens is known: from a public tokenizer, from the vendor's own endpoint, from a vocabulary that
others reconstructed, or from a formula with a band."""

_CJK = "[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]"
# Shares are kept in thousandths, so that all sums are sums of whole numbers.
_WHOLE = 1000


@dataclass(frozen=True, slots=True)
class Weights:
    """What each token of the basis and each character adds to an estimate, in thousandths of a token.

    Capitals and letters are those of ASCII, `sign` is any other character of ASCII, `wide` any other character.
    All are sums over the text, so estimates of parts add up if their tokens do.
    """

    token: int
    capital: int = 0
    letter: int = 0
    digit: int = 0
    space: int = 0
    sign: int = 0
    wide: int = 0

    def of(self, text: str, tokens: int) -> int:
        """The weight of a text of `tokens` tokens, in thousandths of a token."""
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
    """Counts the tokens of a text: `units`, which add up over safe cuts, then one final `total`.

    `name` is what the user asked for, `basis` the encoding whose tokens an estimate starts from (or characters).
    Units are tokens, characters (`weights` is None), or thousandths of a token by `weights`. An inexact
    counter has `low` and `high`, the thousandths of its estimate between which 90 % of measured files are; `judged`
    are those to compare with limits, `cjk` those of text in Chinese, Japanese or Korean. `ratio` is the number of its
    tokens for a token of `basis` in typical text.
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
    # How it comes to the tokens of a text in the named encoding: never to other ones.
    tokens_of: Count = field(default=count_tokens, compare=False, repr=False)

    @property
    def label(self) -> Label:
        """How its numbers are known."""
        return "exact" if self.exact else "estimated"

    @property
    def key(self) -> str:
        """The kind of its units, for caches: counters with one key count alike."""
        return self.basis if self.weights is None else f"{self.basis} {self.weights}"

    def described(self) -> dict[str, str | bool]:
        """How numbers of tokens were made, for JSON beside them; the band only if they are estimates."""
        told: dict[str, str | bool] = {"tokenizer": self.name, "exact": self.exact, "label": self.label}
        if self.basis != CHARACTERS:
            told["engine"] = REFERENCE
        return told if self.exact else told | {"band": self.band}

    def units(self, text: str) -> int:
        """The size of a text in units."""
        if self.basis == CHARACTERS:
            return len(text)
        tokens = self.tokens_of(text, self.basis)
        return tokens if self.weights is None else self.weights.of(text, tokens)

    def units_of(self, texts: Sequence[str]) -> list[int]:
        """The sizes of many texts in units, counted in one go."""
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
        """The numbers of tokens of many texts, counted in one go."""
        return list(map(self.total, self.units_of(texts)))

    def upper(self, units: int) -> int:
        """The tokens to compare with a limit: for a model's estimate the upper end of its band."""
        return -(-units * self.judged // (self._per_token * _WHOLE))

    def within(self, limit: int) -> int:
        """The maximum number of units within a limit in tokens."""
        return limit * self._per_token * _WHOLE // self.judged

    @property
    def _per_token(self) -> int:
        if self.basis == CHARACTERS:
            return 4
        return 1 if self.weights is None else _WHOLE

    @property
    def band(self) -> str:
        """The band in per cent around the estimate, such as `-6 % to +8 %`; empty when exact."""
        return "" if self.exact else _percent(self.low, self.high)

    def band_of(self, text: str) -> str:
        """The band for a certain text: that of CJK if more than one in twenty characters are."""
        if self.exact or 20 * len(re.findall(_CJK, text)) <= len(text):
            return self.band
        return _percent(*self.cjk)


def _percent(low: int, high: int) -> str:
    return f"{low / _WHOLE - 1:+.0%} to {high / _WHOLE - 1:+.0%}".replace("%", " %")


# The heuristic of the loader specification; its band is the spread of characters/4 against o200k_base that
# `models.toml` documents.
HEURISTIC = TokenCounter("heuristic", CHARACTERS, None, 800, 1240, exact=False, cjk=(800, 6000))
