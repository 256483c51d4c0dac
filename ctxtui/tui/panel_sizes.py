"""The sizes of the panels, which `<`, `>` and dragging a border change."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Final

# The least columns of a panel.
_LEAST: Final = 16
STEP: Final = 4


@dataclass(frozen=True, slots=True)
class PanelSizes:
    """The share of the width of each panel on a wide screen, and of the two lists beside View on a medium screen."""

    context: float = 0.36
    payload: float = 0.29
    view: float = 0.35
    lists: float = 0.5

    def moved(self, panel: str, columns: int, width: int, is_wide: bool) -> PanelSizes:
        """A panel wider by some columns of `width`, taken from its neighbour. No panel gets too narrow."""
        step, least = columns / max(1, width), _LEAST / max(1, width)
        if not is_wide:
            step = step if panel != "view" else -step
            return replace(self, lists=self.lists + _within(step, self.lists, 1 - self.lists, least))
        other = {"context": "payload", "payload": "view", "view": "payload"}[panel]
        shares = asdict(self)
        step = _within(step, shares[panel], shares[other], least)
        return replace(self, **{panel: shares[panel] + step, other: shares[other] - step})


def _within(step: float, one: float, other: float, least: float) -> float:
    """The step, limited so that both sides keep their least width."""
    return max(min(step, max(0.0, other - least)), min(0.0, least - one))
