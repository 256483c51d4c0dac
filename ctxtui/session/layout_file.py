"""How wide the user made the panels: a small file in the state folder, one for all projects."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from platformdirs import user_state_path

from ctxtui.core.files.root import write_atomic

# More than any list of panels needs.
_MOST_BYTES = 4_096


def _file() -> Path:
    return user_state_path("ctxtui") / "panels.json"


def saved_shares(panels: Mapping[str, float]) -> dict[str, float]:
    """The share of each panel as saved last; the given ones if nothing that can be read is saved."""
    try:
        with _file().open("rb") as file:
            saved = json.loads(file.read(_MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return dict(panels)
    if not isinstance(saved, dict):
        return dict(panels)
    found = {panel: saved.get(panel) for panel in panels}
    shares = {panel: float(share) for panel, share in found.items() if isinstance(share, int | float)}
    is_sound = len(shares) == len(panels) and all(0 < share < 1 for share in shares.values())
    return shares if is_sound else dict(panels)


def save_shares(shares: Mapping[str, float]) -> None:
    """Save the share of each panel; raises ContextError (unavailable) if that fails."""
    write_atomic(_file(), json.dumps({panel: round(share, 4) for panel, share in shares.items()}).encode(), 0o600)
