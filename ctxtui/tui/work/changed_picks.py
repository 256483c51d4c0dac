"""Picks whose files changed after they were picked."""

from __future__ import annotations

import asyncio

from ctxtui.session.recipe_yaml import current_digest, known_digest
from ctxtui.workspace.workspace import Workspace


class ChangedPicks:
    """`ids` of picks whose files changed and were not changed back."""

    def __init__(self, ids: frozenset[str] = frozenset()) -> None:
        self.ids = ids
        self._before: dict[str, str | None] = {}

    async def update(self, old: Workspace, new: Workspace, changed: frozenset[str]) -> None:
        """Record the changes between two snapshots."""
        for id_ in changed - self.ids:
            self._before[id_] = known_digest(old, id_)
        now = await asyncio.to_thread(lambda: {id_: current_digest(new, id_) for id_ in changed})
        back = {id_ for id_, digest in now.items() if digest is not None and digest == self._before.get(id_)}
        self.ids = (self.ids | changed) - back
