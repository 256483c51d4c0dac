"""ctxtui's own files and folders, which no other user of the machine can read."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

PRIVATE: Final = 0o600
"""The mode of a file that no other user can read."""

_OPEN_TO_OTHERS: Final = 0o077


def own_cache() -> Path:
    """The folder of everything that can be computed again."""
    from platformdirs import user_cache_path  # noqa: PLC0415 - some commands need no folder

    return user_cache_path("ctxtui")


def own_state() -> Path:
    """The folder of everything that a user would miss: replaced texts, consents, the last selection."""
    from platformdirs import user_state_path  # noqa: PLC0415 - some commands need no folder

    return user_state_path("ctxtui")


def own_settings() -> Path:
    """The folder that the user writes: settings and templates."""
    from platformdirs import user_config_path  # noqa: PLC0415 - some commands need no folder

    return user_config_path("ctxtui")


def from_home(place: str) -> str:
    """A path for people, with `~` for the user's home folder."""
    home = os.path.expanduser("~")  # noqa: PTH111 - never raises
    return f"~{place[len(home) :]}" if place.startswith(f"{home}/") else place


def private_folder(folder: Path) -> Path:
    """A folder closed to other users of the machine, created if missing. Raises OSError."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        with suppress(FileExistsError):
            each.mkdir(0o700)
    made = missing[0] if missing else folder
    # A folder may exist and be open. Closing the topmost folder is enough, but each may be configured by itself.
    for each in (made, *(top for top in (own_cache(), own_state()) if top in made.parents)):
        _make_private(each)
    return made


def private_file(file: Path) -> Path:
    """A file that other users cannot read, created if missing. Raises OSError."""
    private_folder(file.parent)
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE))
    _make_private(file)
    return file


def _make_private(place: Path) -> None:
    mode = place.stat().st_mode
    if mode & _OPEN_TO_OTHERS:
        # Only its owner can change the mode.
        with suppress(OSError):
            place.chmod(stat.S_IMODE(mode) & ~_OPEN_TO_OTHERS)
