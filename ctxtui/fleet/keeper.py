"""Workers on this machine, kept alive: one that ends, for any reason, is followed by another one."""

from __future__ import annotations

import pickle
import threading
from contextlib import suppress
from typing import Final, Self

from ctxtui.core.disk.workers import worker_process
from ctxtui.fleet import worker
from ctxtui.fleet.worker import Post

# No module comes from a folder that may be a project's.
_COMMAND: Final = ("-m", worker.__name__)
_LOOK: Final = 0.1
# A worker that cannot start is not started all the time.
_LONGEST_PAUSE: Final = 5.0


class Keeper:
    """A number of worker processes, as long as its block lasts."""

    def __init__(self, post: Post, count: int) -> None:
        self._post = pickle.dumps(post)
        self._count = count
        self._workers: list[worker_process.Process] = []
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._keep, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()
        for each in self._workers:
            worker_process.finish(each)

    def _keep(self) -> None:
        pause = _LOOK
        while True:
            ended = [each for each in self._workers if each.poll() is not None]
            for each in ended:
                self._workers.remove(each)
                worker_process.close(each)
            pause = min(pause * 2, _LONGEST_PAUSE) if ended else _LOOK
            with suppress(OSError):
                while len(self._workers) < self._count:
                    self._workers.append(_started(self._post))
            if self._is_over.wait(pause):
                return


def _started(post: bytes) -> worker_process.Process:
    process = worker_process.start(_COMMAND, answers=False)
    assert process.stdin
    with suppress(OSError):
        process.stdin.write(post)
        process.stdin.flush()
    return process
