"""How the time of each reader of foreign text grows with the text: `python -m tests.fuzz.growth [--size N] [READER …]`."""

import argparse
import gc
import math
import sys
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

from tests.fuzz.growth_table import READERS, SHAPES, Reader, quietly

# The highest exponent that passes: n log n stays below 1.15 at these sizes, n times its root has 1.5.
LIMIT = 1.4
_FIRST = 1_000
# Below, the clock and the collector of garbage tell more than the reader does.
_JUDGED = 0.02
_ENOUGH = 1.0


class Growth(NamedTuple):
    """What was measured: seconds of processor time at `size` characters, and the exponent from there on."""

    reader: str
    shape: str
    size: int
    seconds: float
    exponent: float

    def __str__(self) -> str:
        name = f"{self.reader} × {self.shape}"
        return f"{name}: exponent {self.exponent:.2f}, {self.seconds:.3f} s at {self.size:,} characters"


def measure(reader: str, shape: str, largest: int, read: Reader | None = None, tries: int = 6) -> Growth | None:
    """How a reader grows on a shape; None if it is too fast to judge even at the largest size."""
    read, text = read or READERS[reader], SHAPES[shape]
    size = _FIRST
    while _seconds(read, text(size)) < _JUDGED:
        size *= 4
        if size > largest:
            return None
    for _ in range(tries):
        found = _judged(reader, shape, size, read, text)
        if found is None or found.exponent <= LIMIT:
            break
    return found


def _judged(reader: str, shape: str, size: int, read: Reader, text: Callable[[int], str]) -> Growth | None:
    before = _best(read, text(size))
    if before < _JUDGED / 2:
        return None  # the first time paid for imports and tables
    after = _best(read, text(4 * size))
    return Growth(reader, shape, size, before, math.log(after / before, 4))


def _best(read: Reader, text: str) -> float:
    """The lesser of two times, unless one is long enough."""
    best = _seconds(read, text)
    return best if best > _ENOUGH else min(best, _seconds(read, text))


def _seconds(read: Reader, text: str) -> float:
    # Looking for garbage takes time by what else this process holds.
    gc.disable()
    try:
        start = time.process_time()
        quietly(read, text)
        return time.process_time() - start
    finally:
        gc.enable()


def too_fast_growing(reader: str, shapes: Iterable[str], largest: int) -> list[Growth]:
    measured = (measure(reader, shape, largest) for shape in shapes)
    return [found for found in measured if found is not None and found.exponent > LIMIT]


def main() -> int:
    """Prints what grows too fast; exit status 1 if anything does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=256_000, help="the largest text to start from, in characters")
    parser.add_argument("readers", nargs="*", metavar="READER", help=", ".join(READERS))
    given = parser.parse_args()
    bad = 0
    for reader in given.readers or READERS:
        start = time.process_time()
        found = too_fast_growing(reader, SHAPES, given.size)
        bad += len(found)
        print(f"{reader}: {len(SHAPES)} shapes, {time.process_time() - start:.1f} s", *found, sep="\n  ", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
