"""Problems: what was found wrong with the files, each with its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from ctxtui.core.notices import Notice
from ctxtui.core.wording import plural
from ctxtui.tui import shown
from ctxtui.tui.bindings import bindings
from ctxtui.tui.screens.overlay import Overlay
from ctxtui.tui.widgets.key_bar import KeyBar
from ctxtui.tui.widgets.rows import Cell, Rows


class ProblemList(Rows):
    """One problem a row."""

    def __init__(self, problems: Sequence[Notice]) -> None:
        super().__init__(id="problem-list")
        self.problems = problems

    def on_mount(self) -> None:
        """Show them."""
        self.set_count(len(self.problems), 0)

    def row(self, index: int) -> tuple[Sequence[Cell], Sequence[Cell]]:
        """Place and message."""
        problem = self.problems[index]
        place = shown.line(problem.path or "")
        if problem.line is not None:
            place += f":{problem.line}"
        return [(f"{place}  " if place else "", "accent"), (shown.line(problem.message), "")], []


class Problems(Overlay[Notice]):
    """All problems; enter goes to the file."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("problems")
    NAME: ClassVar[str] = "problems"

    def __init__(self, problems: Sequence[Notice]) -> None:
        super().__init__()
        self._problems = problems

    def compose(self) -> ComposeResult:
        """The list, the whole message of the row under the cursor, or a word of peace."""
        count = len(self._problems)
        with Vertical(classes="dialog -full"):
            yield Static(Content(plural(count, "problem")), classes="dialog-title")
            yield ProblemList(self._problems)
            yield Static(
                Content("" if count else "Nothing is wrong with the files of this project."), id="problem-text"
            )
            yield KeyBar("problems")

    def on_mount(self) -> None:
        """Keys go to the list."""
        self.query_one(ProblemList).focus()

    def on_rows_moved(self, event: Rows.Moved) -> None:
        """Show the whole message."""
        if self._problems:
            self.query_one("#problem-text", Static).update(shown.content(str(self._problems[event.index])))

    def action_problems(self) -> None:
        """Back to the main screen."""
        self.dismiss(None)

    @on(Rows.Entered)
    def action_enter(self) -> None:
        """Go to the file of a problem."""
        if self._problems:
            self.dismiss(self._problems[self.query_one(ProblemList).cursor])
