"""Widths of panels and the theme, in a small file in the state folder for all projects."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from platformdirs import user_state_path

from ctxtui.core.files.root import write_atomic

_MOST_BYTES = 4_096
_THEME = "theme"


def _file() -> Path:
    return user_state_path("ctxtui") / "panels.json"


def _saved() -> dict[str, Any]:
    try:
        with _file().open("rb") as file:
            saved = json.loads(file.read(_MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return saved if isinstance(saved, dict) else {}


def _save(changes: Mapping[str, Any]) -> None:
    write_atomic(_file(), json.dumps({**_saved(), **changes}).encode(), 0o600)


def saved_shares(panels: Mapping[str, float]) -> dict[str, float]:
    """The saved share of each panel, or the given shares."""
    saved = _saved()
    found = {panel: saved.get(panel) for panel in panels}
    shares = {panel: float(share) for panel, share in found.items() if isinstance(share, int | float)}
    is_sound = len(shares) == len(panels) and all(0 < share < 1 for share in shares.values())
    return shares if is_sound else dict(panels)


def save_shares(shares: Mapping[str, float]) -> None:
    """Save the share of each panel. Raises ContextError (unavailable)."""
    _save({panel: round(share, 4) for panel, share in shares.items()})


def saved_theme() -> str | None:
    theme = _saved().get(_THEME)
    return theme if isinstance(theme, str) else None


def save_theme(name: str) -> None:
    """Save the theme. Raises ContextError (unavailable)."""
    _save({_THEME: name})
