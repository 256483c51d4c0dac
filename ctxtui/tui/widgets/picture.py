"""The base of pictures: widgets drawn line by line, with a cursor that list keys and the mouse move."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial, partialmethod

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.color import Color
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from ctxtui.tui.keys.keymap import bindings
from ctxtui.tui.palette import background, foreground

StyledText = tuple[str, Style]
"""A text and its style."""

_DARK, _LIGHT = Color(16, 20, 24), Color(248, 250, 252)


class Picture(Widget, can_focus=True):
    """A picture with a cursor. Subclasses lay out, draw and move.

    `detail` is the text about the cell under the cursor.
    """

    BINDINGS = bindings("list")

    class Moved(Message):
        """The cursor moved, or the content under it changed."""

    class Entered(Message):
        """The user chose the content under the cursor, which does not open further."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        # The styles of this theme, by name.
        self._inks: dict[str, Style] = {}

    @property
    def detail(self) -> str:
        raise NotImplementedError

    @property
    def target(self) -> str:
        """The workspace id of the content under the cursor, empty if it has none."""
        return ""

    def redraw_marks(self) -> None:
        """Draw again after picks changed."""
        self.refresh()
        self.post_message(self.Moved())

    def line(self, y: int) -> Iterable[StyledText]:
        """The texts of a line on the screen, counted from 0."""
        raise NotImplementedError

    def render_line(self, y: int) -> Strip:
        width, base = self.size.width, self.rich_style
        strip = Strip([Segment(text, base + style) for text, style in self.line(y)])
        return strip.adjust_cell_length(width, base)

    def step(self, dx: int, dy: int) -> None:
        """Move the cursor by one: `dx` or `dy` is 1 or -1."""
        raise NotImplementedError

    def leap(self, direction: int, is_end: bool) -> None:
        """Move far, forward for 1 and back for -1: to the end, or by about a page."""
        raise NotImplementedError

    # A `partialmethod` of `step` would call the one of this class.
    def _step(self, dx: int, dy: int) -> None:
        self.step(dx, dy)

    def _leap(self, direction: int, is_end: bool) -> None:
        self.leap(direction, is_end)

    action_up = partialmethod(_step, 0, -1)
    action_down = partialmethod(_step, 0, 1)
    action_left = partialmethod(_step, -1, 0)
    action_right = partialmethod(_step, 1, 0)
    action_top = partialmethod(_leap, -1, True)
    action_bottom = partialmethod(_leap, 1, True)
    action_page_up = partialmethod(_leap, -1, False)
    action_page_down = partialmethod(_leap, 1, False)

    def click(self, x: int, y: int, is_double: bool) -> None:
        """Go to a cell that was clicked."""
        raise NotImplementedError

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is not None:
            event.stop()
            self.focus()
            self.click(offset.x, offset.y, event.chain == 2)

    def action_enter(self) -> None:
        self.post_message(self.Entered())

    def refresh_line(self, y: int, count: int = 1) -> None:
        self.refresh(Region(0, y, self.size.width, count))

    def ink(self, name: str) -> Style:
        """The style of an ink of the app, cached until the theme changes."""
        if name not in self._inks:
            look = background if name == "pointer" else foreground
            self._inks[name] = look(self, name)
        return self._inks[name]

    def tone(self, hue: str, share: float) -> Style:
        """The style of text on a surface between the background (share 0) and the hue of a source or folder (1)."""
        key = f"{hue} {share}"
        if key not in self._inks:
            styles = self.app.get_component_styles(f"ink--{hue}")
            surface = self.background_colors[1].blend(styles.color, share)
            # Whichever is easier to read on the surface.
            text = max(_DARK, _LIGHT, key=partial(_contrast, surface))
            self._inks[key] = Style(color=text.rich_color, bgcolor=surface.rich_color)
        return self._inks[key]

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._inks = {}


def _contrast(one: Color, other: Color) -> float:
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: Color) -> float:
    """The relative luminance of a color as WCAG defines it."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color.normalized]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
