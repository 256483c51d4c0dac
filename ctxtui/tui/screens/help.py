"""The Help screen: the keys of a screen, all other keys, the signs on the screen, and the manual."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import partialmethod
from typing import Final

from rich.cells import cell_len
from textual import on, work
from textual.app import ComposeResult
from textual.screen import Screen

from ctxtui.core.base.manual import TOPICS, page, summary
from ctxtui.tui.keys.commands import Command, by_group, keys_of, on_screen, useful_commands
from ctxtui.tui.keys.key_names import key_names
from ctxtui.tui.keys.keymap import bindings, key_for, keymap_of
from ctxtui.tui.panels.view_pages import render_markdown
from ctxtui.tui.screens.list_screen import ListScreen
from ctxtui.tui.widgets.fold_rows import FoldRows, Row, heading, remark
from ctxtui.tui.widgets.key_bar import KeyBar
from ctxtui.tui.widgets.page import Page
from ctxtui.tui.widgets.tab_line import TitleLine

# Longer lines are hard to read.
_WIDEST = 100

# The widths of a key, and of a page or sign.
_KEY, _PAGE = 14, 22
_ELSEWHERE: Final = " (on other screens)"
_MARKS: Final = "● all  ◐ part  ○ none    ~ not counted yet  ≈ an estimate, with its band    * pinned"

_SIGNS: Final = {
    "Picked": {
        "●": "all of it is picked",
        "◐": "a part of it is picked; the tokens say how much of how much",
        "○": "nothing of it is picked",
        "*": "pinned: never cut, never left out",
    },
    "Numbers": {
        "~": "not counted yet, or a newer number is on its way",
        "≈": "an estimate, with its band; it can never be exact without the vendor",
        "+": "more that is not counted, by its size in bytes",
    },
    "Beside a name": {
        "always 4": "four agents have it in context before the first request",
        "drift +38%": "it declares a number of tokens that is wrong by so much",
        "▲2": "two findings of the audit, an error among them",
        "△2": "two warnings of the audit",
        "•": "a folder with changes in it",
        "M A D R ?": "changed, added, deleted, renamed, not in git yet",
        "changed": "a picked file that changed since you picked it",
        "problem": "a file that cannot be read as it should be",
        "← CLAUDE.md": "a link to the file, which counts once",
    },
    "The meter": {
        "9,412 / 12,000": "the tokens of the payload as exported, and the limit",
        "13k picked → 11k out": "what you picked, and what is left of it under the limit",
        "text + wrapping": "the texts themselves, and the headers around them",
        "┃": "where the limit is",
        "╱": "what was cut or left out, beyond the limit",
        "■ ▦ ▒ ▤ □ ▪": "agents, .context, catalog, entries, files, prompt",
    },
    "The payload": {
        "cut from 3,396": "its tokens before it was cut, and how much of its text is left",
        "header of 1,088": "cut down to its name, with no text left",
        "left out": "dropped as a whole, to keep the limit",
    },
}


class ManualPage(Screen[None]):
    """One page, scrolled with the movement keys. Other keys open the next and the previous page."""

    BINDINGS = bindings("page")
    NAME = "page"

    def __init__(self, topic: str) -> None:
        super().__init__()
        self._topic = topic

    def compose(self) -> ComposeResult:
        yield TitleLine(id="title")
        yield Page(id="manual")
        yield KeyBar("page")

    @on(Page.Resized)
    @work(exclusive=True, group="manual")
    async def lay_out(self) -> None:
        title, topic = self.query_one(TitleLine), self._topic
        title.left, title.right = f"Help   {topic}", f"page {TOPICS.index(topic) + 1} of {len(TOPICS)}"
        width = min(_WIDEST, self.query_one(Page).scrollable_content_region.width)
        lines = await asyncio.to_thread(lambda: render_markdown(page(topic), max(1, width)))
        if self.query(Page):
            self.query_one(Page).show(lines, topic)

    def _step(self, step: int) -> None:
        self._topic = TOPICS[(TOPICS.index(self._topic) + step) % len(TOPICS)]
        self.lay_out()

    action_next_tab = partialmethod(_step, 1)
    action_previous_tab = partialmethod(_step, -1)

    def action_close(self) -> None:
        self.dismiss(None)

    action_escape = action_close


class Help(ListScreen[Row, None]):
    """The command table with the keys in effect, and the manual."""

    BINDINGS = bindings("help")
    NAME = "help"
    TABS = ("first", "keys", "pages", "signs")

    def __init__(self, screen: str) -> None:
        super().__init__()
        self._of = screen

    def on_mount(self) -> None:
        self.show_tab()

    def body(self) -> ComposeResult:
        yield FoldRows(id="rows")

    def show_tab(self) -> None:
        rows = {"signs": _signs, "pages": _pages}.get(self.tab, self._keys)
        self.show(list(rows()), 0)

    def kept(self, items: Sequence[Row]) -> Sequence[Row]:
        """On the first tab, the first keys. Words are looked for among all keys."""
        if self.tab != "first" or self.typed.strip():
            return items
        more = f"{key_for(self, 'next_tab')} shows all keys, the pages of the manual, and the signs on the screen"
        return [*self._group("The first keys", useful_commands(self._of)), Row(heads=True), remark(more, "")]

    def _keys(self) -> Iterator[Row]:
        for title, commands in by_group(self._of):
            yield from self._group(title, commands)
        yield from (_title("Signs"), _line("", f"{_MARKS}    more on the tab of the signs", "Signs"))
        own = on_screen(self._of)
        for title, commands in by_group():
            others = [each for each in commands if each not in own and each.group != "move"]
            if others:
                yield from self._group(f"{title}{_ELSEWHERE}", others)

    def _group(self, title: str, commands: list[Command]) -> Iterator[Row]:
        keymap = keymap_of(self)
        yield _title(title)
        yield from (_line(key_names(keys_of(each, keymap)), each.help, title) for each in commands)

    def detail(self, item: Row) -> str:
        return " ".join(item.text.split())

    def action_enter(self) -> None:
        row = self.rows.current
        if row is not None and self.tab == "pages":
            self.app.push_screen(ManualPage(row.key))

    action_help = ListScreen.action_close


def _title(text: str) -> Row:
    return heading(text, words="")


def _line(name: str, about: str, *within: str, width: int = _KEY, key: str = "") -> Row:
    left = ((f"{name}{' ' * (width - cell_len(name))}  ", "accent"),)
    return remark(about, "", left=left, within=within, key=key)


def _pages() -> Iterator[Row]:
    yield from (_line(topic, summary(topic), width=_PAGE, key=topic) for topic in TOPICS)


def _signs() -> Iterator[Row]:
    for title, signs in _SIGNS.items():
        yield _title(title)
        yield from (_line(sign, about, title, width=_PAGE) for sign, about in signs.items())
