"""Thousands of entries: a query takes at most 50 ms, storing one 10 ms.

Measured in processor time, which is the time it takes when nothing else runs; with half the entries that
are promised, because a processor shared with other tests is slower, too.
"""

import os
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ctxtui.entries import ContextCategory, ContextEntry, ContextQuery, FileContextProvider, InMemoryContextProvider

pytestmark = pytest.mark.heavy

_COUNT = 2_000
_BODY = "What the customer said about orders, invoices, refunds and the second region. " * 12


def _lay_out(place: Path) -> None:
    """Many entries that lie there for a while."""
    long_ago = time.time_ns() - 10**12
    for number in range(_COUNT):
        head = f"---\nentryId: entry-{number:05}\ncategory: Decision\ntags: [a, t{number}]\n"
        file = place / f"entry-{number:05}.md"
        file.write_text(f"{head}createdAt: 2026-01-01T00:00:{number % 60:02}Z\n---\n{_BODY}{number:05}")
        os.utime(file, ns=(long_ago, long_ago))


def _entry(id_: str, content: str, tags: tuple[str, ...] = ()) -> ContextEntry:
    return ContextEntry(id_, content, ContextCategory.DECISION, datetime(2026, 1, 1, tzinfo=UTC), tags)


async def _least(turns: int, call: Callable[[int], Awaitable[object]]) -> float:
    times = []
    for turn in range(turns):
        start = time.process_time()
        await call(turn)
        times.append(time.process_time() - start)
    return min(times)


async def test_many_entries_are_queried_and_stored_in_time(tmp_path: Path) -> None:
    _lay_out(tmp_path)
    provider = FileContextProvider(tmp_path)
    (found,) = await provider.query(ContextQuery(keywords=f"region. {_COUNT - 1:05}"))
    assert found.entry_id == f"entry-{_COUNT - 1:05}"
    for query in (ContextQuery(keywords="REGION. 01"), ContextQuery(tags=("t7",)), ContextQuery(max_results=5)):
        assert await _least(7, lambda _, query=query: provider.query(query)) < 0.05
    assert await _least(15, lambda turn: provider.store(_entry(f"new-{turn}", "new"))) < 0.01
    assert await _least(15, lambda turn: provider.store(_entry(f"new-{turn}", "again"))) < 0.01
    assert len(await provider.query(ContextQuery(keywords="again"))) == 15


async def test_many_entries_in_memory_are_queried_and_stored_in_time() -> None:
    provider = InMemoryContextProvider()
    assert await _least(2_000, lambda turn: provider.store(_entry(f"e{turn}", f"{_BODY}{turn:05}"))) < 0.01
    assert await _least(5, lambda _: provider.query(ContextQuery(keywords="REGION. 01"))) < 0.01
    assert len(await provider.query(ContextQuery(keywords="region. 01"))) == 1_000
