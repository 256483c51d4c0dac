"""Batches of items, bounded by their number and their size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


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
