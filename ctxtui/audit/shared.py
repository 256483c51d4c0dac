"""Text that files share: at the start of one agent, and among all context files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ctxtui.audit.text.facts import Facts, split_lines
from ctxtui.audit.text.repeats import Run, find_runs, pieces
from ctxtui.core.text.metadata.reference import Reference

_MARK = re.compile(r"\s*<!--\s*(.{1,200}?)\s*-->\s*")
_OPENING = re.compile(r"\b(?:start|begin)(?:s|ning)?\b", re.IGNORECASE)
_CLOSING = re.compile(r"\b(?:end|stop)s?\b|^/", re.IGNORECASE)
_SIGNS = re.compile(r"[\W_]+")
# Notes about generated files are in the first lines.
_HEAD = 12
_GENERATED = re.compile(
    # Other things that a text names may be generated, too.
    r"(?:^\W*|\b(?:this|the) (?:[\w-]+ )?(?:is|was|has been) (?:auto\w* )?)"
    r"generated\W+(?:automatically\s+)?(?:from|by)\b"
    r"|\bauto-?generated\b|\bdo not edit\b",
    re.IGNORECASE,
)

Held = tuple[Reference, Facts]
"""A context file and its facts."""

# Shorter text cannot reach the tokens required, so it is not counted.
_CHARACTERS_PER_TOKEN = 2


def tool_blocks(text: str) -> Iterator[range]:
    """The lines, from 1, between each pair of marks that a tool writes, such as `<!-- toc:start -->`."""
    opened: dict[str, int] = {}
    for number, line in enumerate(split_lines(text), 1):
        mark = _MARK.fullmatch(line)
        if mark is None:
            continue
        if _CLOSING.search(mark[1]):
            begin = opened.pop(_name(_CLOSING, mark[1]), None)
            if begin is not None:
                yield range(begin + 1, number)
        else:
            opened[_name(_OPENING, mark[1])] = number


def are_within(lines: Iterable[tuple[int, int]], text: str) -> bool:
    """Whether all ranges of lines, from 1, both ends included, are in tool blocks. Marks count as inside."""
    blocks = list(tool_blocks(text))
    return all(any(first >= block.start - 1 and last <= block.stop for block in blocks) for first, last in lines)


def _name(sign: re.Pattern[str], mark: str) -> str:
    """The name in a mark, without the part that `sign` matches and without a version."""
    return _SIGNS.sub(" ", re.sub(r"\bv?\d[\w.]*", "", sign.sub("", mark, count=1))).strip().casefold()


class Extent(NamedTuple):
    """A range of lines from 1, both ends included."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"line {self.first:,}" if self.first == self.last else f"lines {self.first:,} to {self.last:,}"


@dataclass(frozen=True, slots=True)
class SharedBlock:
    """Nearly equal lines: `here` in the earlier of two files, `there` in the later. `tokens` are the later's."""

    here: Extent
    there: Extent
    tokens: int


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """Text shared by two files: the large blocks in order, and the share (0 to 1) of the characters of each body."""

    one: Reference
    other: Reference
    blocks: tuple[SharedBlock, ...]
    share_of_one: float
    share_of_other: float

    @property
    def tokens(self) -> int:
        return sum(block.tokens for block in self.blocks)

    @property
    def largest(self) -> SharedBlock:
        """The block with the most tokens (the first of equal blocks)."""
        return max(self.blocks, key=lambda block: (block.tokens, -block.here.first))


def find_shared(
    held: Sequence[Held], least: int, count: Callable[[str], int], read: Callable[[str], str | None]
) -> Iterator[Shared]:
    """Pairs of files that share blocks of at least `least` tokens. `count` counts a text, `read` reads a path."""
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
    """Whether a tool generated all shared text: between its marks in both files, or both files."""
    here, there = [block.here for block in shared.blocks], [block.there for block in shared.blocks]
    one, other = read(shared.one.path) or "", read(shared.other.path) or ""
    return (are_within(here, one) and are_within(there, other)) or (is_generated(one) and is_generated(other))


def is_generated(text: str) -> bool:
    """Whether the first lines of a text say that it is generated."""
    return any(map(_GENERATED.search, split_lines(text)[:_HEAD]))


def _block(run: Run, facts: Sequence[Facts], lines: Sequence[str], count: Callable[[str], int]) -> SharedBlock:
    one, other = facts[run.earlier].numbers, facts[run.later].numbers
    (here, there), (here_last, there_last) = run.pairs[0], run.pairs[-1]
    numbers = [other[line] for _, line in run.pairs]
    tokens = count("\n".join(lines[number - 1] for number in numbers if number <= len(lines)))
    return SharedBlock(Extent(one[here], one[here_last]), Extent(other[there], other[there_last]), tokens)


def _share(facts: Facts, runs: Sequence[Run], side: int) -> float:
    """The share (0 to 1) of a file's characters in lines of `runs`. `side` is 0 for their earlier file, else 1."""
    lines = {pair[side] for run in runs for pair in run.pairs}
    return sum(facts.sizes[line] for line in lines) / (sum(facts.sizes) or 1)
