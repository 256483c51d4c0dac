"""What the user keeps at home for all projects: paths that begin with `~/`, and the plugins installed there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

HOME = "~"
"""The folder that rows about the user's home folder are tried in."""


@dataclass(frozen=True, slots=True)
class AtHome:
    """Files of the user that rows name, as `~/.claude/CLAUDE.md`; none unless the user asked for them.

    `installed` are the active plugins by agent id: the name and the folder of each.
    """

    is_read: bool = False
    paths: tuple[str, ...] = ()
    installed: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)


UNREAD = AtHome()
"""The home folder if nobody asked for it."""


def is_at_home(path: str) -> bool:
    """Whether a path is one of the home folder; a project with a folder of that name is never read with it."""
    return path.startswith(f"{HOME}/")
