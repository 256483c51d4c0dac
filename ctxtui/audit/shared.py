"""Shared text: at the start of one agent, and among the context files of a project."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ctxtui.audit.text.facts import Facts, split_lines
from ctxtui.audit.text.repeats import Run, find_runs, pieces
from ctxtui.audit.text.tool_blocks import are_within
from ctxtui.core.text.metadata.reference import Reference

Held = tuple[Reference, Facts]
"""A context file with its facts."""

# Fewer characters per token are impossible, so shorter text is not counted.
_CHARACTERS_PER_TOKEN = 2


class Extent(NamedTuple):
    """Lines of a file, from the first to the last, counted from 1."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"line {self.first:,}" if self.first == self.last else f"lines {self.first:,} to {self.last:,}"


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that an earlier and a later file share, exactly or nearly, and their tokens in the later one."""

    here: Extent
    there: Extent
    tokens: int


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """The text that a later file shares with an earlier one: the blocks in order, and their share of each body.

    Shares are of the characters of the lines that are not blank, 0 to 1.
    """

    one: Reference
    other: Reference
    blocks: tuple[Block, ...]
    share_of_one: float
    share_of_other: float

    @property
    def tokens(self) -> int:
        """The tokens of all blocks."""
        return sum(block.tokens for block in self.blocks)

    @property
    def largest(self) -> Block:
        """The block with the most tokens; the first one if several are equal."""
        return max(self.blocks, key=lambda block: (block.tokens, -block.here.first))


def find_shared(
    held: Sequence[Held], least: int, count: Callable[[str], int], read: Callable[[str], str | None]
) -> Iterator[Shared]:
    """The pairs of files with blocks of at least `least` tokens; the time grows with the number of lines only.

    Each file is compared with the few earlier ones that contain the same lines.
    """
    facts = [each for _, each in held]
    runs: defaultdict[tuple[int, int], list[Run]] = defaultdict(list)
    for run in find_runs(facts, least * _CHARACTERS_PER_TOKEN):
        for piece in pieces(run, facts):
            if piece.size >= least * _CHARACTERS_PER_TOKEN:
                runs[run.earlier, run.later].append(piece)
    texts: dict[int, list[str]] = {}
    for (earlier, later), found in runs.items():
        if later not in texts:
            texts = {later: split_lines(read(held[later][0].path) or "")}
        blocks = [_block(run, facts, texts[later], count) for run in found]
        large = tuple(block for block in blocks if block.tokens >= least)
        if large:
            shares = [_share(facts[place], found, side) for side, place in enumerate((earlier, later))]
            yield Shared(held[earlier][0], held[later][0], large, *shares)


def is_by_tool(shared: Shared, read: Callable[[str], str | None]) -> bool:
    """Whether a tool writes all that two files share, between its marks in both."""
    here, there = [block.here for block in shared.blocks], [block.there for block in shared.blocks]
    return are_within(here, read(shared.one.path) or "") and are_within(there, read(shared.other.path) or "")


def _block(run: Run, facts: Sequence[Facts], lines: Sequence[str], count: Callable[[str], int]) -> Block:
    one, other = facts[run.earlier].numbers, facts[run.later].numbers
    (here, there), (here_last, there_last) = run.pairs[0], run.pairs[-1]
    numbers = [other[line] for _, line in run.pairs]
    tokens = count("\n".join(lines[number - 1] for number in numbers if number <= len(lines)))
    return Block(Extent(one[here], one[here_last]), Extent(other[there], other[there_last]), tokens)


def _share(facts: Facts, runs: Sequence[Run], side: int) -> float:
    """The share of a file's characters that are in runs, each line counted once."""
    lines = {pair[side] for run in runs for pair in run.pairs}
    return sum(facts.sizes[line] for line in lines) / (sum(facts.sizes) or 1)
