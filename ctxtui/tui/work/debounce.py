"""How long work waits for the next key, so that fast typing starts it once."""

from __future__ import annotations

from typing import Final

DEBOUNCE: Final = 0.06
"""Seconds; below what people notice."""
