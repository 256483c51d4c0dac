"""MCP servers in words: one row each, the same in every report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ctxtui.audit.weigh.types import Price, Weighed
from ctxtui.core.base.plain import plain_line
from ctxtui.core.tokens.counter import TokenCounter

HEADING: Final = "servers, their tools, and tokens at the start, of all definitions once loaded, if always loaded"
_UNKNOWN: Final = "–"


def server_row(weighed: Weighed) -> tuple[str, str, str, str, str, str, str]:
    """A server's cells: name, agents, tools, prices `start`, `loaded` and `always` (each may be a range), state."""
    server, listing = weighed.server, weighed.listing
    name, agents = plain_line(server.name), ", ".join(server.agents)
    if listing is None:
        state = {"unweighed": "not weighed"}.get(weighed.state, weighed.state)
        why = f": {plain_line(weighed.why)}" if weighed.why and weighed.state == "failed" else ""
        return name, agents, _UNKNOWN, _UNKNOWN, _UNKNOWN, _UNKNOWN, f"{state}{why}"
    three = (_joined([getattr(price, each) for price in weighed.prices]) for each in ("start", "loaded", "always"))
    return name, agents, f"{len(weighed.tools):,}", *three, f"weighed {listing.at.date()}"  # type: ignore[return-value]


def _joined(tokens: Sequence[int]) -> str:
    least, most = min(tokens), max(tokens)
    return f"≈{least:,}" if least == most else f"≈{least:,}–{most:,}"


def remarks(servers: Sequence[Weighed], counter: TokenCounter) -> Iterator[str]:
    """Sentences about the precision of the numbers, and about how each agent loads tools."""
    weighed = [each for each in servers if each.listing]
    if weighed:
        exact = "counted exactly as JSON"
        known = exact if counter.exact else f"estimated for {plain_line(counter.name)} as JSON, {counter.band}"
        yield f"≈: tools are {known}; how agents wrap them is not known"
    notes: dict[str, Price] = {price.agent: price for each in weighed for price in each.prices if price.note}
    for agent, price in notes.items():
        source = f" ({price.src}, {price.checked})" if price.src else ""
        yield f"{agent}: {price.note}{source}"
