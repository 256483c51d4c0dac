"""The three prices of a server for each agent: at the start, when its tools are loaded, and if they always are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ctxtui.audit.weigh.definition_json import definition_json
from ctxtui.audit.weigh.types import Deferral, Definition, Listing, Price, Server, ToolSize, Weighed
from ctxtui.core.base.plain import plain_line
from ctxtui.core.tokens.counter import TokenCounter

_NOTES = {
    "unknown": "Not known to defer tools.",
    "no": "All tools load at the start.",
    "model": "",
    "yes": "",
}


def price(server: Server, listing: Listing, rows: Mapping[str, Deferral], counter: TokenCounter) -> Weighed:
    """A server weighed: the tokens of its instructions and of each tool that is used, and a price for each agent."""
    used = [tool for tool in listing.tools if server.uses(tool.name)]
    counts = counter.counts([definition_json(tool) for tool in used])
    sizes = tuple(ToolSize(plain_line(tool.name), size) for tool, size in zip(used, counts, strict=True))
    prices = tuple(_price(server, listing, used, rows[agent], counter) for agent in server.agents)
    instructions = counter.count(listing.instructions)
    return Weighed(server, "weighed", "", listing, instructions, sizes, prices)


def _price(server: Server, listing: Listing, used: list[Definition], row: Deferral, counter: TokenCounter) -> Price:
    sent = [_sent(server, tool, row) for tool in used]
    instructions = counter.count(_cut(listing.instructions, row))
    sizes = counter.counts([definition_json(tool) for tool in sent])
    loaded = sum(sizes)
    always = instructions + loaded
    start = always
    if row.defers == "yes" and not server.always_loads:
        at_start = [bool(row.mark and tool.meta.get(row.mark) is True) for tool in used]
        names = "\n".join(tool.name for tool, marked in zip(sent, at_start, strict=True) if not marked)
        marked = sum(size for size, marked in zip(sizes, at_start, strict=True) if marked)
        start = instructions + counter.count(names) + marked
    note = row.note or _NOTES[row.defers]
    if server.always_loads:
        note = f"`{row.always}` is set: all its tools load at the start."
    return Price(row.agent, start, loaded, always, row.defers, note, row.src, row.checked)


def _sent(server: Server, tool: Definition, row: Deferral) -> Definition:
    """A tool as an agent sends it, as far as that is known: its name, and how much of its description."""
    name = row.tool.format(server=server.name, tool=tool.name)
    return replace(tool, name=name, description=_cut(tool.description, row))


def _cut(text: str, row: Deferral) -> str:
    return f"{text[: row.longest]}{row.ending}" if 0 < row.longest < len(text) else text
