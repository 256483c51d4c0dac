"""Styles from the stylesheet, for text that widgets draw themselves."""

from __future__ import annotations

from rich.style import Style
from textual.widget import Widget


def foreground(widget: Widget, name: str) -> Style:
    """Color and weight of a component class, without its background."""
    style = widget.get_component_rich_style(name)
    return Style(color=style.color, bold=style.bold)
