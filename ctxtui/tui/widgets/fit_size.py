"""Set the size of a list or page in lines without a layout of the whole screen."""

from __future__ import annotations

from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.widget import Widget


def fit_size(view: ScrollView, size: Size) -> None:
    """Set the size in lines. The screen is laid out again only if the scroll bar appears or disappears."""
    height = view.container_size.height
    has_bar = size.height > height
    if view.styles.overflow_y == "scroll":
        # The bar stays. Where it has the length of its page, it is blank.
        size, has_bar = size.with_height(max(size.height, height)), True
    if view.virtual_size == size:
        return
    if not height or has_bar != view.show_vertical_scrollbar:
        view.virtual_size = size
        return
    view.set_reactive(Widget.virtual_size, size)
    if view.show_vertical_scrollbar:
        view.vertical_scrollbar.window_virtual_size = size.height
    if view.scroll_y > view.max_scroll_y:
        view.scroll_to(y=view.max_scroll_y, animate=False, force=True, immediate=True)
