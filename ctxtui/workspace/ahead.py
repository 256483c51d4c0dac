"""Counting ahead: a large project is counted by other processes while it is still being opened."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Self

from ctxtui.core.files.look import SMALL
from ctxtui.core.files.reader import Reader
from ctxtui.core.files.walk import Found
from ctxtui.core.tokens.counter import TokenCounter

if TYPE_CHECKING:
    from ctxtui.core.files.count_process import CountProcess, Passed
    from ctxtui.workspace.large_data import Reason

# What is under way when the project is open is waited for.
_BATCH = (128, 1024 * 1024)


class Ahead:
    """Counts what a command will want counted, from the moment its files are found; a context manager.

    The functions `also` look at every text as well; one that gives them is called once a process has been started.

    With `wanted`, only files whose paths it accepts. Only files of a usual size: what is counted here and wanted by
    nobody costs no more than time of another core. With `lasts`, the processes that counted files, those that
    `count_all` started too, go on to count texts by `told` until the end of the context: this process builds no
    encoder then.
    """

    def __init__(
        self,
        counter: TokenCounter,
        also: Passed = (),
        wanted: Callable[[str], bool] | None = None,
        *,
        lasts: bool = False,
    ) -> None:
        self.counter = counter
        self.lasts = lasts
        self._also, self._wanted = also, wanted
        self._unknown: list[Found] = []
        self._bytes = 0
        self._is_lost = False
        self._why: Reason | None = None
        self._processes: list[CountProcess] = []
        self._threads: list[threading.Thread] = []
        self._foreseen: dict[str, int] = {}
        # None ends a thread.
        self._batches: SimpleQueue[list[Found] | None] = SimpleQueue()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_threads()
        processes, self._processes = self._processes, []
        for process in processes:
            process.close()

    def begin(self, reader: Reader, files: Sequence[Found]) -> None:
        """Count files that the ledger does not know, once there are enough of them; called as files are found."""
        key, ledger = self.counter.key, reader.ledger
        unknown = [each for each in files if _is_usual(each) and ledger.size(key, each.path, each.stamp) is None]
        if self._wanted is not None:
            unknown = [each for each in unknown if self._wanted(each.path)]
        self._unknown += unknown
        self._bytes += sum(each.stamp.size for each in unknown)
        if self._unknown and not self._is_lost and (self._processes or self._start(reader)):
            self._feed(reader)

    def _start(self, reader: Reader) -> bool:
        # All this is for large projects that are not known yet.
        from ctxtui.core.files.count_process import Lost  # noqa: PLC0415
        from ctxtui.workspace.crew import enough_for, start_processes  # noqa: PLC0415

        means = enough_for(self._bytes, self.counter, reader.hands, bool(self._also))
        if means is None:
            return False
        try:
            self._processes = start_processes(reader, self.counter, means, self._also)
        except Lost:
            self._is_lost = True
            return False
        for process in self._processes:
            # Two threads ask each worker, which counts while the other one records.
            for worker in [*range(process.workers)] * 2:
                self._threads.append(
                    threading.Thread(target=self._count, args=(reader, process, worker), daemon=True)
                )
                self._threads[-1].start()
        return True

    def _feed(self, reader: Reader) -> None:
        from ctxtui.workspace.crew import batches  # noqa: PLC0415 - as above
        from ctxtui.workspace.large_data import reasons  # noqa: PLC0415
        from ctxtui.workspace.plain_files import BINARY  # noqa: PLC0415

        why = self._why = self._why or reasons(reader.root.read)
        unknown, self._unknown = self._unknown, []
        for batch in batches(
            [
                each
                for each in unknown
                if each.path.rpartition(".")[2].lower() not in BINARY and why(each.path, each.stamp.size) is None
            ],
            *_BATCH,
        ):
            self._batches.put(batch)

    def _count(self, reader: Reader, process: CountProcess, worker: int) -> None:
        from ctxtui.core.files.count_process import Lost  # noqa: PLC0415 - as above

        # What is lost here is counted, and told, by those who come after.
        while (batch := self._batches.get()) is not None:
            try:
                reader.record(process.count([each.path for each in batch], worker), self.counter)
            except Lost:
                return

    @property
    def told(self) -> TokenCounter:
        """The counter with the same numbers, as the processes tell them as long as there are some."""
        return replace(self.counter, tokens_of=self._tokens)

    def foresee(self, texts: Sequence[str]) -> None:
        """Learn in one go the tokens of texts that the told counter will be asked for, each of them once."""
        if self._processes and texts:
            from ctxtui.core.files.count_process import Lost  # noqa: PLC0415 - as above

            # What is lost is counted later, one by one.
            with suppress(Lost):
                self._foreseen.update(zip(texts, self._processes[0].tokens_of(texts), strict=True))

    def _tokens(self, text: str, basis: str) -> int:
        if (known := self._foreseen.pop(text, None)) is not None:
            return known
        if self._processes:
            from ctxtui.core.files.count_process import Lost  # noqa: PLC0415 - as above

            with suppress(Lost):
                return self._processes[0].tokens(text)
            self.__exit__()
        return self.counter.tokens_of(text, basis)

    def take(self, processes: Sequence[CountProcess]) -> None:
        """Take over processes that have counted files."""
        self._processes = list(processes)

    def finish(self) -> list[CountProcess]:
        """Begin nothing more; returns the processes, ready for other work."""
        self._end_threads()
        for thread in self._threads:
            thread.join()
        processes, self._processes = self._processes, []
        return processes

    def _end_threads(self) -> None:
        """Have the threads end after what they are counting now."""
        with suppress(Empty):
            while True:
                self._batches.get_nowait()
        for _ in self._threads:
            self._batches.put(None)


def _is_usual(file: Found) -> bool:
    return file.path == file.real and not file.ignored and file.stamp.size <= SMALL
