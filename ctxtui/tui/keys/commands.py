"""The table of commands: the source of bindings, footers, palette, help and the key tables of the documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from typing import Final

from ctxtui.tui.keys.key_names import is_typed, key_names, split_keys

OVERLAYS: Final = ("audit", "detect", "entries", "search")
DIALOGS: Final = ("ask", "choose", "confirm", "prompt", "entry")
SCREENS: Final = ("main", *OVERLAYS, "fleet", "help", "page", *DIALOGS)

# Parts of screens that bind keys themselves, and the screens that have them.
_PARTS: Final = {
    "list": ("main", *OVERLAYS, "fleet", "help", "page", "confirm"),
    "field": ("main", *OVERLAYS, "fleet", "help"),
}
_HOMES: Final = {"move": "list", "field": "field"} | {screen: screen for screen in (*OVERLAYS, "fleet", "help")}


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the app. `id` names the action and the binding, `keys` are Textual's names for keys.

    Commands of several screens that do the same share an id and keys, so that remapping one remaps all. The footer
    shows `label` if there is a `rank`, lower ranks first. With `panels`, it does so only while one of them has the
    focus. With `when`, only in that state: `picked` if there are picks, `over` if they exceed the limit, `empty` if
    nothing is picked.
    """

    id: str
    keys: str
    label: str
    help: str
    panels: tuple[str, ...] = ()
    rank: int | None = None
    screens: tuple[str, ...] = ()
    when: str = ""
    group: str = ""

    @property
    def bound_by(self) -> tuple[str, ...]:
        """The names of the screens that bind the keys, or of parts of screens: panels, `list`, `field`."""
        return self.screens or (_HOMES.get(self.group, "main"),)


PANELS: Final = ("context", "payload", "view")
STATES: Final = frozenset({"picked", "over", "empty", "text"})
ROWS: Final = ("context", "payload")
_MAINLY: Final = (*PANELS, "start")

_READERS: Final = ("help", "page")
# The views of the audit with rows that can be picked, those whose tab has others, and those with findings or figures.
_PICKED: Final = ("map", "matrix")
_WITH_OTHERS: Final = ("starts", "matrix", "touch", "servers", "logs", "map", "totals", "history", "changes")
_SORTED: Final = ("findings", "starts", "totals", "changes")
# The lists of Search and of a filter, in which a field picks.
_FOUND: Final = ("hits", "passages", "task", "filter")


def _in_group(group: str, *commands: Command) -> Iterator[Command]:
    return (replace(each, group=group) for each in commands)


