"""Textual's bindings of the command table."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from ctxtui.tui.commands import bound


def bindings(place: str) -> list[BindingType]:
    """The bindings of a screen or of a part of a screen. Each has an id, so that users can remap it."""
    return [Binding(each.keys, each.id, each.label, show=False, id=each.id) for each in bound(place)]
