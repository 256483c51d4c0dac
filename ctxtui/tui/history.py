"""Undo and redo: lists of earlier and undone selections."""

from __future__ import annotations

from ctxtui.session.selection import Selection

_KEPT = 500


class History:
    """Remembers selections, which include budget, prompt and format."""

    def __init__(self) -> None:
        self._past: list[Selection] = []
        self._future: list[Selection] = []

    def remember(self, selection: Selection) -> None:
        self._past = [*self._past[-_KEPT:], selection]
        self._future = []

    def undo(self, current: Selection) -> Selection | None:
        if not self._past:
            return None
        self._future.append(current)
        return self._past.pop()

    def redo(self, current: Selection) -> Selection | None:
        if not self._future:
            return None
        self._past.append(current)
        return self._future.pop()
