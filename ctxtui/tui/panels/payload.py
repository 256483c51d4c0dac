"""The Payload panel: the blocks in order."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from textual import getters
from textual.app import ComposeResult
from textual.binding import BindingType

from ctxtui.core.base.target import Target
from ctxtui.core.base.wording import plural
from ctxtui.core.payload.types import Payload
from ctxtui.session.picks import Pick, QueryPick, SnippetPick
from ctxtui.tui import shown
from ctxtui.tui.desk import Desk
from ctxtui.tui.keys.keymap import bindings, key_for
from ctxtui.tui.panels.panel import About, Panel
from ctxtui.tui.widgets.payload_list import FOUND, PayloadList

_TOLD = 2


class PayloadPanel(Panel):
    BINDINGS: ClassVar[list[BindingType]] = bindings("payload")

    blocks = getters.query_one("#blocks", PayloadList)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, id="payload")
        self.border_title = "2 Payload"

    def compose(self) -> ComposeResult:
        yield PayloadList(id="blocks").data_bind(PayloadPanel.session, PayloadPanel.figures)

    @property
    def row(self) -> str | None:
        return self.blocks.current.id if self.blocks.current else None

    @property
    def about(self) -> About:
        """The document of the block under the cursor, and its query if the block is an answer."""
        row, session = self.row, self.desk.session
        if row is None or session is None:
            return About()
        pick = session.selection.beside(row)
        if isinstance(pick, QueryPick):
            node = session.workspace.find(Target.of_block(row).section)
            # A block with a document shows the document, others show the whole answer.
            answer = session.answers.get(pick.definition)
            return About(node) if node and answer and answer.picks else About(None, pick)
        return About(session.workspace.find(pick.document if isinstance(pick, SnippetPick) else row))

    def watch_figures(self) -> None:
        layout = self.figures.layout
        if self.session is not None and layout is not None:
            blocks = sum(block.state != "dropped" for block in layout.blocks)
            counter = self.session.budget.counter
            size = f"{plural(blocks, 'block')} ── {shown.number(layout.tokens, counter)}"
            self.set_titles(
                f"2 Payload ── {size}" if layout.blocks else "2 Payload", self._hollow(layout) or self._found
            )

    @property
    def _found(self) -> str:
        """A summary of the matches of patterns: `› 14 of src/**/*.py`."""
        if self.session is None or not self.session.selection.patterns:
            return ""
        selection = self.session.selection
        files = Counter(pick.of for pick in selection.picks if isinstance(pick, Pick) and pick.of)
        patterns = [(pick.pattern, files[pick.id]) for pick in selection.patterns]
        told = ", ".join(f"{count:,} of {shown.line(pattern)}" for pattern, count in patterns[:_TOLD])
        more = f" and {len(patterns) - _TOLD} more" if len(patterns) > _TOLD else ""
        return f"{FOUND} {told}{more}"

    def _hollow(self, layout: Payload) -> str:
        """The remedy if cutting leaves headers without text."""
        hollow = sum(block.state == "header" for block in layout.blocks)
        if not hollow:
            return ""
        return f"{plural(hollow, 'block')} without text · {key_for(self, 'fit')} leaves out whole ones"
