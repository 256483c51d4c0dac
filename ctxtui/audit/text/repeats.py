"""Find text that files share: runs of lines with equal hashes, with small gaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, pairwise

from ctxtui.audit.text.facts import Facts

_WINDOW = 3
_LONG_LINE = 200
_GAP = 2
_CANDIDATES = 4
# Each line uses eighty bytes during the comparison, which therefore goes by shares of the lines.
_AT_ONCE = 20_000
_MOST_SHARES = 4
_DENSE = 0.8
_ON = (1, 1)


@dataclass(frozen=True, slots=True)
class Run:
    """Lines that two files share: indexes of both files, pairs of line indexes, and the later file's characters."""

    earlier: int
    later: int
    pairs: tuple[tuple[int, int], ...]
    size: int


def find_runs(files: Sequence[Facts], least: int) -> Iterator[Run]:
    """Shared runs of at least `least` characters, each in a file and the earlier file that has most of it.

    Time is linear in the number of lines, even if many files share lines.
    """
    shared = _shared(files)
    # Indexes of a file and of its line, by window. Bytes and tuples, because every shared line needs an entry.
    seen: dict[bytes, tuple[tuple[int, int], ...]] = {}
    for number, facts in enumerate(files):
        flags = list(map(shared.__contains__, facts.lines))
        if not any(flags):
            continue
        windows = dict(_windows(facts, flags))
        yield from (run for run in _against(files, number, windows, seen) if run.size >= least)
        for position, window in windows.items():
            places = seen.get(window, ())
            if len(places) < _CANDIDATES and not (places and places[-1][0] == number):
                seen[window] = (*places, (number, position))


def pieces(run: Run, files: Sequence[Facts]) -> Iterator[Run]:
    """The parts of a run in which at least four of five lines on each side are equal, in order."""
    held: list[tuple[int, int]] = []
    for stretch in _unbroken(run.pairs):
        if held and not _is_dense([*held, *stretch]):
            yield _of_pairs(run, held, files)
            held = []
        held += stretch
    if held:
        yield _of_pairs(run, held, files)


def _unbroken(pairs: Sequence[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """The pairs, split where either side skips a line."""
    steps = enumerate(((two[0] - one[0], two[1] - one[1]) for one, two in pairwise(pairs)), 1)
    breaks = [place for place, step in steps if step != _ON]
    yield from (list(pairs[start:end]) for start, end in pairwise([0, *breaks, len(pairs)]))


def _is_dense(pairs: Sequence[tuple[int, int]]) -> bool:
    spans = (pairs[-1][side] - pairs[0][side] + 1 for side in (0, 1))
    return len(pairs) >= _DENSE * max(spans)


def _of_pairs(run: Run, pairs: Sequence[tuple[int, int]], files: Sequence[Facts]) -> Run:
    sizes = files[run.later].sizes
    return Run(run.earlier, run.later, tuple(pairs), sum(sizes[line] for _, line in pairs))


def _shared(files: Sequence[Facts]) -> set[int]:
    """The hashes in more than one file, found in several passes to save memory."""
    shares = min(_MOST_SHARES, 1 + sum(len(facts.lines) for facts in files) // _AT_ONCE)
    shared = set[int]()
    for share in range(shares):
        seen = set[int]()
        # Maps each first byte to whether it is in this share.
        table = bytes(byte % shares == share for byte in range(256))
        for facts in files:
            first_bytes = facts.lines.tobytes()[:: facts.lines.itemsize]
            lines = set(compress(facts.lines, first_bytes.translate(table)))
            shared |= seen & lines
            seen |= lines
    return shared


def _windows(facts: Facts, flags: Sequence[bool]) -> Iterator[tuple[int, bytes]]:
    """Where a run may start: a line's index, and the hash of three shared lines or of one with 200 characters."""
    lines, sizes = facts.lines, facts.sizes
    for position in compress(range(len(lines)), flags):
        if sizes[position] >= _LONG_LINE:
            yield position, lines[position : position + 1].tobytes()
        elif position + _WINDOW <= len(lines) and all(flags[position : position + _WINDOW]):
            yield position, lines[position : position + _WINDOW].tobytes()


def _against(
    files: Sequence[Facts],
    later: int,
    windows: dict[int, bytes],
    seen: dict[bytes, tuple[tuple[int, int], ...]],
) -> Iterator[Run]:
    facts, end = files[later], -1
    for position, window in windows.items():
        if position <= end or window not in seen:
            continue
        runs = [_run(files, (earlier, line), (later, position)) for earlier, line in seen[window]]
        best = max(runs, key=lambda run: run.size)
        end = best.pairs[-1][1]
        if end < len(facts.lines):
            yield best


def _run(files: Sequence[Facts], place: tuple[int, int], later_place: tuple[int, int]) -> Run:
    """The longest run that begins with a pair of equal lines. Between equal lines, either side may skip up to two."""
    (earlier, here), (later, there) = place, later_place
    one, other = files[earlier], files[later]
    pairs: list[tuple[int, int]] = []
    while here < len(one.lines) and there < len(other.lines):
        if one.lines[here] == other.lines[there]:
            pairs.append((here, there))
            here, there = here + 1, there + 1
            continue
        step = _resumed(one, other, here, there)
        if step is None:
            break
        here, there = here + step[0], there + step[1]
    return Run(earlier, later, tuple(pairs), sum(other.sizes[line] for _, line in pairs))


def _resumed(one: Facts, other: Facts, here: int, there: int) -> tuple[int, int] | None:
    """How many lines to skip on each side, at most two, before two lines in a row are equal, or None."""
    for step in _STEPS:
        here_next, there_next = here + step[0], there + step[1]
        pair = one.lines[here_next : here_next + 2]
        if len(pair) == 2 and pair == other.lines[there_next : there_next + 2]:
            return step
    return None


_STEPS = sorted(
    ((one, other) for one in range(_GAP + 1) for other in range(_GAP + 1) if one or other),
    key=lambda step: (sum(step), step),
)
