"""A worker on this machine: a process with one thread that belongs to the scheduler of the one that started it.

What to connect to arrives on its input; it ends when its input does, so it never outlives the one that started it.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
from collections.abc import Mapping
from functools import partial
from typing import IO, Any, NamedTuple

import dask
from distributed import Security, Worker
from distributed.config import initialize_logging

from ctxtui.core.disk.workers.worker_input import leave_interrupts, orders


class Post(NamedTuple):
    """What a worker must know: the scheduler, the keys, its own folder, its memory in bytes, settings of Dask."""

    scheduler: str
    security: Security
    folder: str
    memory: int
    settings: Mapping[str, Any]


async def _work(post: Post) -> None:
    worker: Worker = await Worker(
        post.scheduler,
        nthreads=1,
        host="127.0.0.1",
        dashboard=False,
        dashboard_address="127.0.0.1:0",
        security=post.security,
        local_directory=post.folder,
        memory_limit=post.memory,
        death_timeout=60,
    )
    await worker.finished()


def main() -> None:
    """Work until the scheduler or the input ends."""
    leave_interrupts()
    inbox: IO[bytes] = os.fdopen(os.dup(0), "rb")
    # One order arrives, and then the end.
    post: Post = next(orders(partial(pickle.load, inbox)))
    with dask.config.set(post.settings):
        initialize_logging(dask.config.config)
        asyncio.run(_work(post))


if __name__ == "__main__":
    # The module of this name, so that both ends mean the same by its values.
    from ctxtui.fleet import worker

    worker.main()
    sys.exit()
