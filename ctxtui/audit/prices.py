"""What context costs in dollars for each request to a model: uncached, and cached."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from ctxtui.agents import AgentContext
from ctxtui.core.tokens.models import price_data

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice


@dataclass(frozen=True, slots=True)
class Expense:
    """The price of some tokens in each request, in US dollars: at the input price, and read from the cache.

    None if the price is unknown.
    """

    name: str
    tokens: int
    first: Decimal | None
    cached: Decimal | None


@dataclass(frozen=True, slots=True)
class Money:
    """Expenses with one model; `remark` names the unknown prices, and is empty if both are known."""

    model: str
    provider: str
    expenses: tuple[Expense, ...]
    remark: str = ""


def money(model: str, sizes: Iterable[tuple[str, int]]) -> Money:
    """The dollars that named token counts cost with a model; count them with its tokenizer.

    Prices are today's input prices from the packaged price data, with their steps for long requests, where a
    request is assumed to contain nothing else; they exclude cache writes and cache storage.
    """
    price, provider = _price(model)
    has_input, has_cached = (getattr(price, key, None) is not None for key in ("input_mtok", "cache_read_mtok"))
    expenses = tuple(
        Expense(
            name,
            tokens,
            _dollars(price, tokens, cached=False) if has_input else None,
            _dollars(price, tokens, cached=True) if has_cached else None,
        )
        for name, tokens in sizes
    )
    if has_input and has_cached:
        return Money(model, provider, expenses)
    missing = f"no price for cached input of {model}" if has_input else f"no price of {model}"
    return Money(model, provider, expenses, f"the price data have {missing}")


def start_money(model: str, agents: Iterable[AgentContext], context: int) -> Money:
    """The dollars of each agent's start, by agent id, and of all context files together, named `total`."""
    starts = [(each.agent.id, each.start_tokens) for each in agents]
    return money(model, [*starts, ("total", context)])


def _price(model: str) -> tuple[ModelPrice | None, str]:
    found = price_data(model)
    if found is None:
        return None, ""
    provider, info = found
    return info.get_prices(datetime.now(tz=UTC)), provider.id


def _dollars(price: ModelPrice | None, tokens: int, cached: bool) -> Decimal:
    from genai_prices import Usage  # noqa: PLC0415 - 0.25 s: only if prices are shown

    usage = Usage(input_tokens=tokens, cache_read_tokens=tokens if cached else 0)
    return price.calc_price(usage)["input_price"] if price else Decimal(0)
