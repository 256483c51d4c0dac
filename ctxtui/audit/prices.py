"""What context costs in dollars with a model: in the first request, and in later ones, from the cache."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from importlib.metadata import version
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from ctxtui.agents import AgentContext
from ctxtui.core.base.plain import plain_line
from ctxtui.core.tokens.models import price_data

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice


@dataclass(frozen=True, slots=True)
class Expense:
    """The price of some tokens in US dollars: in the first request, and in later ones, read from the cache.

    The first request writes them to the cache, if the model charges for that. None if the price is unknown.
    """

    name: str
    tokens: int
    first: Decimal | None
    cached: Decimal | None

    @property
    def told(self) -> str:
        """Both prices in words."""
        first = "" if self.first is None else f"${self.first:.4f} for the first request"
        cached = "" if self.cached is None else f"${self.cached:.4f} later"
        return ", ".join(filter(None, (first, cached))) or "no price known"


@dataclass(frozen=True, slots=True)
class Money:
    """Expenses with one model; `remark` names the unknown prices, and is empty if both are known.

    `as_of` is the edition of the price data.
    """

    model: str
    provider: str
    expenses: tuple[Expense, ...]
    remark: str = ""
    as_of: str = ""

    @property
    def heading(self) -> str:
        """Whose prices they are, of which edition, and what is unknown, in words."""
        return f"dollars with {plain_line(self.model)}, {self.edition}"

    @property
    def edition(self) -> str:
        """The edition of the prices, and what is unknown or to know about later requests, in words."""
        return f"prices of {self.as_of}; {self.remark or 'later requests read the start from the cache'}"


def money(model: str, sizes: Iterable[tuple[str, int]]) -> Money:
    """The dollars that named token counts cost with a model; count them with its tokenizer.

    Prices are today's from the packaged price data, with their steps for long requests, where a
    request is assumed to contain nothing else; they exclude cache storage. A cache that is kept for more than some
    minutes costs more.
    """
    price, provider = _price(model)
    has_input, has_cached, has_written = (
        getattr(price, key, None) is not None for key in ("input_mtok", "cache_read_mtok", "cache_write_mtok")
    )
    expenses = tuple(
        Expense(
            name,
            tokens,
            _dollars(price, tokens, "write" if has_written else "") if has_input else None,
            _dollars(price, tokens, "read") if has_cached else None,
        )
        for name, tokens in sizes
    )
    if has_input and has_cached:
        return Money(model, provider, expenses, as_of=_edition())
    missing = f"no price for cached input of {model}" if has_input else f"no price of {model}"
    return Money(model, provider, expenses, f"the price data have {missing}", _edition())


def start_money(
    model: str, agents: Iterable[AgentContext], context: int, known: Mapping[str, int] = MappingProxyType({})
) -> Money:
    """The dollars of each agent's start, by agent id, and of all context files together, named `total`.

    `known` are the tokens of starts that are known better than by an estimate, by agent id.
    """
    starts = [(each.agent.id, known.get(each.agent.id, each.start_tokens)) for each in agents]
    return money(model, [*starts, ("total", context)])


def _price(model: str) -> tuple[ModelPrice | None, str]:
    found = price_data(model)
    if found is None:
        return None, ""
    provider, info = found
    return info.get_prices(datetime.now(tz=UTC)), provider.id


def _edition() -> str:
    return f"genai-prices {version('genai-prices')}"


def _dollars(price: ModelPrice | None, tokens: int, cache: Literal["", "write", "read"]) -> Decimal:
    from genai_prices import Usage  # noqa: PLC0415 - 0.25 s: only if prices are shown

    written, read = (tokens if cache == kind else 0 for kind in ("write", "read"))
    usage = Usage(input_tokens=tokens, cache_write_tokens=written, cache_read_tokens=read)
    return price.calc_price(usage)["input_price"] if price else Decimal(0)
