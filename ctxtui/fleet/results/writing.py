"""A file of results while a run writes to it: one run at a time, and failures in words."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.private import private_folder
from ctxtui.core.disk.state_folder import state_folder
from ctxtui.core.documents.records.lock import alone_in
from ctxtui.fleet.results.schema import open_to_write


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for the only run of this user on this machine that writes to a file; it need not exist yet.

    Raises ContextError: unavailable if another run writes to it or if it cannot be written, invalid_request if it
    does not hold results.
    """
    with _alone_with(path), closing(open_to_write(path)) as connection:
        try:
            yield connection
        except sqlite3.Error as error:
            hint = "what was found before is kept; make room, and run the same command again to go on"
            raise ContextError("unavailable", f"cannot write {path}: {error}", hint=hint) from error


@contextmanager
def _alone_with(path: Path) -> Iterator[None]:
    # Not a lock on the file: SQLite loses its own if anyone closes the file in this process.
    folder = state_folder("fleet", Path(os.path.realpath(path)))
    with suppress(OSError):
        private_folder(folder)
    with ExitStack() as stack:
        try:
            stack.enter_context(alone_in(folder, seconds=0))
        except ContextError as error:
            hint = "wait until it has ended, or name another file with -o"
            raise ContextError("unavailable", f"another run writes to {path}", True, hint) from error
        yield
