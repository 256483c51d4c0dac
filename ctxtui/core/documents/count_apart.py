"""Files counted in another process, which also looks at their texts for what follows from them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple

from ctxtui.core.base.notices import Notice
from ctxtui.core.base.tuning import share
from ctxtui.core.disk.cache import Cache
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.count_files import Text, TextTask, count_files
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.counts import Counts
from ctxtui.core.tokens.encodings import expect_much, slow_engine
from ctxtui.core.tokens.ledger import Entry, Ledger

# Files that one core looks at before it takes the next ones.
_SOME: Final = 32


class CountPlace(NamedTuple):
    """Where files are, and where their counts and what was found in their texts are kept."""

    root: tuple[str, str, str]
    ledger: Path | None
    cache: Path | None


class CountOrder(NamedTuple):
    """Files to count, and the functions that look at their texts as well, on some cores; many if it `is_much`."""

    place: CountPlace
    counter: TokenCounter
    is_much: bool
    tasks: Sequence[TextTask]
    workers: int
    paths: Sequence[str]


class Counted(NamedTuple):
    """The counts of files, what was found in their texts, and why the fast engine did not count."""

    files: list[tuple[str, Entry | Notice]]
    found: dict[bytes, bytes]
    problem: str = ""


def count_apart(order: CountOrder) -> Counted:
    """Count files; runs in a process of its own, which is started for many of them."""
    if order.is_much:
        expect_much(order.counter.basis)
    if order.workers == 1 or not order.tasks or sys.platform == "win32":
        counted = [_count(order)]
    else:
        paths = order.paths
        parts = [order._replace(paths=paths[start : start + _SOME]) for start in range(0, len(paths), _SOME)]
        if not _pools:
            # What this loads and compiles is there before the process forks; a fork must not share a database.
            _count(parts[0]._replace(place=CountPlace(order.place.root, None, None)))
            share()
            _pools.append(ProcessPoolExecutor(order.workers, get_context("fork")))
        counted = list(_pools[0].map(_count, parts))
    files = list(chain.from_iterable(each.files for each in counted))
    found = {key: value for each in counted for key, value in each.found.items()}
    return Counted(files, found, slow_engine(order.counter.basis))


_pools: list[ProcessPoolExecutor] = []


def _count(order: CountOrder) -> Counted:
    root, ledger, cache = _opened(order.place)

    def look(text: Text, counts: Counts) -> None:
        for each in order.tasks:
            each(text, counts, order.counter, cache, root)

    with root.in_turn() as near:
        files = ((path, partial(near.read, path)) for path in order.paths)
        return Counted(count_files(files, order.counter, ledger, look if order.tasks else None), cache.taken())


@lru_cache(1)
def _opened(place: CountPlace) -> tuple[Root, Ledger, Cache]:
    root = Root.entered(*place.root)
    return root, Ledger(place.ledger, str(root.path), lambda _: None), Cache(place.cache)
