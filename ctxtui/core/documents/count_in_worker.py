"""Counting in a second process, which also runs tasks on the texts."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple

from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.cache import Cache
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.count_files import Text, TextTask, count_files
from ctxtui.core.text.secrets import search_together
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.counts import Counts
from ctxtui.core.tokens.encodings import expect_much, slow_engine
from ctxtui.core.tokens.ledger import Entry, Ledger

# The files of one job in the process pool.
_SOME: Final = 32


class CountPlace(NamedTuple):
    """The root of the files, and the folders of the ledger and the cache."""

    root: tuple[str, str, str]
    ledger: Path | None
    cache: Path | None


class CountOrder(NamedTuple):
    """Files to count, and tasks to run on their texts. `is_much` selects the fast engine."""

    place: CountPlace
    counter: TokenCounter
    is_much: bool
    tasks: Sequence[TextTask]
    workers: int
    paths: Sequence[str]


class Counted(NamedTuple):
    """The counts of files, the facts for the cache, and the reason why the fast engine did not count."""

    files: list[tuple[str, Entry | Notice]]
    found: dict[bytes, bytes]
    problem: str = ""


def count_in_worker(order: CountOrder) -> Counted:
    """Count files in a second process. If there are tasks, its forks take a share of the files."""
    if order.is_much:
        expect_much(order.counter.basis)
    if order.workers == 1 or not order.tasks or sys.platform == "win32":
        counted = [_count(order)]
    else:
        counted = list(_count_shared(order))
    files = list(chain.from_iterable(each.files for each in counted))
    found = {key: value for each in counted for key, value in each.found.items()}
    return Counted(files, found, slow_engine(order.counter.basis))


_forks: list[ProcessPoolExecutor] = []


def _count_shared(order: CountOrder) -> Iterator[Counted]:
    """Count files here and in forks. This process takes from the end what no fork has begun."""
    paths = order.paths
    parts = [order._replace(paths=paths[start : start + _SOME]) for start in range(0, len(paths), _SOME)]
    if not _forks:
        # Import and compile before the fork. Without folders, because a fork must not share a database.
        _count(parts[0]._replace(place=CountPlace(order.place.root, None, None)))
        # A collection would copy the pages that both processes share.
        gc.freeze()
        _forks.append(ProcessPoolExecutor(order.workers - 1, get_context("fork")))
    waiting = [(part, _forks[0].submit(_count, part)) for part in parts]
    for part, future in reversed(waiting):
        yield _count(part) if future.cancel() else future.result()


def _count(order: CountOrder) -> Counted:
    root, ledger, cache = _opened(order.place)

    def look(text: Text, counts: Counts) -> None:
        for each in order.tasks:
            each(text, counts, order.counter, cache, root)

    if order.tasks:
        # Labels hold paths, which may contain credentials too.
        search_together(order.paths)
    files = ((path, partial(root.read, path)) for path in order.paths)
    return Counted(count_files(files, order.counter, ledger, look if order.tasks else None), cache.taken())


@lru_cache(1)
def _opened(place: CountPlace) -> tuple[Root, Ledger, Cache]:
    root = Root.entered(*place.root)
    return root, Ledger(place.ledger, str(root.path), lambda _: None), Cache(place.cache)
