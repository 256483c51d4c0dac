"""The dated tables of this package."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from ctxtui.core.text.data.toml import load_toml


@cache
def table(name: str) -> dict[str, Any]:
    """The TOML file of that name beside this module."""
    return load_toml((files(__package__) / f"{name}.toml").read_text("utf-8"))
