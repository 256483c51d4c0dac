"""Help: the keys of a screen, then those of all others; and the pages of the manual."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType

from ctxtui.core.manual import TOPICS, summary
from ctxtui.tui.bindings import bindings
from ctxtui.tui.commands import Command, by_group, keys_of, on_screen
from ctxtui.tui.key_names import key_names
from ctxtui.tui.keymap import keymap_of
from ctxtui.tui.screens.list_screen import ListScreen
from ctxtui.tui.screens.manual_page import ManualPage
from ctxtui.tui.widgets.item_rows import Drawn

_MARKS = "● all  ◐ part  ○ none    ~ not counted yet  ≈ an estimate, with its band    * pinned"

_IN_THE_TREE = "▲2 findings, errors among them  △2 only warnings    M A R D ? changes in git  • a folder with some"


@dataclass(frozen=True, slots=True)
class HelpRow:
    """A heading, or a key or page with its description."""

    name: str
    about: str = ""
    is_heading: bool = False


class Help(ListScreen[HelpRow, None]):
    """The command table with the keys in effect, and the manual."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("help")
    NAME: ClassVar[str] = "help"
    TABS: ClassVar[tuple[str, ...]] = ("keys", "pages")
    PLACEHOLDER: ClassVar[str] = "words to find"

    def __init__(self, screen: str) -> None:
        super().__init__()
        self._of = screen

    def on_mount(self) -> None:
        """Show the keys."""
        self.show_tab()

    def show_tab(self) -> None:
        """Show the keys or the pages."""
        self.show(list(self._keys()) if self.tab == "keys" else [HelpRow(each, summary(each)) for each in TOPICS], 0)

    def _keys(self) -> Iterator[HelpRow]:
        for title, commands in by_group(self._of):
            yield from self._group(title, commands)
        yield from (HelpRow("Signs", is_heading=True), HelpRow("", _MARKS), HelpRow("", _IN_THE_TREE))
        own = on_screen(self._of)
        for title, commands in by_group():
            others = [command for command in commands if command not in own]
            if others:
                yield from self._group(f"{title} (on other screens)", others)

    def _group(self, title: str, commands: list[Command]) -> Iterator[HelpRow]:
        keymap = keymap_of(self)
        yield HelpRow(title, is_heading=True)
        yield from (HelpRow(key_names(keys_of(each, keymap)), each.help) for each in commands)

    def drawn(self, item: HelpRow) -> Drawn:
        """The key or page, and its description."""
        if item.is_heading:
            return [(item.name, "strong")], []
        width = 12 if self.tab == "keys" else max(map(len, TOPICS))
        return [(f"  {item.name:<{width}}  ", "accent"), (item.about, "")], []

    def text_of(self, item: HelpRow) -> str:
        """Key and help, or topic and summary."""
        return f"{item.name} {item.about}"

    def is_heading(self, item: HelpRow) -> bool:
        """Groups are headings of their keys."""
        return item.is_heading

    def detail(self, item: HelpRow) -> str:
        """The whole row, which a narrow screen cuts off."""
        return f"{item.name}  {item.about}".strip()

    def action_enter(self) -> None:
        """Read the page."""
        row = self.rows.current
        if row is not None and self.tab == "pages":
            self.app.push_screen(ManualPage(row.name))

    def action_help(self) -> None:
        """Go back to the screen that opened the help."""
        self.action_close()
