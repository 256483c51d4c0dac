"""Argument checks of the catalog's methods: a value of the wrong type is a notice, never an exception."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ctxtui.catalog.types import ContextReference, DetectionResult, DetectionSignals
from ctxtui.core.given import shown
from ctxtui.core.notices import Notice, OnNotice

_WANTED: Final[dict[type, str]] = {
    str: "a string",
    Iterable: "a list of strings",
    ContextReference: "a ContextReference",
    DetectionSignals: "DetectionSignals",
    DetectionResult: "a DetectionResult",
}


def are(kind: type, *values: object) -> bool:
    return all(isinstance(value, kind) for value in values)


def is_a(kind: type, value: object, name: str, on_notice: OnNotice) -> bool:
    """Check a value's type. A notice reports the wrong type."""
    if not isinstance(value, kind):
        on_notice(Notice("wrong-type", f"{name} should be {_WANTED[kind]}, not {shown(value)}"))
    return isinstance(value, kind)
