"""A page of laid-out text that draws only the lines on screen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partialmethod

from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from ctxtui.tui.keys.keymap import bindings
from ctxtui.tui.widgets.line_view import LineView


class Page(LineView):
    BINDINGS = bindings("list")

    key: object = None
    _lines: Sequence[Strip] = ()

    class Resized(Message):
        """The page changed its width, or became visible again."""

    class Entered(Message):
        """The user pressed enter."""

    def on_resize(self) -> None:
        self._fit_size()
        self.post_message(self.Resized())

    def show(self, lines: Sequence[Strip], key: object, at: int | None = None) -> None:
        """Show other lines from the line `at`. Without it, the scroll offset stays while `key` is the same."""
        is_same = lines == self._lines
        self._lines = lines
        self._fit_size()
        if at is not None or key != self.key:
            if self.display and self.container_size:
                self.jump(at or 0)
            else:
                # A hidden page gets its size with the next layout. Only then can it scroll.
                self.call_after_refresh(self.jump, at or 0)
        self.key = key
        if not is_same:
            self.refresh()

    def _fit_size(self) -> None:
        self.fit(Size(self.scrollable_content_region.width, len(self._lines)))

    @property
    def text(self) -> str:
        return "\n".join(line.text.rstrip() for line in self._lines)

    def render_line(self, y: int) -> Strip:
        index = y + self.scroll_offset.y
        width, base = self.scrollable_content_region.width, self.base
        if index >= len(self._lines):
            return Strip.blank(width, base)
        return self._lines[index].crop_extend(0, width, base).apply_style(base)

    def _scroll(self, lines: int) -> None:
        self.jump(self.scroll_offset.y + lines)

    action_up = partialmethod(_scroll, -1)
    action_down = partialmethod(_scroll, 1)

    def action_left(self) -> None:
        """Do nothing, since lines are wrapped."""

    action_right = action_left

    def action_enter(self) -> None:
        self.post_message(self.Entered())

    def action_top(self) -> None:
        self.jump(0)

    def action_bottom(self) -> None:
        self.jump(len(self._lines))

    def action_page_up(self) -> None:
        self._scroll(1 - self.scrollable_content_region.height)

    def action_page_down(self) -> None:
        self._scroll(self.scrollable_content_region.height - 1)
