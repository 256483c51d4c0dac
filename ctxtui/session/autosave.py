"""Autosave: the last selection of a project, kept in the state folder so that nothing is ever lost."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from platformdirs import user_state_path

from ctxtui.core.errors import ContextError
from ctxtui.core.root import write_atomic
from ctxtui.session.autosave_text import Saved, dump_saved, parse_saved
from ctxtui.session.session import Session

_KEPT = 5


class Autosave:
    """Writes this process's selection of a project; each process has a file of its own."""

    def __init__(self, root: Path) -> None:
        key = blake2b(os.fsencode(root), digest_size=12).hexdigest()
        self._folder = user_state_path("ctxtui") / "selections" / key
        self._file = self._folder / f"{time.time_ns()}-{os.getpid()}.json"

    def save(self, session: Session, name: str | None) -> None:
        """Write the selection atomically; raises ContextError (unavailable) where that is impossible."""
        write_atomic(self._file, dump_saved(session, name).encode(), mode=0o600)

    def restore(self) -> Saved | None:
        """The selection saved last by any process, skipping damaged ones; None where there is none."""
        for file in self._newest_first():
            with suppress(OSError, ContextError, ValueError):
                return parse_saved(file.read_text("utf-8"), str(file))
        return None

    def tidy(self) -> None:
        """Remove all but the newest selections of processes that have ended."""
        for file in self._newest_first()[_KEPT:]:
            if file != self._file and not _is_running(file):
                with suppress(OSError):
                    file.unlink()

    def _newest_first(self) -> list[Path]:
        files = []
        with suppress(OSError):
            files = [(file.stat().st_mtime_ns, file) for file in self._folder.glob("*.json")]
        return [file for _, file in sorted(files, reverse=True)]


def _is_running(file: Path) -> bool:
    try:
        process = int(file.stem.partition("-")[2])
        if process == os.getpid():
            return False
        os.kill(process, 0)
    except (ProcessLookupError, ValueError):
        return False
    except OSError:
        return True
    return True
