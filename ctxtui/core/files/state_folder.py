"""Where ctxtui keeps what belongs to one folder of the user, outside of it."""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

from platformdirs import user_state_path


def state_folder(kind: str, place: Path) -> Path:
    """The folder, in the platform's state folder, for one kind of data about a place."""
    key = blake2b(os.fsencode(place), digest_size=12).hexdigest()
    return user_state_path("ctxtui") / kind / key
