"""Dollars for context: in the first request, and in later requests from the provider's cache."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from types import MappingProxyType

from ctxtui.agents import AgentContext
from ctxtui.agents.types import Fixed
from ctxtui.core.base.plain import plain_line
from ctxtui.core.tokens.models import find_model, price, price_edition


@dataclass(frozen=True, slots=True)
class Expense:
    """The price of some tokens in US dollars, None where it is unknown.

    `first` is the price in the first request, with writing to the cache if that is charged. `cached` is the price of
    a later read. `whole` is `first` with what the agent sends besides files, if that was captured.
    """

    name: str
    tokens: int
    first: Decimal | None
    cached: Decimal | None
    whole: Decimal | None = None

    @property
    def in_words(self) -> str:
        first = "" if self.first is None else f"${self.first:.4f} for the first request"
        cached = "" if self.cached is None else f"${self.cached:.4f} later"
        whole = "" if self.whole is None else f"${self.whole:.4f} with its own prompt and tools, as captured"
        return ", ".join(filter(None, (first, cached, whole))) or "no price known"


@dataclass(frozen=True, slots=True)
class Money:
    """Expenses with one model. `remark` names unknown prices. `as_of` is the edition of the price data."""

    model: str
    provider: str
    expenses: tuple[Expense, ...]
    remark: str = ""
    as_of: str = ""

    @property
    def heading(self) -> str:
        """Model, edition and unknown prices in words."""
        return f"dollars with {plain_line(self.model)}, {self.terms}"

    @property
    def terms(self) -> str:
        """The edition of the price data and the unknown prices in words."""
        return f"prices of {self.as_of}; {self.remark or 'later requests read the start from the cache'}"


def money(model: str, sizes: Iterable[tuple[str, int]]) -> Money:
    """Dollars for named token counts, which the tokenizer of the model must have counted.

    Prices are those of the packaged data, with steps for long requests, as if a request contained nothing else. They
    exclude cache storage and long cache lifetimes.
    """
    found = find_model(model)
    first, cached = found.written or found.input, found.cached
    expenses = tuple(
        Expense(
            name,
            tokens,
            price(tokens, first) if found.input and first else None,
            price(tokens, cached) if cached else None,
        )
        for name, tokens in sizes
    )
    if found.input and cached:
        return Money(model, found.provider, expenses, as_of=price_edition())
    missing = f"no price for cached input of {model}" if found.input else f"no price of {model}"
    return Money(model, found.provider, expenses, f"the price data have {missing}", price_edition())


def start_money(
    model: str,
    agents: Iterable[AgentContext],
    context: int,
    known: Mapping[str, int] = MappingProxyType({}),
    own: Mapping[str, Fixed] = MappingProxyType({}),
) -> Money:
    """Dollars for each agent's start by id, and for all context files as `total`.

    `context` are the tokens of all context files. `known` are better counts of starts than estimates, `own` captured
    sizes of what agents send besides files, both by agent id.
    """
    starts = [(each.agent.id, known.get(each.agent.id, each.start_tokens)) for each in agents]
    found = money(model, [*starts, ("total", context)])
    sizes = ((name, tokens + own[name].tokens) for name, tokens in starts if name in own)
    whole = {each.name: each.first for each in money(model, sizes).expenses}
    return replace(found, expenses=tuple(replace(each, whole=whole.get(each.name)) for each in found.expenses))
