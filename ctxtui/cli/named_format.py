"""The format that the arguments of a command ask for."""

from __future__ import annotations

import argparse

from ctxtui.core.payload.formats import format_for


def named_format(arguments: argparse.Namespace) -> str | None:
    is_saved = bool(getattr(arguments, "recipe", None))
    named = format_for(arguments.output) if arguments.output and not is_saved else None
    asked: str | None = arguments.format or named
    return asked
