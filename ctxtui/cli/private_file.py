"""A file of the user's with the payload, while an agent reads it."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from platformdirs import user_state_path

from ctxtui.core.errors import ContextError
from ctxtui.core.files.private import private_folder
from ctxtui.core.files.root import Root

_START, _END = "payload-", ".md"
# Seconds. Older files were left by a killed process.
_ABANDONED = 7 * 24 * 3_600


@contextmanager
def lent_file(payload: bytes) -> Iterator[str]:
    """The path of a file with the payload in the state folder, readable only by the user, removed at the end.

    Raises ContextError (unavailable) if it cannot be written.
    """
    folder = user_state_path("ctxtui") / "payloads"
    try:
        private_folder(folder)
    except OSError as error:
        hint = "make it writable, or set XDG_STATE_HOME to another folder"
        raise ContextError("unavailable", f"cannot create {folder}: {error.strerror}", hint=hint) from error
    _sweep(folder)
    root, name = Root(folder), f"{_START}{secrets.token_hex(8)}{_END}"
    try:
        root.create(name, payload, 0o600)
        yield str(root.path / name)
    finally:
        with suppress(ContextError):
            root.remove(name)


def _sweep(folder: Path) -> None:
    for file in folder.glob(f"{_START}*{_END}"):
        with suppress(OSError):
            if time.time() - file.lstat().st_mtime > _ABANDONED:
                file.unlink()
