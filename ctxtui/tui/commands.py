"""The one table of commands: it gives bindings, footer, palette, help and the README's key table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from textual.binding import Binding, BindingType


@dataclass(frozen=True, slots=True)
class Command:
    """A thing one can do: `id` names the action and the binding, `keys` are Textual's names for keys.

    `label` stands in the footer, lower `rank` first, while one of the `panels` has the focus.
    """

    id: str
    keys: str
    label: str
    help: str
    group: str
    panels: tuple[str, ...] = ()
    rank: int = 99


ANYWHERE: Final = ("context", "payload", "view")
LIST: Final = ("context", "payload")

MOVES: Final = (
    Command("up", "up,k", "up", "one row up", "move"),
    Command("down", "down,j", "down", "one row down", "move"),
    Command("left", "left,h", "close", "close the row, or go to the one above it", "move"),
    Command("right", "right,l", "open", "open the row, or go into it", "move"),
    Command("top", "g,home", "top", "to the first row", "move"),
    Command("bottom", "G,end", "bottom", "to the last row", "move"),
    Command("page_up", "pageup", "page up", "one page up", "move"),
    Command("page_down", "pagedown", "page down", "one page down", "move"),
    Command("enter", "enter", "read", "read the row; on Start, pick its files", "read", ("context",), 2),
)

COMMANDS: Final = (
    Command("pick", "space", "pick", "pick or drop the row", "pick", ("context", "view"), 1),
    Command("pick_shown", "a", "all", "pick or drop all rows shown", "pick", ("context",), 12),
    Command("drop", "x", "drop", "drop the row from the payload", "pick", ("payload",), 1),
    Command("pin", "p", "pin", "pin: never cut, never left out", "pick", LIST, 3),
    Command("move_up", "K,shift+up", "move up", "move the pick up in the payload", "pick", ("payload",), 4),
    Command("move_down", "J,shift+down", "move down", "move the pick down in the payload", "pick", ("payload",), 5),
    Command("tasks", "T", "tasks", "open tasks only, then blocked, done, all but done", "pick", LIST, 14),
    Command("undo", "u", "undo", "undo the last change", "pick", ANYWHERE, 9),
    Command("redo", "U", "redo", "redo what was undone", "pick", (), 99),
    Command("filter", "slash", "filter", "filter by path and heading; tab picks", "find", ("context",), 4),
    Command("next_match", "n", "next", "the next match, or the next picked row", "find"),
    Command("previous_match", "N", "previous", "the match before, or the picked row before", "find"),
    Command("search", "S", "search", "search metadata and texts", "find", ("context",), 13),
    Command("sort", "t", "sort", "sort by tokens, or back by path", "find", ("context",), 5),
    Command("ignored", "full_stop", "ignored", "show or hide ignored files", "find"),
    Command("sections", "s", "sections", "the sections of the document", "read", ("context", "view"), 11),
    Command("previous_tab", "left_square_bracket", "tab", "the tab before", "read", ("view",), 3),
    Command("next_tab", "right_square_bracket", "tab", "the next tab", "read", ("view",), 4),
    Command("rendered", "v", "raw", "text raw or rendered", "read", ("view",), 5),
    Command("zoom", "z", "zoom", "one panel on the whole screen, or back", "read", ("view",), 6),
    Command("panel_1", "1", "Context", "to the Context panel", "read"),
    Command("panel_2", "2", "Payload", "to the Payload panel", "read"),
    Command("panel_3", "3", "View", "to the View panel", "read"),
    Command("links", "L", "links", "follow a link or trigger of the document", "read", ("view",), 8),
    Command("editor", "E", "edit", "open your editor at the file and line", "read", ANYWHERE, 7),
    Command("budget", "b", "budget", "set the limit in tokens", "budget", ("payload",), 6),
    Command("model", "m", "model", "choose a model or tokenizer", "budget"),
    Command("format", "F", "format", "the next export format", "budget", ("payload",), 13),
    Command("fit", "f", "fit", "over the limit: cut texts, or leave whole documents out", "budget", LIST, 6),
    Command("prompt", "i", "prompt", "write the prompt block", "budget", LIST, 8),
    Command("export", "e", "export", "write the payload to a file; in a pipe, send it and quit", "out", ANYWHERE, 10),
    Command("copy", "y", "copy", "copy the payload to the clipboard", "out", ANYWHERE, 11),
    Command("run", "vertical_line", "run", "quit and give the payload to a command", "out"),
    Command("save", "w", "save", "save the selection as a recipe", "out"),
    Command("open", "o", "open", "open a recipe", "out"),
    Command("audit", "A", "audit", "what agents load, what it costs, what is wrong", "screens"),
    Command("detect", "D", "detect", "walk the five loading steps of a catalog, with reasons", "screens"),
    Command("entries", "B", "entries", "business entries: filter, write, pick", "screens"),
    Command("problems", "P", "problems", "what was found wrong, with file and line", "screens"),
    Command("reload", "R", "reload", "read the project again", "screens"),
    Command("palette", "colon", "palette", "find a command by its name", "screens"),
    Command("help", "question_mark", "help", "all keys", "screens"),
    Command("quit", "q", "quit", "quit; the selection is kept", "screens"),
)

GROUPS: Final = {
    "move": "Move",
    "pick": "Pick",
    "find": "Find",
    "read": "Read",
    "budget": "Budget",
    "out": "Out",
    "screens": "Screens",
}

_SYMBOLS = {
    "slash": "/",
    "full_stop": ".",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "vertical_line": "|",
    "colon": ":",
    "question_mark": "?",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "shift+up": "shift+↑",
    "shift+down": "shift+↓",
    "pageup": "pgup",
    "pagedown": "pgdn",
}


def key_names(keys: str) -> str:
    """Keys as people write them."""
    return " ".join(_SYMBOLS.get(key, key) for key in keys.split(","))


def first_key(command: Command, keymap: dict[str, str] | None = None) -> str:
    """The key that the footer names, after remapping."""
    keys = (keymap or {}).get(command.id, command.keys)
    return key_names(keys.split(",")[0])


def bindings(commands: Iterable[Command]) -> list[BindingType]:
    """Textual's bindings of commands; every one has an id, so that it can be remapped."""
    return [Binding(command.keys, command.id, command.label, show=False, id=command.id) for command in commands]


def footer(panel: str, count: int) -> list[Command]:
    """The commands a footer shows for the panel in focus, the most useful first."""
    shown = [command for command in (*MOVES, *COMMANDS) if panel in command.panels]
    return sorted(shown, key=lambda command: command.rank)[:count]


def by_group() -> Iterator[tuple[str, list[Command]]]:
    """All commands by group, for help and README."""
    for group, title in GROUPS.items():
        yield title, [command for command in (*MOVES, *COMMANDS) if command.group == group]
