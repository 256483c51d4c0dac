"""The app on the results of a fleet: one table. Ends with the repository whose audit to open, if any."""

from __future__ import annotations

from collections.abc import Mapping

from ctxtui.tui.base_app import BaseApp
from ctxtui.tui.screens.fleet import Fleet, FleetChoice, Read, TableState


class FleetApp(BaseApp[FleetChoice | None]):
    """The table of a fleet as a `view` describes it. `trouble` is the error of the repository chosen last."""

    def __init__(
        self,
        read: Read,
        view: TableState,
        trouble: str = "",
        theme: str | None = None,
        keys: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(theme, keys)
        self._fleet = Fleet(read, view)
        self._trouble = trouble

    def push_first_screen(self) -> None:
        self.push_screen(self._fleet, self.exit)
        if self._trouble:
            self.notify(self._trouble, severity="error")
