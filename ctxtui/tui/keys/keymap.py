"""The user's own keys: check `[keys]`, find the keys in effect, and bind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.keys import KEY_NAME_REPLACEMENTS, Keys, key_to_character

from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import near
from ctxtui.core.text.data.schema import Place
from ctxtui.tui.keys.commands import COMMANDS, FIXED, SCREENS, bound, first_key, keys_of, on_screen
from ctxtui.tui.keys.key_names import is_typed, key_names, split_keys

_MODIFIERS = frozenset({"ctrl", "alt", "shift", "super", "hyper", "meta"})
# Textual's own names for keys, without modifiers, and for some characters.
_TEXTUAL = {key.value.rpartition("+")[2] for key in Keys if not key.value.startswith("<")}
_NAMED = frozenset(_TEXTUAL | set(KEY_NAME_REPLACEMENTS.values()))
_TYPING = frozenset({"field", "search", "ask", "choose", "prompt", "entry"})


def bindings(place: str) -> list[BindingType]:
    """The bindings of a screen or of a part of it, each with an id, so that users can remap it."""
    action = "do('{}')" if place == "main" else "{}"
    return [Binding(each.keys, action.format(each.id), show=False, id=each.id) for each in bound(place)]


def keymap_of(node: DOMNode) -> Mapping[str, str]:
    """The user's own keys by command id."""
    keymap: Mapping[str, str] = getattr(node.app, "remapped", {})
    return keymap


def key_for(node: DOMNode, id_: str, is_typing: bool = False) -> str:
    """The first key of a command as people read it, after remapping. For `is_typing` see `pressed_key`."""
    command = next(command for command in COMMANDS if command.id == id_)
    return first_key(command, keymap_of(node), is_typing)


def check_keys(keymap: Mapping[str, Any], place: Place | None = None) -> None:
    """Reject `[keys]` that would not work.

    Raises ContextError, which names `place`, for an id that does not exist or is fixed, for an empty or unknown key,
    and for a command of text fields if all its keys are characters.
    """
    ids = {command.id for command in COMMANDS}
    for id_, keys in keymap.items():
        where = (place or Place.named("[keys]")).at(id_)
        if id_ not in ids:
            raise where.wrong("does not exist", near(id_, sorted(ids), quote="`") or "see ctxtui help keys")
        if id_ in FIXED:
            raise where.wrong("cannot be remapped", "dialogs that start, write or send something need it as it is")
        if not isinstance(keys, str):
            raise where.should_be("a string of keys", keys, f'{id_} = "f5,f6"')
        if not all(split_keys(keys)):
            raise where.wrong("has an empty key", f'separate keys with commas: {id_} = "f5,f6"')
        for key in split_keys(keys):
            if not is_key(key):
                raise where.wrong(f"names a key that does not exist: {plain_line(key)}", _key_hint(key))
        if _needs_untyped_key(id_) and all(map(is_typed, split_keys(keys))):
            raise where.wrong(
                f'= "{plain_line(keys)}" would be typed in a text field',
                f'name a key that is not a character: {id_} = "f5"',
            )


def is_key(name: str) -> bool:
    """Whether a name, with or without modifiers, is a key: a character, a character's name, or a key such as `f5`."""
    *modifiers, key = name.split("+") if name != "+" else [name]
    # Textual spells the names of Unicode in lower case.
    is_named = key_to_character(key) is not None and key == key.lower()
    return len(set(modifiers) & _MODIFIERS) == len(modifiers) and (len(key) == 1 or key in _NAMED or is_named)


def _key_hint(name: str) -> str:
    *modifiers, key = name.split("+")
    unknown = [(each, _MODIFIERS) for each in modifiers if each not in _MODIFIERS] or [(key, _NAMED)]
    return near(*unknown[0], quote="`") or "such as f5, ctrl+s or question_mark"


def _needs_untyped_key(id_: str) -> bool:
    """Whether a command acts while the user types, so that it needs a key that a text field does not take."""
    commands = [command for command in COMMANDS if command.id == id_]
    is_met = any(_TYPING.intersection(command.bound_by) for command in commands)
    return is_met and not any(map(is_typed, split_keys(commands[0].keys)))


def clashes(keymap: Mapping[str, str]) -> list[str]:
    """A sentence for each key that the user gave to two commands of one screen."""
    found: dict[str, None] = {}
    for screen in SCREENS:
        taken: dict[str, str] = {}
        # The keys of a field act while the user types, all others otherwise.
        for command in (each for each in on_screen(screen) if "field" not in each.bound_by):
            for key in split_keys(keys_of(command, keymap)):
                other = taken.setdefault(key, command.id)
                if other != command.id and keymap.keys() & {other, command.id}:
                    first, second = sorted((other, command.id))
                    found[f"{key_names(key)} is the key of both {first} and {second} ({screen})"] = None
    return list(found)
