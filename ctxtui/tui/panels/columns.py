"""The columns of the main screen."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass, replace
from typing import Final

from textual import events, getters, on, work
from textual.containers import Container

from ctxtui.core.base.errors import ContextError
from ctxtui.session.saved.app_state import save_shares, saved_shares
from ctxtui.tui.keys.commands import PANELS
from ctxtui.tui.panels.panel import Panel
from ctxtui.tui.panels.payload import PayloadPanel

# The least columns of a panel.
_LEAST: Final = 16
STEP: Final = 4

# The least widths for two and three columns, and the least height for View below two columns.
MEDIUM, WIDE, TALL = 100, 140, 50


@dataclass(frozen=True, slots=True)
class PanelSizes:
    """The share of the width of each panel on a wide screen, and of the two lists beside View on a medium screen."""

    context: float = 0.36
    payload: float = 0.29
    view: float = 0.35
    lists: float = 0.5

    def moved(self, panel: str, columns: int, width: int, is_wide: bool) -> PanelSizes:
        """The sizes with a panel wider by `columns` of `width`, or narrower if negative, within limits."""
        step, least = columns / max(1, width), _LEAST / max(1, width)
        if not is_wide:
            step = step if panel != "view" else -step
            return replace(self, lists=self.lists + _within(step, self.lists, 1 - self.lists, least))
        other = {"context": "payload", "payload": "view", "view": "payload"}[panel]
        shares = asdict(self)
        step = _within(step, shares[panel], shares[other], least)
        return replace(self, **{panel: shares[panel] + step, other: shares[other] - step})


def _within(step: float, grown: float, shrunk: float, least: float) -> float:
    """The `step` by which `grown` grows and `shrunk` shrinks, limited so that both keep the width `least`."""
    return max(min(step, max(0.0, shrunk - least)), min(0.0, least - grown))


class Columns(Container):
    """The panels. A narrow or zoomed screen shows the open panel alone."""

    payload = getters.query_one("#payload", PayloadPanel)

    def on_mount(self) -> None:
        self.sizes = PanelSizes(**saved_shares(asdict(PanelSizes())))

    @property
    def is_wide(self) -> bool:
        return self.app.size.width >= WIDE

    @on(events.Resize)
    def share(self) -> None:
        """Give each panel its width, or leave it to the stylesheet where only one is shown."""
        width, height = self.app.size
        is_alone = width < MEDIUM or self.screen.has_class("-zoom")
        is_tall = not self.is_wide and not is_alone and height >= TALL
        self.screen.set_class(is_tall, "-tall")
        sizes = self.sizes
        lists = sizes.context + sizes.payload
        widths: dict[str, float | None] = dict.fromkeys(("lists", "view", "context", "payload"))
        if self.is_wide and not is_alone and self.payload.has_picks:
            widths = {"lists": lists, "view": sizes.view, "context": sizes.context, "payload": sizes.payload}
        elif is_tall:
            widths |= {"context": sizes.context, "payload": sizes.payload}
        elif not is_alone:
            widths |= {"lists": sizes.lists, "view": 1 - sizes.lists}
        for name, share in widths.items():
            self.query_one(f"#{name}").styles.width = None if share is None else f"{share * 1000:.0f}fr"

    def open(self, panel: str) -> None:
        """Show a panel where the screen has room for one list or panel only."""
        for other in PANELS:
            self.query_one(f"#{other}").set_class(other == panel, "-open")
        self.query_one("#lists").set_class(panel != "view", "-open")

    def zoom(self) -> None:
        self.screen.toggle_class("-zoom")
        self.share()

    def widen(self, panel: str, columns: int) -> None:
        """Widen a panel by some columns, or narrow it if they are negative, and save its size. Zoomed panels stay."""
        has_columns = self.is_wide and self.payload.has_picks
        sizes = self.sizes.moved(panel, columns, self.size.width, has_columns)
        if sizes != self.sizes and not self.screen.has_class("-zoom"):
            self.sizes = sizes
            self.share()
            self._save_sizes()

    @on(Panel.Resized)
    def _dragged(self, event: Panel.Resized) -> None:
        event.stop()
        self.widen(event.panel.id or "", event.columns)

    @work(exclusive=True, group="panels")
    async def _save_sizes(self) -> None:
        try:
            await asyncio.to_thread(save_shares, asdict(self.sizes))
        except ContextError as error:
            self.notify(f"the sizes are not saved: {error.message}", severity="warning")
