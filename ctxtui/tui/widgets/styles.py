"""Styles from the stylesheet, for text that widgets draw themselves.

Their classes are components of the app. Were they those of each widget, Textual would match them with the stylesheet
for each widget whenever the focus moves: a third of a start, a fifth of all work.
"""

from __future__ import annotations

from rich.style import Style
from textual.widget import Widget


def foreground(widget: Widget, name: str) -> Style:
    """Color and weight of a class on the background of a widget."""
    style = background(widget, name)
    return Style(color=style.color, bold=style.bold)


def background(widget: Widget, name: str) -> Style:
    """Color, weight and background of a class, with those of the widget for any that the class leaves open."""
    styles, own = widget.app.get_component_styles(name), widget.rich_style
    surface = widget.background_colors[1] + styles.background
    color = surface.get_contrast_text(styles.color.a) if styles.auto_color else styles.color
    written = (surface + color).rich_color if styles.has_rule("color") else own.color
    return own + styles.text_style + Style(color=written, bgcolor=surface.rich_color)


def hue(widget: Widget, name: str) -> Style:
    return Style(color=background(widget, name).bgcolor)
