"""Counting a workspace into the ledger, in threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

from ctxtui.core.base.batches import batches
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.tuning import cores
from ctxtui.core.text.decode import damage_at
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.encodings import expect_bytes, fast_engine_problem
from ctxtui.workspace.workspace import Workspace

# The most files and bytes of a batch.
_BATCH = (512, 4 * 1024 * 1024)
# The finished batches between two writes of the ledger.
_FLUSH_EVERY = 20

Progress = Callable[[int, int], None]


def count_all(
    workspace: Workspace,
    counter: TokenCounter,
    on_progress: Progress | None = None,
    *,
    stop: threading.Event | None = None,
    only: Sequence[Reference] | None = None,
    with_large: bool = False,
) -> list[Notice]:
    """Count the documents that the ledger does not know: `only` some, or all except large data. Returns the problems.

    Writes the ledger. `with_large` includes large data. `on_progress` receives the numbers of finished and of all
    files to count, in this thread. Setting `stop` ends early, without an error.
    """
    reader = workspace.reader
    wanted = [each for each in workspace.references if with_large or not each.is_on_request] if only is None else only
    sizes = [reader.known_size(each, counter) for each in wanted]
    unknown = [each for each, size in zip(wanted, sizes, strict=True) if size is None]
    stop = stop or threading.Event()
    notices = _count_files(workspace, unknown, counter, on_progress, stop) if unknown else []
    reader.ledger.flush()
    if unknown:
        sizes = [reader.known_size(each, counter) for each in wanted]
    known = zip(wanted, sizes, strict=True)
    return notices + [damage_at(each.path, size.damage) for each, size in known if size and size.damage]


def uncounted(workspace: Workspace, references: Iterable[Reference], counter: TokenCounter) -> list[Reference]:
    """The large data among documents that is not counted yet."""
    return [each for each in references if each.is_on_request and workspace.reader.known_size(each, counter) is None]


def _count_files(
    workspace: Workspace,
    files: Sequence[Reference],
    counter: TokenCounter,
    on_progress: Progress | None,
    stop: threading.Event,
) -> list[Notice]:
    """Count files in threads, in batches. Returns notices about unreadable files and a slow engine."""
    from concurrent.futures import ThreadPoolExecutor, as_completed  # noqa: PLC0415 - only if something is counted

    reader, notices, done = workspace.reader, list[Notice](), 0
    expect_bytes(counter.basis, sum(each.stamp.size for each in files))
    pool = ThreadPoolExecutor(min(reader.workers, cores()), "count")

    def count(batch: Sequence[Reference]) -> list[Notice]:
        return [] if stop.is_set() else reader.count_batch(batch, counter)

    try:
        parts = batches(files, lambda each: each.stamp.size, *_BATCH)
        waiting = {pool.submit(count, batch): len(batch) for batch in parts}
        for finished, each in enumerate(as_completed(waiting), 1):
            notices += each.result()
            done += waiting[each]
            if on_progress and not stop.is_set():
                on_progress(done, len(files))
            if finished % _FLUSH_EVERY == 0:
                reader.ledger.flush()
    finally:
        # After ctrl-c, no further batch begins.
        pool.shutdown(cancel_futures=True)
    if problem := fast_engine_problem(counter.basis):
        notices.append(Notice("fast-engine", f"toktok did not count ({problem}); tiktoken did"))
    return notices
