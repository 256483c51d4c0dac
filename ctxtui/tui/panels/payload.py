"""The Payload panel: the blocks in order."""

from __future__ import annotations

from collections import Counter

from textual import getters, on
from textual.app import ComposeResult

from ctxtui.core.base.target import Target
from ctxtui.core.base.wording import plural, some
from ctxtui.session.picks import Pick, QueryPick, SnippetPick
from ctxtui.tui import shown
from ctxtui.tui.desk import Desk
from ctxtui.tui.keys.keymap import bindings, key_for
from ctxtui.tui.panels.panel import About, Panel
from ctxtui.tui.widgets.payload_list import FOUND, PayloadList
from ctxtui.tui.widgets.rows import Rows

_TOLD = 2
# Headers without text take too much from a tenth of the limit on.
_TENTH = 10


class PayloadPanel(Panel):
    BINDINGS = bindings("payload")

    blocks = getters.query_one("#blocks", PayloadList)

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, id="payload")
        self.add_class("-empty")
        self.border_title = "2 Payload"
        # The tokens picked beyond the limit, and the remedy if headers without text take much of it.
        self._over, self._offer = 0, ""

    def compose(self) -> ComposeResult:
        yield PayloadList(id="blocks").data_bind(PayloadPanel.session, PayloadPanel.figures)

    # A picked row is dropped by the key that picks.
    action_pick = Panel.action_drop

    @property
    def has_picks(self) -> bool:
        """Whether something is picked. If nothing is, names and the map take the panel's place."""
        return not self.has_class("-empty")

    @property
    def row(self) -> str | None:
        return self.blocks.current.id if self.blocks.current else None

    @property
    def about(self) -> About:
        """The document of the block under the cursor, and its query if the block is an answer."""
        row = self.row
        if row is None:
            return About()
        session = self.desk.now
        pick = session.selection.other_pick(row)
        if isinstance(pick, QueryPick):
            node = session.workspace.find(Target.of_block(row).section)
            # A block with a document shows the document, others show the whole answer.
            answer = session.answers.get(pick.definition)
            return About(node, None, row) if node and answer and answer.picks else About(None, pick, row)
        node = session.workspace.find(pick.document if isinstance(pick, SnippetPick) else row)
        return About(node, None, row)

    def watch_figures(self) -> None:
        """Write the title, and warn once if headers take more than a tenth of the room."""
        layout, session = self.figures.layout, self.session
        if session is None or layout is None:
            return
        blocks = sum(block.state != "dropped" for block in layout.blocks)
        size = f"{plural(blocks, 'block')} ── {shown.of_payload(layout, session.budget.counter)}"
        self._over = max(0, layout.wanted - (session.budget.effective or layout.wanted))
        headers = sum(block.tokens for block in layout.blocks if block.state == "header")
        was, self._offer = self._offer, ""
        if headers * _TENTH > (session.budget.effective or layout.wanted):
            self._offer = f"{key_for(self, 'fit')} leaves out whole files · {headers:,} tokens are headers only"
            if not was:
                self.desk.tell(self._offer, "warning")
        self.set_titles(f"2 Payload ── {size}" if layout.blocks else "2 Payload", self._remark)

    @on(Rows.Moved)
    def _show_remark(self) -> None:
        self.set_titles(subtitle=self._remark)

    @property
    def _remark(self) -> str:
        """A remark: a remedy for many headers, why the current block is cut, or the matches of patterns."""
        block = self.blocks.current.block if self.blocks.current else None
        if self._offer or block is None or block.state == "whole":
            return self._offer or self._found
        return f"picked {self._over:,} over the limit · {key_for(self, 'pin')} keeps this block whole"

    @property
    def _found(self) -> str:
        """A summary of the matches of patterns: `› 14 of src/**/*.py`."""
        if self.session is None or not self.session.selection.patterns:
            return ""
        selection = self.session.selection
        files = Counter(pick.of for pick in selection.picks if isinstance(pick, Pick) and pick.of)
        told = [f"{files[pick.id]:,} of {pick.pattern}" for pick in selection.patterns]
        return f"{FOUND} {some(told, _TOLD)}"
