"""A view of many lines that draws only those on the screen, and a page of laid-out text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partialmethod

from rich.style import Style
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.tui.keys.keymap import bindings


class LineView(ScrollView, can_focus=True):
    base = Style()
    """The style of this widget, which is slow to derive, while lines are drawn."""

    def render_lines(self, crop: Region) -> list[Strip]:
        self.base = self.rich_style
        return super().render_lines(crop)

    def jump(self, line: int) -> None:
        """Scroll at once, so that a line is the first one on the screen."""
        self.scroll_to(y=line, animate=False, force=True, immediate=True)

    def fit(self, size: Size) -> None:
        """Set the size in lines. The screen is laid out again only if the scroll bar appears or disappears."""
        height = self.container_size.height
        has_bar = size.height > height
        if self.styles.overflow_y == "scroll":
            # The bar stays. Where it has the length of its page, it is blank.
            size, has_bar = size.with_height(max(size.height, height)), True
        if self.virtual_size == size:
            return
        if not height or has_bar != self.show_vertical_scrollbar:
            self.virtual_size = size
            return
        self.set_reactive(Widget.virtual_size, size)
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.window_virtual_size = size.height
        if self.scroll_y > self.max_scroll_y:
            self.jump(self.max_scroll_y)


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