COMMANDS: Final = (
    *_in_group(
        "move",
        Command("up", "up,k", "up", "one row up"),
        Command("down", "down,j", "down", "one row down"),
        Command("left", "left,h", "close", "close the row, or go to the one above it"),
        Command("right", "right,l", "open", "open the row, or go into it"),
        Command("top", "g,home", "top", "go to the first row"),
        Command("bottom", "G,end", "bottom", "go to the last row"),
        Command("page_up", "pageup", "page up", "one page up"),
        Command("page_down", "pagedown", "page down", "one page down"),
        Command("enter", "enter", "choose", "choose the row"),
    ),
    *_in_group(
        "pick",
        Command("pick", "space", "pick", "pick or drop the row", ("context", "view", "map"), 1, PANELS),
        Command("pick_shown", "a", "all", "pick or drop all rows shown", ("context",), 12),
        Command("drop", "x", "drop", "drop the row from the payload", ("payload",), 1, PANELS),
        Command("pin", "p", "pin", "pin: never cut, never left out", ROWS, 9, PANELS, "picked"),
        Command("move_up", "K,shift+up", "move up", "move the pick up in the payload", ("payload",), 13, PANELS),
        Command(
            "move_down", "J,shift+down", "move down", "move the pick down in the payload", ("payload",), 14, PANELS
        ),
        Command("tasks", "T", "tasks", "keep open tasks only, then blocked, done, all but done", ROWS, 14, PANELS),
        Command(
            "outline",
            "O",
            "outline",
            "outline code, or whole again; add a notebook's outputs, or drop them",
            screens=PANELS,
        ),
        Command("git", "d", "git", "pick a diff, changed files or messages of commits, found at each build"),
        Command("undo", "u", "undo", "undo the last change", PANELS, 9, when="picked"),
        Command("redo", "U", "redo", "redo the change you undid last"),
    ),
    *_in_group(
        "find",
        Command(
            "filter",
            "slash",
            "filter",
            'filter by words of paths, headings and symbols, !not, "a phrase", / for paths only; tab picks',
            ("context",),
            4,
        ),
        Command("next_match", "n", "next", "go to the next match, or the next picked row"),
        Command("previous_match", "N", "previous", "go to the previous match, or the previous picked row"),
        Command("search", "S", "search", "search names, metadata, symbols, headings and text", ("context",), 6),
        Command(
            "sort",
            "t",
            "sort",
            "sort by tokens, list all files, all sections by tokens, or by path again",
            ("context",),
            8,
        ),
        Command("collapse_all", "minus", "close all", "close all folders and documents"),
        Command("expand_all", "plus,equals_sign", "open all", "open all folders"),
        Command(
            "changed",
            "c",
            "changed",
            "show only changed files, then staged ones, those since a base, all",
            ("context",),
            12,
        ),
        Command("base", "C", "base", "choose the branch or tag that changes are compared with"),
        Command("by_source", "V", "source", "show only agent files, then .context, catalog, entries, all"),
        Command("ignored", "full_stop", "ignored", "show or hide ignored files"),
        Command(
            "suggest",
            "I",
            "task",
            "say a task, and see what belongs to it within the budget",
            ("context", "start"),
            6,
            when="empty",
        ),
    ),
    *_in_group(
        "read",
        Command(
            "enter", "enter", "read", "show the row in View; on Start, pick its files", ("context", "start", "map"), 1
        ),
        Command("count_large", "number_sign", "count", "count the large data in the row, which nobody sends"),
        Command("sections", "s", "sections", "show the sections of the document", ("context", "view"), 11),
        Command("previous_tab", "left_square_bracket", "tab", "go to the previous tab", ("view", "map", "start")),
        Command("next_tab", "right_square_bracket", "tab", "go to the next tab", ("view", "map", "start"), 3),
        Command("rendered", "v", "view", "show the text rendered or raw", ("view",), 5, when="text"),
        Command("narrower", "less_than_sign", "narrower", "make the panel narrower"),
        Command("wider", "greater_than_sign", "wider", "make the panel wider"),
        Command("zoom", "z", "zoom", "give one panel the whole screen, or show all again", ("view",), 6),
        Command("start", "0", "Start", "go back to Start", rank=3, when="empty"),
        Command("map", "M", "map", "see all files by tokens as a map; enter zooms in", _MAINLY, 6, when="empty"),
        Command(
            "zoom_out", "backspace", "out", "zoom out of the map; enter zooms in", ("map",), 2, ("view", "audit")
        ),
        Command("panel_1", "1", "Context", "go to the Context panel"),
        Command("panel_2", "2", "Payload", "go to the Payload panel"),
        Command("panel_3", "3", "View", "go to the View panel"),
        Command("links", "L", "links", "follow a link or trigger; from code, go to related files", ("view",), 8),
        Command("editor", "E", "edit", "open the file in your editor, at the line", PANELS, 12),
    ),
    *_in_group(
        "budget",
        Command("budget", "b", "budget", "set the limit in tokens", ROWS, 4),
        Command("model", "m", "model", "choose a model or tokenizer", ROWS, 8, when="picked"),
        Command("measure", "r", "measure", "ask the model's vendor for its tokens, after you confirm"),
        Command("format", "F", "format", "choose the next export format or template", ROWS, 8, when="picked"),
        Command("fit", "f", "fit", "over the limit: cut texts, or leave out whole documents", PANELS, 2, when="over"),
        Command("prompt", "i", "prompt", "write the prompt block", ROWS, 10, when="picked"),
    ),
    *_in_group(
        "out",
        Command(
            "export",
            "e",
            "export",
            "write the payload to a file; in a pipe, send it and quit",
            _MAINLY,
            3,
            when="picked",
        ),
        Command("copy", "y", "copy", "copy the payload to the clipboard", PANELS, 11, when="picked"),
        Command("run", "vertical_line", "run", "send: quit, and hand the payload to an agent or a command"),
        Command("save", "w", "save", "save the selection as a recipe", PANELS, 7, when="picked"),
        Command("open", "o", "open", "open a recipe", ("context",), 13),
    ),
    *_in_group(
        "screens",
        Command(
            "home_files",
            "tilde",
            "home",
            "count what agents read in your home folder, or leave it out",
            screens=("main", "audit"),
        ),
        Command("audit", "A", "audit", "see what agents load, what it costs, what is wrong", _MAINLY, 7),
        Command("detect", "D", "detect", "see a catalog's loading steps, or go back", screens=("main", "detect")),
        Command("entries", "B", "entries", "see business entries, or go back", screens=("main", "entries")),
        Command("problems", "P", "problems", "see the problems found, in the audit"),
        Command("reload", "R", "reload", "read the project again"),
        Command(
            "palette", "colon", "palette", "find a command by name or purpose", screens=("main", *OVERLAYS, "fleet")
        ),
        Command("help", "question_mark,f1", "all", "show all keys", screens=("main", *OVERLAYS, "fleet", "help")),
        Command(
            "escape", "escape", "back", "leave the filter, the zoom or View; never quits the app", ("view", "map"), 4
        ),
        Command(
            "escape",
            "escape",
            "close",
            "on other screens: leave the filter, then the screen",
            screens=(*OVERLAYS, "help", "page"),
        ),
        Command("close", "q", "close", "on other screens: close the screen", screens=(*OVERLAYS, "help", "page")),
        Command("quit", "q", "quit", "quit; the selection is saved"),
    ),
    *_in_group(
        "audit",
        Command("enter", "enter", "open", "open the group, the file, or what can be done about the finding", rank=1),
        Command("pick", "space", "pick", "pick or drop what is under the cursor of a picture", _PICKED, 2),
        Command("next_tab", "right_square_bracket", "tab", "go to the next tab", rank=4),
        Command("previous_tab", "left_square_bracket", "tab", "go to the previous tab"),
        Command("view", "v", "view", "show the next view of the tab", _WITH_OTHERS, 3),
        Command("filter", "slash", "filter", "keep only rows with these words", rank=5),
        Command("sort", "t", "sort", "sort by tokens, or in audit order again", _SORTED, 6),
        Command("undo", "u", "undo", "undo the last change that you wrote here", ("findings",), 7),
        Command("copy", "y", "copy", "copy the finding, as a task for an agent", ("findings", "changes"), 8),
        Command("editor", "E", "edit", "open the file in your editor, at the line", rank=9),
        Command("export", "e", "export", "write the report to a file: Markdown, JSON or SARIF", rank=10),
        Command("base", "C", "base", "choose the branch or tag that changes are compared with", ("changes",), 2),
        Command("start_folder", "W", "where", "choose the folder where agents start", ("starts", "matrix"), 11),
        Command("measure", "r", "measure", "start the agent and read what it sends, after a yes", ("starts",), 5),
        Command("audit", "A", "main", "go back to the main screen"),
    ),
    *_in_group(
        "detect",
        Command("pick", "space", "pick", "pick or drop the file", rank=1),
        Command("pick_shown", "a", "pick all", "pick all files that the steps load", rank=2),
        Command("next_tab", "right_square_bracket", "domain", "go to the next domain", rank=3),
        Command("previous_tab", "left_square_bracket", "domain", "go to the previous domain"),
        Command("triggers", "i", "triggers", "write the cross-domain triggers", rank=4),
        Command("enter", "enter", "go there", "go to the file", rank=5),
        Command("filter", "slash", "filter", "keep only rows with these words", rank=9),
        Command("more_files", "greater_than_sign", "more", "allow one more file", rank=6),
        Command("fewer_files", "less_than_sign", "fewer", "allow one file fewer", rank=7),
    ),
    *_in_group(
        "entries",
        Command("filter", "slash", "filter", "filter by words, #tag, @category or code", rank=1),
        Command("pick", "space", "pick", "pick or drop the entry", rank=2),
        Command("pick_filter", "Q", "pick filter", "pick the filter as a query, run at each build", rank=3),
        Command("new", "i", "new", "write a new entry", rank=4),
        Command("edit", "E", "edit", "edit the entry", rank=5),
        Command("enter", "enter", "go there", "go to the entry", rank=6),
        Command("next_tab", "right_square_bracket", "directory", "go to the next entries directory", rank=7),
        Command("previous_tab", "left_square_bracket", "directory", "go to the previous entries directory"),
    ),
    *_in_group(
        "search",
        Command("pick", "space", "pick", "pick or drop the hit, while the list has the focus", rank=1),
        Command("enter", "enter", "go there", "go to the hit", rank=2),
        Command("filter", "slash", "words", "go back to the words", rank=3),
        Command("scope", "f2", "scope", "search in the next scope", rank=3),
        Command("pick_lines", "f3", "lines", "pick only the lines of the passage", ("passages",), 4),
        Command("pick_found", "f6", "pick all", "pick everything that is suggested", ("task",), 4),
        Command("engine", "f4", "engine", "search with the next engine", ("passages",), 5),
    ),
    *_in_group(
        "fleet",
        Command("enter", "enter", "audit", "see the audit of the repository; q comes back", rank=1),
        Command("filter", "slash", "filter", "keep only repositories with these words", rank=2),
        Command("sort", "t", "sort", "sort by the next column: start, change, findings, tokens, error, name", rank=3),
        Command("next_tab", "right_square_bracket", "run", "go to the run after this one", rank=4),
        Command("previous_tab", "left_square_bracket", "run", "go to the run before this one"),
        Command("reload", "R", "reload", "read the results again, such as those of a run that goes on", rank=6),
        Command("escape", "escape", "clear", "clear the filter; never quits the app"),
        Command("quit", "q", "quit", "quit"),
    ),
    *_in_group(
        "help",
        Command("next_tab", "right_square_bracket", "page", "go to the next tab or page", (), 1, _READERS),
        Command(
            "previous_tab",
            "left_square_bracket",
            "page",
            "go to the previous tab or page",
            screens=_READERS,
        ),
        Command("enter", "enter", "read", "read the page", rank=2),
        Command("filter", "slash", "filter", "keep only keys or pages with these words", rank=3),
    ),
    *_in_group(
        "field",
        Command("field_pick", "tab", "pick", "pick the row and move down", _FOUND, 1),
        Command("field_up", "up", "up", "one row up in the list", screens=("field", "choose")),
        Command("field_down", "down", "down", "one row down in the list", screens=("field", "choose")),
        Command(
            "field_keep",
            "enter",
            "go there",
            "go to the rows found; in Search, go to the hit, if it is no task",
            (*_FOUND, "words"),
            2,
        ),
        Command(
            "field_clear", "escape", "clear", "clear the filter; in Search, close the screen", ("filter", "words"), 3
        ),
    ),
    *_in_group(
        "dialog",
        Command(
            "escape",
            "escape",
            "leave",
            "leave; what you typed as prompt block is kept for the next time",
            screens=DIALOGS,
        ),
        Command("yes", "y", "yes", "yes", rank=1, screens=("confirm",)),
        Command("no", "n", "no", "no", rank=2, screens=("confirm",)),
        Command("position", "f3,ctrl+t", "position", "prompt block first, last or both", screens=("prompt",)),
        Command(
            "store", "f2,ctrl+s,ctrl+enter", "save", "save the entry or the prompt block", screens=("entry", "prompt")
        ),
    ),
)
FIXED: Final = frozenset({"yes", "no", "enter", "escape"})
"""Keys that answer and leave dialogs. They cannot be remapped, since a dialog may start, write or send."""

