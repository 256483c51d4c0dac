"""A view of many lines that draws those on the screen, and changes their number without a layout of the screen."""

from __future__ import annotations

from rich.style import Style
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget


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
