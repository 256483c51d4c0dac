"""ctxtui's own files and folders, which no other user of the machine can read."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from itertools import takewhile
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


def with_tilde(path: str) -> str:
    """A path for people, with `~` for the user's home folder."""
    home = os.path.expanduser("~")  # noqa: PTH111 - never raises
    return f"~{path[len(home) :]}" if path.startswith(f"{home}/") else path


def private_folder(folder: Path) -> Path:
    """Create a folder if missing, close it and the own folder above it to other users, and return it.

    Raises OSError if it cannot be created.
    """
    missing = takewhile(lambda each: not each.exists(), (folder, *folder.parents))
    for each in reversed(list(missing)):
        with suppress(FileExistsError):
            each.mkdir(0o700)
    # A folder may exist and be open. Closing the topmost folder is enough, but each may be configured by itself.
    for each in (folder, *(top for top in (own_cache(), own_state()) if top in folder.parents)):
        _make_private(each)
    return folder


def private_file(file: Path) -> Path:
    """Create an empty file if missing, close it and its `private_folder` to other users, and return it.

    Raises OSError if it cannot be created.
    """
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
