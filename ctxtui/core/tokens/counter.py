"""Token counters: exact ones, the four-characters heuristic, and estimates with a band."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from ctxtui.core.tokens.encodings import count_tokens

DEFAULT_TOKENIZER = "o200k_base"
CHARACTERS = "characters"


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """Counts the tokens of a text: `units`, which add up over safe cuts, then one final `total`.

    `name` is what the user asked for, `basis` the kind of units (an encoding's tokens, or characters), `ratio`
    the tokens per unit. An inexact counter has `low` and `high`, the ratios between which 90 % of measured
    files are; `judged` is the ratio used to compare with limits.
    """

    name: str
    basis: str
    ratio: float = 1.0
    low: float = 1.0
    high: float = 1.0
    judged: float = 1.0
    exact: bool = True

    def units(self, text: str) -> int:
        """The size of a text in units."""
        return len(text) if self.basis == CHARACTERS else count_tokens(text, self.basis)

    def total(self, units: int) -> int:
        """The number of tokens in `units`, rounded up."""
        return units if self.exact else ceil(round(units * self.ratio, 6))

    def count(self, text: str) -> int:
        """The number of tokens of a text."""
        return self.total(self.units(text))

    def upper(self, units: int) -> int:
        """The tokens to compare with a limit: for a model's estimate the upper end of its band."""
        return units if self.exact else ceil(round(units * self.judged, 6))

    def within(self, limit: int) -> int:
        """The maximum number of units within a limit in tokens."""
        return limit if self.exact else int(round(limit / self.judged, 6))

    @property
    def band(self) -> str:
        """The band in per cent around the estimate, such as `-6 % to +8 %`; empty when exact."""
        if self.exact:
            return ""
        return f"{self.low / self.ratio - 1:+.0%} to {self.high / self.ratio - 1:+.0%}".replace("%", " %")


# The heuristic of the loader specification; its band is the spread of characters/4 against o200k_base that
# `estimates.toml` documents.
HEURISTIC = TokenCounter("heuristic", CHARACTERS, 0.25, 0.20, 0.31, 0.25, exact=False)
