"""Counting ahead: a large project is counted by other processes while it is still being opened."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from ctxtui.core.files.look import SMALL
from ctxtui.core.files.reader import Reader
from ctxtui.core.files.walk import Found
from ctxtui.core.tokens.counter import TokenCounter

if TYPE_CHECKING:
    from ctxtui.core.files.count_process import CountProcess

# What is under way when the project is open is waited for.
_BATCH = (64, 256 * 1024)


class Ahead:
    """Counts what a command will want counted, from the moment its files are found; a context manager.

    Only files of a usual size: what is counted here and wanted by nobody costs no more than time of another core.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self.counter = counter
        self._processes: list[CountProcess] = []
        self._threads: list[threading.Thread] = []
        self._batches: deque[list[Found]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._batches.clear()
        for process in self._processes:
            process.close()

    def begin(self, reader: Reader, files: Sequence[Found]) -> None:
        """Start counting files that the ledger does not know, if there are enough of them."""
        key, ledger = self.counter.key, reader.ledger
        unknown = [each for each in files if ledger.size(key, each.path, each.stamp) is None]
        if not unknown:
            return
        # All this is for large projects that are not known yet.
        from ctxtui.core.files.count_process import Lost  # noqa: PLC0415
        from ctxtui.workspace.crew import batches, means_for, start_process  # noqa: PLC0415

        if not means_for(sum(each.stamp.size for each in unknown), self.counter).processes:
            return
        from ctxtui.workspace.large_data import reasons  # noqa: PLC0415

        unknown = [each for each in unknown if _is_likely(each)]
        why = reasons(reader.root.read)
        wanted = [each for each in unknown if why(each.path, each.stamp.size) is None]
        means = means_for(sum(each.stamp.size for each in wanted), self.counter)
        self._batches.extend(batches(wanted, *_BATCH))
        for _ in range(means.processes):
            try:
                process = start_process(reader, self.counter, means.is_fast)
            except Lost:
                return
            self._processes.append(process)
            self._threads.append(threading.Thread(target=self._count, args=(reader, process), daemon=True))
            self._threads[-1].start()

    def _count(self, reader: Reader, process: CountProcess) -> None:
        from ctxtui.core.files.count_process import Lost  # noqa: PLC0415 - as above

        # What is lost here is counted, and told, by those who come after.
        while self._batches:
            try:
                batch = self._batches.popleft()
                reader.record(process.count([each.path for each in batch]), self.counter)
            except (IndexError, Lost):
                return

    def finish(self) -> list[CountProcess]:
        """Begin nothing more; returns the processes, ready for other work."""
        self._batches.clear()
        for thread in self._threads:
            thread.join()
        processes, self._processes = self._processes, []
        return processes


def _is_likely(file: Found) -> bool:
    from ctxtui.workspace.plain_files import BINARY  # noqa: PLC0415 - as above

    is_own = file.path == file.real and not file.ignored
    return is_own and file.stamp.size <= SMALL and file.path.rpartition(".")[2].lower() not in BINARY
