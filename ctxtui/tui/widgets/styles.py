"""Styles from the stylesheet, for text that widgets draw themselves."""

from __future__ import annotations

from rich.style import Style
from textual.widget import Widget


def foreground(widget: Widget, name: str) -> Style:
    """Color and weight of a component class, without its background."""
    style = widget.get_component_rich_style(name)
    return Style(color=style.color, bold=style.bold)


def background(widget: Widget, name: str) -> Style:
    """Color, weight and background of a component class."""
    style = widget.get_component_rich_style(name)
    return Style(color=style.color, bgcolor=style.bgcolor, bold=style.bold)


def hue(widget: Widget, name: str) -> Style:
    return Style(color=widget.get_component_rich_style(name).bgcolor)
