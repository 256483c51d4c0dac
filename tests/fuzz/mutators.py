"""Mutators: a text goes in, a text that is a little more broken comes out."""

from collections.abc import Callable
from random import Random
from typing import Final

from tests.fuzz.pieces import HOSTILE, HUGE, seeds

Mutator = Callable[[Random, str], str]


def _lines(change: Callable[[Random, list[str]], None]) -> Mutator:
    def mutate(random: Random, text: str) -> str:
        lines = text.splitlines(keepends=True) or [""]
        change(random, lines)
        return "".join(lines)

    return mutate


def _delete(random: Random, lines: list[str]) -> None:
    start = random.randrange(len(lines))
    del lines[start : start + random.randint(1, 3)]


def _duplicate(random: Random, lines: list[str]) -> None:
    start = random.randrange(len(lines))
    lines[start:start] = lines[start : start + random.randint(1, 4)] * random.choice((1, 1, 2, 9))


def _swap(random: Random, lines: list[str]) -> None:
    here, there = random.randrange(len(lines)), random.randrange(len(lines))
    lines[here], lines[there] = lines[there], lines[here]


def _splice(random: Random, lines: list[str]) -> None:
    other = random.choice(seeds()).splitlines(keepends=True)
    start, place = random.randrange(len(other)), random.randrange(len(lines))
    lines[place:place] = other[start : start + random.randint(1, 12)]


def _indent(random: Random, lines: list[str]) -> None:
    place = random.randrange(len(lines))
    lines[place] = random.choice((" ", "  ", "    ", "\t", "> ", "- ", "# ")) + lines[place]


def _insert(random: Random, text: str) -> str:
    place = random.randint(0, len(text))
    return text[:place] + random.choice(HOSTILE if random.random() < 0.95 else HUGE) + text[place:]


def _remove(random: Random, text: str) -> str:
    place = random.randint(0, len(text))
    return text[:place] + text[place + random.randint(1, 8) :]


def _flip(random: Random, text: str) -> str:
    if not text:
        return text
    place = random.randrange(len(text))
    return text[:place] + chr(ord(text[place]) ^ (1 << random.randrange(8))) + text[place + 1 :]


def _ends(random: Random, text: str) -> str:
    return text.replace("\n", random.choice(("\r\n", "\r", "\n\n", " \n")))


def _cut(random: Random, text: str) -> str:
    return text[: random.randint(0, len(text))]


MUTATORS: Final[tuple[Mutator, ...]] = (
    *map(_lines, (_delete, _duplicate, _swap, _splice, _indent)),
    *(_insert, _insert, _insert, _remove, _flip, _ends, _cut),
)


def mutated(random: Random, text: str, most: int = 6) -> str:
    """The text after some mutations, often none."""
    for _ in range(random.choice((0, 1, 1, 2, most))):
        text = random.choice(MUTATORS)(random, text)
    return text