# The titles of groups that are not the words of their ids.
_TITLES: Final = {"field": "While you type a filter", "dialog": "Dialogs"}

LABELS: Final = {
    # Start says below its rows which of them enter picks and which it opens.
    ("enter", "start"): "choose",
    ("enter", "map"): "zoom in",
    ("field_keep", "task"): "to the list",
    ("field_keep", "words"): "to the list",
}
"""The labels that a command has in one panel only."""

_TAILS: Final = {"main": ("help", "quit"), "fleet": ("help", "quit"), "page": ("escape",)}
_TAIL: Final = ("help", "escape")


# The keys that a newcomer needs, on the main screen.
_FIRST: Final = (
    *("pick", "enter", "filter", "map", "search", "suggest"),
    *("budget", "export", "undo", "audit", "palette", "quit"),
)
_MOST_FIRST: Final = 12


def first_keys(screen: str) -> list[Command]:
    """The most useful commands of a screen, at most a dozen."""
    by_id = {command.id: command for command in on_screen(screen)}
    if screen == "main":
        return [by_id[id_] for id_ in _FIRST]
    # Only Search begins in its field.
    own = [each for each in by_id.values() if each.group != "field" or screen == "search"]
    ranked = sorted((each for each in own if each.rank is not None), key=lambda each: each.rank or 0)
    by_key: dict[str, Command] = {}
    for each in (*ranked, *tail(screen)):
        by_key.setdefault(each.keys, each)
    return list(by_key.values())[:_MOST_FIRST]


