"""Items taken together: in bounded batches, or by a key."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)


def batches(items: Iterable[Item], size: Callable[[Item], int], most: int, most_size: int) -> Iterator[list[Item]]:
    """The items in order, in lists that end as soon as they have `most` items or the size `most_size`."""
    batch: list[Item] = []
    total = 0
    for item in items:
        batch.append(item)
        total += size(item)
        if len(batch) >= most or total >= most_size:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def grouped(pairs: Iterable[tuple[Key, Item]]) -> dict[Key, list[Item]]:
    """The items of each key, in order."""
    found: dict[Key, list[Item]] = {}
    for key, item in pairs:
        found.setdefault(key, []).append(item)
    return found


def firsts(pairs: Iterable[tuple[Key, Item]]) -> dict[Key, Item]:
    """The first item of each key."""
    found: dict[Key, Item] = {}
    for key, item in pairs:
        found.setdefault(key, item)
    return found
