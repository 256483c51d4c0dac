"""Agents that defer tools only if all of them together would take too much of the window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from ctxtui.audit.weigh.types import Deferral, Price, Weighed
from ctxtui.core.base.wording import plural

WINDOW: Final = 200_000
"""The window in tokens of an agent that names none."""


def with_thresholds(
    servers: Sequence[Weighed], rows: Mapping[str, Deferral], windows: Mapping[str, int]
) -> tuple[Weighed, ...]:
    """The servers with the prices that a share of the window decides; `windows` are tokens by agent id.

    Definitions of servers that were never weighed are unknown: the note says how many are.
    """
    decided = {agent: row for agent, row in rows.items() if row.share is not None and row.defers == "yes"}
    if not decided:
        return tuple(servers)
    fits = {agent: _Fit.of(row, servers, windows.get(agent) or WINDOW) for agent, row in decided.items()}

    def one(each: Weighed) -> Weighed:
        prices = tuple(
            fits[price.agent].of_price(price) if price.agent in fits and not each.server.always_loads else price
            for price in each.prices
        )
        return replace(each, prices=prices)

    return tuple(map(one, servers))


class _Fit:
    """Whether all that an agent could defer fits in its share of the window."""

    def __init__(self, is_in: bool, note: str) -> None:
        self._is_in, self._note = is_in, note

    @classmethod
    def of(cls, row: Deferral, servers: Sequence[Weighed], window: int) -> _Fit:
        """Add up the definitions of the agent's servers."""
        share = row.share or 0
        mine = [each for each in servers if row.agent in each.server.agents and not each.server.always_loads]
        total = sum(price.loaded for each in mine for price in each.prices if price.agent == row.agent)
        unknown = sum(each.state in ("unweighed", "failed") for each in mine)
        is_in = total <= window * share // 100
        room = f"{share} % of the window of {window:,}"
        outcome = (
            f"all tools load at the start, because their ≈{total:,} tokens fit in {room}"
            if is_in
            else f"tools are deferred, because their ≈{total:,} tokens do not fit in {room}"
        )
        rest = f"; {plural(unknown, 'server')} not weighed" if unknown and is_in else ""
        return cls(is_in, f"{row.note}: {outcome}{rest}.")

    def of_price(self, price: Price) -> Price:
        """The price for that agent."""
        return replace(price, start=price.always if self._is_in else price.start, note=self._note)
