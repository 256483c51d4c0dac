"""Autosave: the last selection of a project, kept in the state folder so that nothing is ever lost."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from ctxtui.core.errors import ContextError
from ctxtui.core.files.root import write_atomic
from ctxtui.core.files.state_folder import state_folder
from ctxtui.session.autosave_text import Saved, dump_saved, parse_saved
from ctxtui.session.session import Session

_KEPT = 5
_DAMAGED = ".damaged"


class Autosave:
    """Writes this process's selection of a project; each process has its own file."""

    def __init__(self, root: Path) -> None:
        self._folder = state_folder("selections", root)
        self._file = self._folder / f"{time.time_ns()}-{os.getpid()}.json"

    def save(self, session: Session, name: str | None) -> None:
        """Write the selection atomically; raises ContextError (unavailable) if that fails."""
        write_atomic(self._file, dump_saved(session, name).encode(), mode=0o600)

    def restore(self) -> tuple[Saved | None, list[Path]]:
        """The last readable selection that any process saved; None if there is none.

        Newer damaged ones are moved aside; the second value is their new paths. Nothing is lost.
        """
        damaged: list[Path] = []
        for file in self._newest_first():
            try:
                return parse_saved(file.read_text("utf-8"), str(file)), damaged
            except FileNotFoundError:
                continue
            except (OSError, ContextError, UnicodeDecodeError):
                damaged.append(_set_aside(file))
        return None, damaged

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


def _set_aside(file: Path) -> Path:
    aside = file.with_suffix(_DAMAGED)
    try:
        return file.rename(aside)
    except OSError:
        return file


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