def keys_of(command: Command, keymap: Mapping[str, str]) -> str:
    return keymap.get(command.id) or command.keys


def pressed_key(command: Command, keymap: Mapping[str, str], is_typing: bool = False) -> str:
    """Textual's name of the first key after remapping. With `is_typing`, if possible one that is not a character."""
    keys = split_keys(keys_of(command, keymap))
    acting = [key for key in keys if not (is_typing and is_typed(key))]
    return (acting or keys)[0]


def first_key(command: Command, keymap: Mapping[str, str], is_typing: bool = False) -> str:
    return key_names(pressed_key(command, keymap, is_typing))


def footer_keys(command: Command, keymap: Mapping[str, str], is_typing: bool = False) -> str:
    """The first key of a command as people read it. For `next_tab`, the key of `previous_tab` precedes it."""
    both = [each for each in COMMANDS if each.id == "previous_tab"][:1] if command.id == "next_tab" else []
    return " ".join(first_key(each, keymap, is_typing) for each in (*both, command))


def bound(place: str) -> list[Command]:
    """The commands that a screen binds, or a part of a screen: a panel, `list` or `field`."""
    return [command for command in COMMANDS if place in command.bound_by]


def on_screen(screen: str) -> list[Command]:
    """All commands of a screen and of its parts. A part's command with the id of a screen's command is left out."""
    homes = {screen, *(PANELS if screen == "main" else ())}
    own = [command for command in COMMANDS if homes.intersection(command.bound_by)]
    ids = {command.id for command in own}
    parts = [part for part, screens in _PARTS.items() if screen in screens]
    return own + [command for part in parts for command in bound(part) if command.id not in ids]


def footer(screen: str, panel: str, count: int, states: Set[str] = STATES) -> list[Command]:
    """The commands in the footer for the panel in focus in some states, at most `count`, most useful first."""
    shown = [each for each in on_screen(screen) if not each.panels or panel in each.panels]
    shown = [each for each in shown if not each.when or each.when in states]
    return sorted((each for each in shown if each.rank is not None), key=lambda each: each.rank or 0)[:count]


def tail(screen: str) -> list[Command]:
    """The last commands in the key bar of a screen, such as help and the way out."""
    by_id = {command.id: command for command in on_screen(screen)}
    return [by_id[id_] for id_ in _TAILS.get(screen, _TAIL)]


def by_group(screen: str | None = None) -> Iterator[tuple[str, list[Command]]]:
    """All commands by group, or the commands of one screen with its own group first, for help and documents."""
    commands = COMMANDS if screen is None else on_screen(screen)
    groups = dict.fromkeys(command.group for command in COMMANDS)
    for group in sorted(groups, key=lambda group: group != screen):
        found = [command for command in commands if command.group == group]
        if found:
            yield _TITLES.get(group, group.title()), found
