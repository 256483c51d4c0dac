"""Open a results file for reading, with errors that name the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.database import FAILURES
from ctxtui.fleet.results.schema import open_to_read


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A read-only connection. Raises as `open_to_read` does, and ContextError (unavailable) for a damaged file."""
    with closing(open_to_read(path)) as connection:
        try:
            yield connection
        except FAILURES as error:
            hint = "copy the file again, or audit the fleet into a new one"
            raise ContextError("unavailable", f"cannot read {path}: {error}", hint=hint) from error
