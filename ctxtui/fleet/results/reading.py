"""Reading from a file with results while it is open: what fails there is an error that names the file."""

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
    """A read-only connection; raises as `open_to_read`, and ContextError (unavailable) if it is damaged."""
    with closing(open_to_read(path)) as connection:
        try:
            yield connection
        except FAILURES as error:
            hint = "copy the file again, or audit the fleet into a new one"
            raise ContextError("unavailable", f"cannot read {path}: {error}", hint=hint) from error
