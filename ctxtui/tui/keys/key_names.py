"""Names of keys for people."""

from __future__ import annotations

from typing import Final

from textual.keys import key_to_character

_SYMBOLS: Final = {
    "slash": "/",
    "full_stop": ".",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "vertical_line": "|",
    "colon": ":",
    "question_mark": "?",
    "plus": "+",
    "minus": "-",
    "equals_sign": "=",
    "number_sign": "#",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "shift+up": "shift+↑",
    "shift+down": "shift+↓",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "escape": "esc",
}


def split_keys(keys: str) -> list[str]:
    """Textual's names for the keys in a comma-separated text."""
    names = {symbol: name for name, symbol in _SYMBOLS.items()}
    return [names.get(key.strip(), key.strip()) for key in keys.split(",")]


def key_names(keys: str) -> str:
    return " ".join(_SYMBOLS.get(key, key) for key in split_keys(keys))


def is_typed(key: str) -> bool:
    """Whether a text field takes the key as a character."""
    if len(_SYMBOLS.get(key, key)) == 1:
        return key not in ("up", "down", "left", "right")
    return (key_to_character(key) or "\n").isprintable()
