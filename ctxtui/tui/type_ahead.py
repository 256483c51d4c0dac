"""A queue for keys that arrive faster than dialogs open.

On a slow line, and when text is pasted, several keys arrive at once. Textual gives each to the widget that has the
focus at that moment, so a key meant for a dialog would act on the list below it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import Any, Final

from textual.app import App
from textual.events import Key, Paste
from textual.message_pump import MessagePump
from textual.widgets import Input
from textual.worker import Worker

from ctxtui.tui.widgets.filter_input import FilterInput

Typed = Key | Paste

# The group of work that asks the user. Other work continues beside the keys.
_ASKING: Final = "dialog"

# A key causes a message, which is handled in the next pass.
_PASSES: Final = 2

_PATIENCE: Final = 2.0  # seconds, once per work that neither asks nor ends
_TICK: Final = 0.002  # seconds
_GONE: Final = 0.05  # seconds between checks whether a node still exists


class TypeAhead:
    """The typed keys of an app that are not handled yet."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._waiting: deque[Typed] = deque()
        self._released: deque[Typed] = deque()
        self._last: Typed | None = None
        self._is_acted_on = True
        self._task: asyncio.Task[None] | None = None
        self._slow: set[Worker[Any]] = set()

    def hold_back(self, typed: Typed) -> bool:
        """Queue a key that must wait, to be posted to the app again in its turn. Returns whether it waits."""
        if self._released and typed is self._released[0]:
            self._released.popleft()
            return False
        is_queue = self._task is not None and not self._task.done()
        if is_queue or not self._is_acted_on or self._is_asking():
            self._waiting.append(typed)
            if not is_queue:
                self._task = asyncio.create_task(self._release())
            return True
        self._note_typed(typed)
        return False

    def came_back(self, typed: Typed) -> None:
        """Record that a key came up to the app, as no widget stopped it. Then the next key need not wait."""
        self._is_acted_on |= typed is self._last

    def _note_typed(self, typed: Typed) -> None:
        """Remember the last key. A key that a field takes as text counts as acted on, since it never comes back."""
        self._last = typed
        field = self._app.focused
        is_text = isinstance(typed, Paste) or typed.is_printable
        is_editor = getattr(field, "takes_lines", False)
        is_line = is_editor and isinstance(typed, Key) and typed.key == "enter"
        self._is_acted_on = is_line or (is_text and (is_editor or isinstance(field, Input)))

    async def _release(self) -> None:
        """Post the waiting keys to the app, each once the key before it is handled."""
        await self._settled()
        while self._waiting and self._app.screen_stack:
            typed = self._waiting.popleft()
            self._note_typed(typed)
            self._released.append(typed)
            self._app.post_message(typed)
            await self._settled()

    async def _settled(self) -> None:
        """Wait at most two seconds until the last key was handled, and the screen that it opened has the focus."""
        if self._is_acted_on and not self._is_asking():
            return
        try:
            async with asyncio.timeout(_PATIENCE):
                for _ in range(_PASSES):
                    await self._handled_upwards()
                while self._is_asking():
                    await asyncio.sleep(_TICK)
                    await self._handled_upwards()
        except TimeoutError:
            self._slow = set(self._asking())
        self._is_acted_on = True

    async def _handled_upwards(self) -> None:
        """Wait until the app, the focused widget and its ancestors have handled their queued messages."""
        app = self._app
        await _handled(app)
        if app.screen_stack:
            target = app.focused or app.screen
            for node in (*target.ancestors_with_self, app):
                await _handled(node)

    def _is_asking(self) -> bool:
        """Whether keys must wait: a dialog opens, its answer is handled, or a filter searches the row for a key."""
        app = self._app
        if app.screen_stack and isinstance(app.focused, FilterInput) and app.focused.is_acting:
            return True
        return any(each not in self._slow for each in self._asking())

    def _asking(self) -> list[Worker[Any]]:
        app = self._app
        asking = (each for each in app.workers if each.group == _ASKING and each.is_running)
        return [each for each in asking if each.node.screen is app.screen]


async def _handled(pump: MessagePump) -> None:
    """Wait until a node has handled its queued messages, or is gone."""
    done = asyncio.Event()
    if pump.call_later(done.set):
        while pump.is_running and not done.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(done.wait(), _GONE)
