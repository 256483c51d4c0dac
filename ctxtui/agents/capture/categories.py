"""The categories of a request: how many of its tokens are system prompt, tools, memory files, lists and hooks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ctxtui.agents.capture.kept import latest_capture
from ctxtui.agents.capture.launches import Launch, find_program, launches
from ctxtui.agents.capture.wires import SYSTEM, TOOL, Part
from ctxtui.agents.types import Agent, Fixed
from ctxtui.core.tokens.counter import TokenCounter

PROMPT, BUILT_IN, MCP = "system prompt", "built-in tools", "MCP tools"
AGENTS, MEMORY, SKILLS, HOOKS, OTHER = "agents", "memory files", "skills", "hooks", "other"
CATEGORIES: Final = (PROMPT, BUILT_IN, MCP, AGENTS, MEMORY, SKILLS, HOOKS, OTHER)
"""The categories of a start, as agents' own displays name them."""

_OWN: Final = (PROMPT, BUILT_IN)


class Hit(NamedTuple):
    """A range of the text of one part: the part's position, and the offsets, the end excluded."""

    part: int
    start: int
    end: int


Stretch = tuple[Hit, str]
"""A stretch of a request, and its category."""


def own_parts(agents: Iterable[Agent], counter: TokenCounter, project: Path) -> Mapping[str, Fixed]:
    """The tokens that agents send besides files, by id: system prompt and tools, as last captured on this machine.

    Only captures of the programs that are installed now count. Starts nothing.
    """
    found: dict[str, Fixed] = {}
    for agent in agents:
        kept = latest_capture(agent.id)
        # The table of programs is read only where something was captured.
        launch = launches().get(agent.id) if kept else None
        program = find_program(launch, project) if launch else None
        if kept and program and program.stamp == kept[1]:
            made = kept[0]
            sizes = tokens_by_category(made.parts, sections(made.parts, launch), counter)
            tokens = sum(sizes[name] for name in _OWN)
            of = "" if counter.exact else counter.name
            what, by = " and ".join(_OWN), "a capture on this machine"
            found[agent.id] = Fixed(what, tokens, "", made.at.date(), by, made.version, of, is_captured=True)
    return found


def sections(parts: Sequence[Part], launch: Launch | None) -> list[Stretch]:
    """The ranges of a request's texts that an agent's launch assigns to categories, each with its category."""
    return [
        (Hit(place, found.start(), found.end()), category)
        for category, patterns in (launch.sections.items() if launch else ())
        for pattern in patterns
        for place, part in enumerate(parts)
        for found in re.finditer(pattern, part.text, re.DOTALL)
    ]


def tokens_by_category(
    parts: Sequence[Part], stretches: Iterable[Stretch], counter: TokenCounter, mcp: re.Pattern[str] | None = None
) -> dict[str, int]:
    """Tokens by category, which add up to the request's. `stretches` are from `sections`, `mcp` matches tools."""
    tokens = dict.fromkeys(CATEGORIES, 0)
    known = list(stretches)
    for place, part in enumerate(parts):
        own = [each for each in known if each[0].part == place]
        usual = PROMPT if part.place == SYSTEM else OTHER
        if part.place == TOOL:
            usual = MCP if mcp and mcp.fullmatch(part.name) else BUILT_IN
        owners = _owners(own, len(part.text), usual)
        # Differences of counts of beginnings add up.
        counts = [0, *counter.counts([part.text[:end] for end, _ in owners])]
        for (_, category), before, after in zip(owners, counts, counts[1:], strict=False):
            tokens[category] += after - before
    return tokens


def _owners(stretches: Sequence[Stretch], length: int, usual: str) -> list[tuple[int, str]]:
    """The end and category of each range of a text, in order. The widest stretch decides, else `usual`."""
    edges = sorted({0, length, *(edge for hit, _ in stretches for edge in (hit.start, hit.end))})
    owners = [usual] * max(len(edges) - 1, 0)
    for hit, category in sorted(stretches, key=lambda each: each[0].end - each[0].start):
        first, last = bisect_right(edges, hit.start) - 1, bisect_right(edges, hit.end) - 1
        owners[first:last] = [category] * (last - first)
    merged: list[tuple[int, str]] = []
    for end, owner in zip(edges[1:], owners, strict=True):
        if merged and merged[-1][1] == owner:
            merged.pop()
        merged.append((end, owner))
    return merged
