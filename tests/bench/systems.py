"""The specifications' own operations, in this process: the best of several runs, warm."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.bench.corpus import write_texts
from tests.bench.table import Limit, Row

_SECTION = """## 2026-01-{day:02} Decision number {number}

**Status**: Accepted | **Date**: 2026-01-{day:02}

**Context**: a paragraph of some length that says why this had to be decided and what was
known about it at that time, with `code` and a [link](https://example.org) `#area:core`

**Decision**: what was decided, with what it rests on and what else was looked at, in as many
words as people use for such things, which are more than one would think when one has not read
many of them; then the consequences, the good ones first, and what has to be done before it
can be true, by whom, and until when, so that nobody has to ask again in half a year.

- [x] Write it down #done:2026-01-{day:02}
  - with a sub-bullet
- [ ] Tell everybody #priority:high

```python
def decide(number: int = {number}) -> bool:
    return True
```

"""
_CATALOG_FILE = """---
id: "d{domain}/topic_{number}"
domain: d{domain}
title: "Topic {number} of d{domain}"
type: pattern
estimatedTokens: 900
loadingStrategy: onDemand
sections:
  - name: "Part {number}"
    estimatedTokens: 300
    keywords: [part, word{word}, area{domain}]
tags: [tag{word}, d{domain}, topic]
detectionTriggers: ["import lib{word}"]
---

# Topic {number}

## Part {number}

{text}
"""
_ENTRY = """---
entryId: note-{number}
category: CustomerNote
tags: [billing, region-{number}]
createdAt: 2026-01-01T00:00:00Z
---
What customer {number} said about the invoice, in a few sentences that are as long as such notes are.
"""
_SIZES = ((10, 100_000, 100, None), (30, 400_000, 100, 60))


def typical_context(files: int, size: int) -> Mapping[str, str]:
    """A `.context` directory of so many files and about so many characters."""
    from ctxtui.loader import DEFAULT_PRIORITY

    names = [*DEFAULT_PRIORITY, *(f"NOTES_{number}" for number in range(20))][:files]
    count = size // files // len(_SECTION)
    sections = [_SECTION.format(day=number % 28 + 1, number=number) for number in range(count)]
    return {f".context/{name}.md": f"# {name}\n\n" + "".join(sections) for name in names}


def _catalog(files: int) -> Iterator[tuple[str, str]]:
    yield "cross_domain.md", ""
    for number in range(files):
        domain, text = number % 9, "Some words about it. " * 120
        content = _CATALOG_FILE.format(domain=domain, number=number, word=number % 97, text=text)
        yield f"d{domain}/topic_{number}.md", content


def _best(do: Callable[[], object]) -> float:
    """The shortest of seven runs, in milliseconds, after one that is not measured."""
    do()
    return min(_took(do) for _ in range(7))


def _took(do: Callable[[], object]) -> float:
    start = time.perf_counter()
    do()
    return (time.perf_counter() - start) * 1000


def _row(quantity: str, reach: float, measured: float, goal: float | None = None) -> Row:
    return Limit(reach, goal, "ms").row(quantity, measured, f"{measured:.1f} ms", {"ms": measured})


def measure() -> Iterator[Row]:
    yield from _loader()
    yield from _entries()
    for files, limit, goal in ((81, 5, None), (10_000, 15, 5)):
        yield from _searched(files, limit, goal)


def _entries(count: int = 10_000) -> Iterator[Row]:
    from ctxtui.entries import ContextEntry, ContextQuery, FileContextProvider

    with TemporaryDirectory() as place:
        write_texts(Path(place), ((f"note-{number}.md", _ENTRY.format(number=number)) for number in range(count)))
        provider = FileContextProvider(place, lambda _: None)
        query = ContextQuery(keywords="customer 77", tags=("billing",), max_results=5)
        first = _took(lambda: asyncio.run(provider.query(query)))
        yield _row(f"entries, {count:,}: first read", 400, first)
        took = _best(lambda: asyncio.run(provider.query(query)))
        yield _row(f"entries, {count:,}: a query, warm", 10, took)
        times = []
        for number in range(20):
            (entry,) = asyncio.run(provider.query(ContextQuery(keywords=f"customer {number} ", max_results=1)))
            new = ContextEntry(f"new-{number}", entry.content, entry.category, entry.created_at)
            times.append(_took(lambda new=new: asyncio.run(provider.store(new))))
        yield _row(f"entries, {count:,}: a store, median", 10, median(times))


def _loader() -> Iterator[Row]:
    from ctxtui.core import get_counter
    from ctxtui.loader import LoaderOptions, load_context

    for files, size, limit, goal in _SIZES:
        with TemporaryDirectory() as place:
            write_texts(Path(place), typical_context(files, size).items())
            for tokenizer in ("heuristic", "o200k_base"):
                options = LoaderOptions(place, counter=get_counter(tokenizer), on_notice=lambda _: None)
                took = _best(lambda options=options: load_context(options))  # type: ignore[misc]
                yield _row(f"`load_context`, {files} files, {size // 1000} kB, {tokenizer}", limit, took, goal)


def _searched(files: int, limit: float, goal: float | None) -> Iterator[Row]:
    from ctxtui.catalog import MarkdownFileContextProvider

    with TemporaryDirectory() as place:
        write_texts(Path(place), _catalog(files))
        if files < 1_000:
            took = _best(lambda: MarkdownFileContextProvider(place, on_notice=lambda _: None).get_catalog())
            yield _row(f"catalog of {files} files: references, bodies unread", 50, took)
        provider = MarkdownFileContextProvider(place, on_notice=lambda _: None)
        took = _best(lambda: provider.search("topic word7 area3"))
        yield _row(f"catalog of {files:,} files: search", limit, took, goal)
