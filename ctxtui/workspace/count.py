"""Count the documents of a workspace into the ledger."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

from ctxtui.core.base.notices import Notice
from ctxtui.core.text.decode import damage_at
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.core.tokens.ledger import Size
from ctxtui.workspace.workspace import Workspace

if TYPE_CHECKING:
    from ctxtui.workspace.counting import CountingWorkers

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
    workers: CountingWorkers | None = None,
    again: Sequence[Reference] = (),
) -> list[Notice]:
    """Count the documents that the ledger does not know: `only` some, or all except large data. Returns the problems.

    `with_large` includes large data. `workers` may have begun while the project was opened. Their tasks also run on
    the texts of documents named `again`, which are counted already. `on_progress` receives the numbers of finished
    and of all files, in this thread. `stop` ends early.
    """
    reader = workspace.reader
    workers = workers if workers and workers.counter.key == counter.key else None
    if workers:
        workers.finish()
    wanted = [each for each in workspace.references if with_large or not each.is_on_request] if only is None else only
    sizes = [reader.size(each, counter) for each in wanted]
    unknown = [each for each, size in zip(wanted, sizes, strict=True) if size is None]
    notices: list[Notice] = []
    done = 0
    stop = stop or threading.Event()
    files = [*unknown, *(each for each in again if reader.size(each, counter) is not None)]
    if files:
        from ctxtui.workspace.counting import CountingWorkers  # noqa: PLC0415 - only if something is counted

        with nullcontext(workers) if workers else CountingWorkers(counter) as counting:
            for finished, (some, told) in enumerate(counting.count(reader, files, stop), 1):
                notices += told
                done += some
                if on_progress and not stop.is_set():
                    on_progress(done, len(files))
                if finished % _FLUSH_EVERY == 0:
                    reader.ledger.flush()
            notices += counting.problems
    reader.ledger.flush()
    if only is None and not stop.is_set():
        reader.forget_reads()
    if unknown:
        sizes = [reader.size(each, counter) for each in wanted]
    return notices + list(_damaged(wanted, sizes))


def uncounted(workspace: Workspace, references: Iterable[Reference], counter: TokenCounter) -> list[Reference]:
    """The large data that is not counted yet."""
    return [each for each in references if each.is_on_request and workspace.reader.size(each, counter) is None]


def _damaged(references: Sequence[Reference], sizes: Sequence[Size | None]) -> Iterator[Notice]:
    """Notices for files with invalid text, also for counts from the cache."""
    for reference, size in zip(references, sizes, strict=True):
        if size is not None and size.damage:
            yield damage_at(reference.path, size.damage)
