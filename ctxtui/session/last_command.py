"""The command that last received a payload, in a small file in the state folder for all projects."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_state_path

from ctxtui.core.files.root import write_atomic

_MOST_BYTES = 16_384


def _file() -> Path:
    return user_state_path("ctxtui") / "last_command.txt"


def last_command() -> str | None:
    """The saved name or command line, None if it is missing or unreadable."""
    try:
        with _file().open("rb") as file:
            text = file.read(_MOST_BYTES).decode()
    except (OSError, UnicodeDecodeError):
        return None
    return text if text.strip() else None


def save_last_command(command: str) -> None:
    """Save a name or command line, readable only by the user. Raises ContextError (unavailable)."""
    write_atomic(_file(), command.encode("utf-8", "replace"), 0o600)
