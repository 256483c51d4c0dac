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
    shows `label` if there is a `rank`, lower ranks first, or as one of its last commands. With `panels`, it does so
    only while one of them has the focus. With `when`, only in that state: `picked` if there are picks, `over` if they
    exceed the limit or were cut, `empty` if nothing is picked.
    """

    id: str
    keys: str
    help: str
    label: str = ""
    rank: int | None = None
    panels: tuple[str, ...] = ()
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
_TREE: Final = ("context",)
_MAINLY: Final = (*PANELS, "start")

VIEWS: Final = {
    "findings": ("findings",),
    "agents": ("starts", "matrix", "touch", "servers", "logs"),
    "map": ("map", "totals"),
    "history": ("history", "changes"),
}
"""The tabs of the audit, and the views of each. A tab opens with its first view."""

_READERS: Final = ("help", "page")
# The views of the audit with rows that can be picked, those whose tab has others, and those with findings or figures.
_PICKED: Final = ("map", "matrix")
_WITH_OTHERS: Final = tuple(view for views in VIEWS.values() if len(views) > 1 for view in views)
_SORTED: Final = ("findings", "starts", "totals", "changes")
# The lists of Search and of a filter, in which a field picks.
_FOUND: Final = ("hits", "passages", "task", "filter")


def _in_group(group: str, *commands: Command) -> Iterator[Command]:
    return (replace(each, group=group) for each in commands)


COMMANDS: Final = (
    *_in_group(
        "move",
        Command("up", "up,k", "one row up"),
        Command("down", "down,j", "one row down"),
        Command("left", "left,h", "close the row, or go to the one above it"),
        Command("right", "right,l", "open the row, or go into it"),
        Command("top", "g,home", "go to the first row"),
        Command("bottom", "G,end", "go to the last row"),
        Command("page_up", "pageup", "one page up"),
        Command("page_down", "pagedown", "one page down"),
        Command("enter", "enter", "choose the row"),
    ),
    *_in_group(
        "pick",
        Command("pick", "space", "pick or drop the row", "pick", 1, ("context", "view", "map"), PANELS),
        Command("pick_shown", "a", "pick or drop all rows shown", "all", 12, _TREE),
        Command("drop", "x", "drop the row from the payload", "drop", 1, ("payload",), PANELS),
        Command("pin", "p", "pin: never cut, never left out", "pin", 9, ROWS, PANELS, when="picked"),
        Command("move_up", "K,shift+up", "move the pick up in the payload", "move up", 13, ("payload",), PANELS),
        Command(
            "move_down", "J,shift+down", "move the pick down in the payload", "move down", 14, ("payload",), PANELS
        ),
        Command("tasks", "T", "keep open tasks only, then blocked, done, all but done", "tasks", 14, ROWS, PANELS),
        Command(
            "outline", "O", "outline code, or whole again; add a notebook's outputs, or drop them", screens=PANELS
        ),
        Command("git", "d", "pick a diff, changed files or messages of commits, found at each build"),
        Command("undo", "u", "undo the last change", "undo", 9, PANELS, when="picked"),
        Command("redo", "U", "redo the change you undid last"),
    ),
    *_in_group(
        "find",
        Command(
            "filter",
            "slash",
            'filter by words of paths, headings and symbols, !not, "a phrase", / for paths only; tab picks',
            "filter",
            4,
            _TREE,
        ),
        Command("next_match", "n", "go to the next match, or the next picked row"),
        Command("previous_match", "N", "go to the previous match, or the previous picked row"),
        Command("search", "S", "search names, metadata, symbols, headings and text", "search", 6, _TREE),
        Command(
            "sort", "t", "sort by tokens, list all files, all sections by tokens, or by path again", "sort", 8, _TREE
        ),
        Command("collapse_all", "minus", "close all folders and documents"),
        Command("expand_all", "plus,equals_sign", "open all folders"),
        Command(
            "changed", "c", "show only changed files, then staged ones, those since a base, all", "changed", 12, _TREE
        ),
        Command("base", "C", "choose the branch or tag that changes are compared with"),
        Command("by_source", "V", "show only agent files, then .context, catalog, entries, all"),
        Command("ignored", "full_stop", "show or hide ignored files"),
        Command(
            "suggest",
            "I",
            "say a task, and see what belongs to it within the budget",
            "task",
            6,
            ("context", "start"),
            when="empty",
        ),
    ),
    *_in_group(
        "read",
        Command(
            "enter", "enter", "show the row in View; on Start, pick its files", "read", 1, ("context", "start", "map")
        ),
        Command("count_large", "number_sign", "count the large data in the row, which nobody sends"),
        Command("sections", "s", "show the sections of the document", "sections", 11, ("context", "view")),
        Command("previous_tab", "left_square_bracket", "go to the previous tab"),
        Command("next_tab", "right_square_bracket", "go to the next tab", "tab", 3, ("view", "map", "start")),
        Command("rendered", "v", "show the text rendered or raw", "view", 5, ("view",), when="text"),
        Command("narrower", "less_than_sign", "make the panel narrower"),
        Command("wider", "greater_than_sign", "make the panel wider"),
        Command("zoom", "z", "give one panel the whole screen, or show all again", "zoom", 6, ("view",)),
        Command("start", "0", "go back to Start", "Start", 3, when="empty"),
        Command("map", "M", "see all files by tokens as a map; enter zooms in", "map", 6, _MAINLY, when="empty"),
        Command(
            "zoom_out", "backspace", "zoom out of the map; enter zooms in", "out", 2, ("map",), ("view", "audit")
        ),
        Command("panel_1", "1", "go to the Context panel"),
        Command("panel_2", "2", "go to the Payload panel"),
        Command("panel_3", "3", "go to the View panel"),
        Command("links", "L", "follow a link or trigger; from code, go to related files", "links", 8, ("view",)),
        Command("editor", "E", "open the file in your editor, at the line", "edit", 12, PANELS),
    ),
    *_in_group(
        "budget",
        Command("budget", "b", "set the limit in tokens", "budget", 4, ROWS),
        Command("model", "m", "choose a model or tokenizer", "model", 8, ROWS, when="picked"),
        Command("measure", "r", "ask the model's vendor for its tokens, after you confirm"),
        Command("format", "F", "choose the next export format or template", "format", 8, ROWS, when="picked"),
        Command("fit", "f", "over the limit: cut texts, or leave out whole documents", "fit", 2, PANELS, when="over"),
        Command("prompt", "i", "write the prompt block", "prompt", 10, ROWS, when="picked"),
    ),
    *_in_group(
        "out",
        Command(
            "export",
            "e",
            "write the payload to a file; in a pipe, send it and quit",
            "export",
            3,
            _MAINLY,
            when="picked",
        ),
        Command("copy", "y", "copy the payload to the clipboard", "copy", 11, PANELS, when="picked"),
        Command("run", "vertical_line", "send: quit, and hand the payload to an agent or a command"),
        Command("save", "w", "save the selection as a recipe", "save", 7, PANELS, when="picked"),
        Command("open", "o", "open a recipe", "open", 13, _TREE),
    ),
    *_in_group(
        "screens",
        Command(
            "home_files",
            "tilde",
            "count what agents read in your home folder, or leave it out",
            screens=("main", "audit"),
        ),
        Command("audit", "A", "see what agents load, what it costs, what is wrong", "audit", 7, _MAINLY),
        Command("detect", "D", "see a catalog's loading steps, or go back", screens=("main", "detect")),
        Command("entries", "B", "see business entries, or go back", screens=("main", "entries")),
        Command("problems", "P", "see the problems found, in the audit"),
        Command("reload", "R", "read the project again"),
        Command("palette", "colon", "find a command by name or purpose", screens=("main", *OVERLAYS, "fleet")),
        Command("help", "question_mark,f1", "show all keys", "all", screens=("main", *OVERLAYS, "fleet", "help")),
        Command(
            "escape", "escape", "leave the filter, the zoom or View; never quits the app", "back", 4, ("view", "map")
        ),
        Command(
            "escape",
            "escape",
            "on other screens: leave the filter, then the screen",
            "close",
            screens=(*OVERLAYS, "help", "page"),
        ),
        Command("close", "q", "on other screens: close the screen", screens=(*OVERLAYS, "help", "page")),
        Command("quit", "q", "quit; the selection is saved", "quit"),
    ),
    *_in_group(
        "audit",
        Command("enter", "enter", "open the group, the file, or what can be done about the finding", "open", 1),
        Command("pick", "space", "pick or drop what is under the cursor of a picture", "pick", 2, _PICKED),
        Command("next_tab", "right_square_bracket", "go to the next tab", "tab", 4),
        Command("previous_tab", "left_square_bracket", "go to the previous tab"),
        Command("view", "v", "show the next view of the tab", "view", 3, _WITH_OTHERS),
        Command("filter", "slash", "keep only rows with these words", "filter", 5),
        Command("sort", "t", "sort by tokens, or in audit order again", "sort", 6, _SORTED),
        Command("undo", "u", "undo the last change that you wrote here", "undo", 7, ("findings",)),
        Command("copy", "y", "copy the finding, as a task for an agent", "copy", 8, ("findings", "changes")),
        Command("editor", "E", "open the file in your editor, at the line", "edit", 9),
        Command("export", "e", "write the report to a file: Markdown, JSON or SARIF", "export", 10),
        Command("base", "C", "choose the branch or tag that changes are compared with", "base", 2, ("changes",)),
        Command("start_folder", "W", "choose the folder where agents start", "where", 11, ("starts", "matrix")),
        Command("measure", "r", "start the agent and read what it sends, after a yes", "measure", 5, ("starts",)),
        Command("audit", "A", "go back to the main screen"),
    ),
    *_in_group(
        "detect",
        Command("pick", "space", "pick or drop the file", "pick", 1),
        Command("pick_shown", "a", "pick all files that the steps load", "pick all", 2),
        Command("next_tab", "right_square_bracket", "go to the next domain", "domain", 3),
        Command("previous_tab", "left_square_bracket", "go to the previous domain"),
        Command("triggers", "i", "write the cross-domain triggers", "triggers", 4),
        Command("enter", "enter", "go to the file", "go there", 5),
        Command("filter", "slash", "keep only rows with these words", "filter", 9),
        Command("more_files", "greater_than_sign", "allow one more file", "more", 6),
        Command("fewer_files", "less_than_sign", "allow one file fewer", "fewer", 7),
    ),
    *_in_group(
        "entries",
        Command("filter", "slash", "filter by words, #tag, @category or code", "filter", 1),
        Command("pick", "space", "pick or drop the entry", "pick", 2),
        Command("pick_filter", "Q", "pick the filter as a query, run at each build", "pick filter", 3),
        Command("new", "i", "write a new entry", "new", 4),
        Command("edit", "E", "edit the entry", "edit", 5),
        Command("enter", "enter", "go to the entry", "go there", 6),
        Command("next_tab", "right_square_bracket", "go to the next entries directory", "directory", 7),
        Command("previous_tab", "left_square_bracket", "go to the previous entries directory"),
    ),
    *_in_group(
        "search",
        Command("pick", "space", "pick or drop the hit, while the list has the focus", "pick", 1),
        Command("enter", "enter", "go to the hit", "go there", 2),
        Command("filter", "slash", "go back to the words", "words", 3),
        Command("scope", "f2", "search in the next scope", "scope", 3),
        Command("pick_lines", "f3", "pick only the lines of the passage", "lines", 4, ("passages",)),
        Command("pick_found", "f6", "pick everything that is suggested", "pick all", 4, ("task",)),
        Command("engine", "f4", "search with the next engine", "engine", 5, ("passages",)),
    ),
    *_in_group(
        "fleet",
        Command("enter", "enter", "see the audit of the repository; q comes back", "audit", 1),
        Command("filter", "slash", "keep only repositories with these words", "filter", 2),
        Command("sort", "t", "sort by the next column: start, change, findings, tokens, error, name", "sort", 3),
        Command("next_tab", "right_square_bracket", "go to the run after this one", "run", 4),
        Command("previous_tab", "left_square_bracket", "go to the run before this one"),
        Command("reload", "R", "read the results again, such as those of a run that goes on", "reload", 6),
        Command("escape", "escape", "clear the filter; never quits the app", "clear"),
        Command("quit", "q", "quit", "quit"),
    ),
    *_in_group(
        "help",
        Command("next_tab", "right_square_bracket", "go to the next tab or page", "page", 1, screens=_READERS),
        Command("previous_tab", "left_square_bracket", "go to the previous tab or page", screens=_READERS),
        Command("enter", "enter", "read the page", "read", 2),
        Command("filter", "slash", "keep only keys or pages with these words", "filter", 3),
    ),
    *_in_group(
        "field",
        Command("field_pick", "tab", "pick the row and move down", "pick", 1, _FOUND),
        Command("field_up", "up", "one row up in the list", screens=("field", "choose")),
        Command("field_down", "down", "one row down in the list", screens=("field", "choose")),
        Command(
            "field_keep",
            "enter",
            "go to the rows found; in Search, go to the hit, if it is no task",
            "go there",
            2,
            (*_FOUND, "words"),
        ),
        Command(
            "field_clear", "escape", "clear the filter; in Search, close the screen", "clear", 3, ("filter", "words")
        ),
    ),
    *_in_group(
        "dialog",
        Command(
            "escape",
            "escape",
            "leave; what you typed as prompt block is kept for the next time",
            "leave",
            screens=DIALOGS,
        ),
        Command("yes", "y", "yes", "yes", 1, screens=("confirm",)),
        Command("no", "n", "no", "no", 2, screens=("confirm",)),
        Command("position", "f3,ctrl+t", "prompt block first, last or both", screens=("prompt",)),
        Command("store", "f2,ctrl+s,ctrl+enter", "save the entry or the prompt block", screens=("entry", "prompt")),
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


def useful_commands(screen: str) -> list[Command]:
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
    """Textual's names of a command's keys after remapping, separated by commas."""
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
