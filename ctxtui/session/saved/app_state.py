"""The app's own state in small files of the state folder: panels, theme, last command, open folders of a project."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.own_folders import own_state
from ctxtui.core.disk.root import write_atomic
from ctxtui.core.disk.state_folder import state_folder

_THEME = "theme"
# Bytes. More open folders are no place that anybody wants back.
_MOST_OPENED = 100_000


def _file(name: str) -> Path:
    return own_state() / name


def _read(place: Path, most: int) -> Any:
    """The JSON in the first `most` bytes of a file, None without any."""
    try:
        with place.open("rb") as file:
            return json.loads(file.read(most))
    except (OSError, ValueError, RecursionError):
        return None


def _saved_values() -> dict[str, Any]:
    saved = _read(_file("panels.json"), 4_096)
    return saved if isinstance(saved, dict) else {}


def _save_values(changes: Mapping[str, Any]) -> None:
    write_atomic(_file("panels.json"), json.dumps({**_saved_values(), **changes}).encode(), 0o600)


def saved_shares(panels: Mapping[str, float]) -> dict[str, float]:
    """The saved share of each panel, or the given shares unless all are saved and within 0..1."""
    saved = _saved_values()
    found = {panel: saved.get(panel) for panel in panels}
    shares = {panel: float(share) for panel, share in found.items() if isinstance(share, int | float)}
    is_sound = len(shares) == len(panels) and all(0 < share < 1 for share in shares.values())
    return shares if is_sound else dict(panels)


def save_shares(shares: Mapping[str, float]) -> None:
    """Save the share of each panel. Raises ContextError (unavailable)."""
    _save_values({panel: round(share, 4) for panel, share in shares.items()})


def saved_theme() -> str | None:
    theme = _saved_values().get(_THEME)
    return theme if isinstance(theme, str) else None


def save_theme(name: str) -> None:
    """Save the name of a theme. Raises ContextError (unavailable)."""
    _save_values({_THEME: name})


def last_command() -> str | None:
    """The agent or command line that last received a payload, None if the file is missing or unreadable."""
    try:
        with _file("last_command.txt").open("rb") as file:
            text = file.read(16_384).decode()
    except (OSError, UnicodeDecodeError):
        return None
    return text if text.strip() else None


def save_last_command(command: str) -> None:
    """Save a name or command line, readable only by the user. Raises ContextError (unavailable)."""
    write_atomic(_file("last_command.txt"), command.encode("utf-8", "replace"), 0o600)


def saved_opened(root: Path) -> frozenset[str] | None:
    """The ids of the rows that were open in a project's tree. None if nobody opened or closed any."""
    try:
        saved = _read(state_folder("opened", root) / "rows.json", _MOST_OPENED)
    except ContextError:
        return None
    return frozenset(each for each in saved if isinstance(each, str)) if isinstance(saved, list) else None


def save_opened(root: Path, ids: frozenset[str]) -> None:
    """Save the open rows of a project's tree, unless they are too many. Raises ContextError (unavailable)."""
    data = json.dumps(sorted(ids)).encode()
    if len(data) <= _MOST_OPENED:
        write_atomic(state_folder("opened", root) / "rows.json", data, 0o600)
