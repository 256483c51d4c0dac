"""The user's own keys: what of `[keys]` is in force, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Protocol, runtime_checkable

from textual.dom import DOMNode

from ctxtui.core.errors import ContextError
from ctxtui.core.plain import plain_line
from ctxtui.tui.commands import COMMANDS, SCREENS, first_key, is_typed, key_names, keys_of, on_screen, split_keys

_TYPING = frozenset({"field", "search", "ask", "choose", "prompt", "entry"})


@runtime_checkable
class Remapped(Protocol):
    """An app that knows the user's keys."""

    remapped: Mapping[str, str]


def keymap_of(node: DOMNode) -> Mapping[str, str]:
    """The keys in force, by the ids of their commands, where they differ from the table."""
    app: object = node.app
    return app.remapped if isinstance(app, Remapped) else {}


def key_for(node: DOMNode, id_: str, is_typing: bool = False) -> str:
    """The key to name in a sentence."""
    command = next(command for command in COMMANDS if command.id == id_)
    return first_key(command, keymap_of(node), is_typing)


def check_keys(keymap: Mapping[str, str]) -> None:
    """Refuse `[keys]` that would not do what they say.

    Raises ContextError for an id that does not exist, for an empty key, and for a key that a text field would take
    as a character.
    """
    ids = {command.id for command in COMMANDS}
    for id_, keys in keymap.items():
        if id_ not in ids:
            near = get_close_matches(id_, sorted(ids), n=1, cutoff=0)
            raise _refused(f"`{id_}` does not exist", f"did you mean `{near[0]}`?")
        if not all(split_keys(keys)):
            raise _refused(f'`{id_} = "{keys}"` has an empty key', f'name keys with commas between: {id_} = "f5,f6"')
        if _needs_unwritten(id_) and all(map(is_typed, split_keys(keys))):
            raise _refused(
                f'`{id_} = "{keys}"` would be typed in a text field',
                f'name a key that is not a character: {id_} = "f5"',
            )


def _needs_unwritten(id_: str) -> bool:
    """Whether the command is needed while one types: then none of its own keys is a character."""
    commands = [command for command in COMMANDS if command.id == id_]
    is_met = any(_TYPING.intersection(command.bound_by) for command in commands)
    return is_met and not any(map(is_typed, split_keys(commands[0].keys)))


def clashes(keymap: Mapping[str, str]) -> list[str]:
    """Keys that the user gave to a command and that another one has on the same screen, a sentence each."""
    found: dict[str, None] = {}
    for screen in SCREENS:
        taken: dict[str, str] = {}
        # The keys of a field act while one types, the others while one does not.
        for command in (each for each in on_screen(screen) if "field" not in each.bound_by):
            for key in split_keys(keys_of(command, keymap)):
                other = taken.setdefault(key, command.id)
                if other != command.id and keymap.keys() & {other, command.id}:
                    first, second = sorted((other, command.id))
                    found[f"{key_names(key)} is the key of {first} and of {second} ({screen})"] = None
    return list(found)


def _refused(message: str, hint: str) -> ContextError:
    return ContextError("invalid_request", plain_line(f"[keys]: {message}"), hint=plain_line(hint))
