"""The driver of the app in a browser, which ends with its server."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from typing import Any

from textual.app import App
from textual.drivers import web_driver


def _write_if_read(place: int, data: bytes) -> int:
    with suppress(BrokenPipeError):
        return os.write(place, data)
    return 0


class WebDriver(web_driver.WebDriver):
    """Ends the app when its input ends. Ignores writes to a server that has gone."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._write = partial(_write_if_read, self.fileno)

    def run_input_thread(self) -> None:
        """Pass on keys until the input ends. An app without input could not be ended."""
        super().run_input_thread()
        self.on_meta("quit", {})
