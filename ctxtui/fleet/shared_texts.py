"""Texts that many repositories of a fleet share, and their cost at agent starts."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from ctxtui.audit.prices import money
from ctxtui.fleet.results.read import KeptRun
from ctxtui.fleet.results.texts import KeptText, find_texts

# A text is shared if two repositories have it in a fleet of fewer repositories than this, else three.
_SMALL: Final = 10
# Shorter texts, such as common headings, were not copied.
_LEAST_TOKENS: Final = 20
_MOST: Final = 100
_PLACES: Final = 3
_STARTS: Final = 1_000


@dataclass(frozen=True, slots=True)
class SharedText:
    """A text and the US dollars for 1,000 starts in each of its repositories, None if unknown."""

    text: KeptText
    dollars: Decimal | None = None

    @property
    def first_words(self) -> str:
        """The first words, or the place of a text without readable words."""
        return self.text.head or self.text.places[0][1]


@dataclass(frozen=True, slots=True)
class SharedTexts:
    """The texts that at least `repositories` of a run share, most expensive first, and their total number.

    `at_start` are the tokens of all of them in one start per repository, with overlaps counted once. `dollars` are
    for 1,000 such starts. `heading` names the model and the edition of its prices, empty without a model.
    """

    texts: tuple[SharedText, ...]
    count: int
    repositories: int
    at_start: int
    dollars: Decimal | None = None
    heading: str = ""


def shared_texts(connection: sqlite3.Connection, run: KeptRun, model: str = "") -> SharedTexts:
    """The largest texts that several repositories of a run share.

    Prices are for a model's first request of a start, if a model is given.
    """
    least = 2 if run.size < _SMALL else 3
    found = find_texts(connection, run.id, least, _LEAST_TOKENS, _MOST, _PLACES)
    prices = money(model, [("", _STARTS)]) if model else None
    # The price of 1,000 tokens is the price of a token in 1,000 starts. No text reaches the prices for long requests.
    price = prices.expenses[0].first if prices else None
    return SharedTexts(
        tuple(SharedText(text, _times(price, text.at_start)) for text in found.largest),
        found.count,
        least,
        found.at_start,
        _times(price, found.at_start),
        prices.heading if prices else "",
    )


def _times(price: Decimal | None, tokens: int) -> Decimal | None:
    return None if price is None else price * tokens
