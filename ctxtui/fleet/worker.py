"""A local worker: a process with one thread, connected to its parent's scheduler.

The connection arrives on stdin. The worker exits when stdin closes, so it cannot outlive its parent.
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

from ctxtui.core.disk.workers.child import leave_interrupts, orders


class Post(NamedTuple):
    """The inputs of a worker: scheduler, keys, own folder, memory in bytes, Dask settings."""

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
    """Work until the scheduler stops or stdin closes."""
    leave_interrupts()
    inbox: IO[bytes] = os.fdopen(os.dup(0), "rb")
    # One order arrives before the end of stdin.
    post: Post = next(orders(partial(pickle.load, inbox)))
    with dask.config.set(post.settings):
        initialize_logging(dask.config.config)
        asyncio.run(_work(post))


if __name__ == "__main__":
    # Import by name, so that pickled values of both ends have the same classes.
    from ctxtui.fleet import worker

    worker.main()
    sys.exit()
