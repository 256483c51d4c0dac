"""Textual's bindings of the command table."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from ctxtui.tui.commands import bound


def bindings(place: str) -> list[BindingType]:
    """What a screen binds, or a part of one; every binding has an id, so that it can be remapped."""
    return [Binding(each.keys, each.id, each.label, show=False, id=each.id) for each in bound(place)]
