"""The user's private state outside of their projects."""

from __future__ import annotations

import os
import re
import time
from hashlib import blake2b
from pathlib import Path
from typing import Final

from ctxtui.core.disk.own_folders import PRIVATE, own_state
from ctxtui.core.disk.root import Root, write_atomic

_NUMBERED: Final = re.compile(r"(\d{1,30})-\d{1,10}[.-].+", re.DOTALL)


def state_folder(kind: str, place: Path) -> Path:
    """The user's state folder for one kind of data about a path, such as a project. It is not created."""
    return own_state() / kind / blake2b(os.fsencode(place), digest_size=12).hexdigest()


def numbered_files(folder: Path, ending: str = "") -> list[Path]:
    """The files named by `next_numbered_path` with this ending, newest last, none without the folder.

    Raises ContextError as `Root.names` does.
    """
    found = ((_NUMBERED.fullmatch(name), name) for name in Root(folder).names("") if name.endswith(ending))
    return [folder / name for _, name in sorted((int(match[1]), name) for match, name in found if match)]


def next_numbered_path(folder: Path, ending: str) -> Path:
    """The path of a new file, sorted last even if the clock was set back. It is not created.

    Raises as `numbered_files` does.
    """
    last = max((int(file.name.partition("-")[0]) for file in numbered_files(folder)), default=0)
    return folder / f"{max(time.time_ns(), last + 1)}-{os.getpid()}{ending}"


def back_up(place: Path, name: str, data: bytes) -> Path:
    """Keep the old content of the file `name` in the folder `place` in the user's state. Returns the new path.

    Raises ContextError as `write_atomic` does.
    """
    backup = next_numbered_path(state_folder("replaced", place), f"-{name}")
    write_atomic(backup, data, PRIVATE)
    return backup
