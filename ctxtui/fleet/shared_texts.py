"""Texts that many repositories of a fleet have, and what they cost at the starts of agents."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from ctxtui.audit.prices import money
from ctxtui.fleet.results.read import KeptRun
from ctxtui.fleet.results.texts import KeptText, find_texts

# In a fleet of fewer repositories, a text is shared if two have it, else if three have.
_SMALL: Final = 10
# What everybody writes, such as a short heading, was not copied.
_LEAST_TOKENS: Final = 20
_MOST: Final = 100
_PLACES: Final = 3
_STARTS: Final = 1_000


@dataclass(frozen=True, slots=True)
class SharedText:
    """A text with its price: US dollars of 1,000 starts in each of its repositories, None if unknown."""

    text: KeptText
    dollars: Decimal | None = None

    @property
    def first_words(self) -> str:
        """How it begins, or where it is if it begins with nothing to read."""
        return self.text.head or self.text.places[0][1]


@dataclass(frozen=True, slots=True)
class SharedTexts:
    """The texts that at least `repositories` of a run have, the most expensive ones first, and the number of all.

    `at_start` are the tokens of all of them that one start in each repository of the fleet has, what several have in
    common once; `dollars` are those of 1,000 such starts. `heading` names the model and the edition of its prices,
    empty without a model.
    """

    texts: tuple[SharedText, ...]
    count: int
    repositories: int
    at_start: int
    dollars: Decimal | None = None
    heading: str = ""


def shared_texts(
    connection: sqlite3.Connection,
    run: KeptRun,
    model: str = "",
    *,
    repositories: int | None = None,
    tokens: int = _LEAST_TOKENS,
    most: int = _MOST,
) -> SharedTexts:
    """The `most` largest texts of some tokens or more that at least `repositories` of a run have.

    Prices are those of a model for the first request of a start, if one is named.
    """
    least = repositories or (2 if run.size < _SMALL else 3)
    found = find_texts(connection, run.id, least, tokens, most, _PLACES)
    prices = money(model, [("", _STARTS)]) if model else None
    # What 1,000 tokens cost, a token costs in 1,000 starts; no text is large enough for the price of a long request.
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
