"""The base of panels: actions on the row under the cursor."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partialmethod
from typing import Final, NamedTuple, Self

from textual import events
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView

from ctxtui.core.base.target import Target
from ctxtui.core.payload.types import PROMPT_ID, TREE_ID
from ctxtui.core.text.notebook import is_notebook
from ctxtui.session.figures import Figures
from ctxtui.session.pick_state import task_filters
from ctxtui.session.picks import QueryPick
from ctxtui.session.queries.notebook_picks import outputs_query, with_outputs
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.desk import AT_ONCE, Desk
from ctxtui.workspace.tree import Node

# A change that reads and parses files takes as long as one of many documents.
_READS: Final = AT_ONCE + 1


class About(NamedTuple):
    """The subject of View: a node of the tree, a query, or both if the query's row has no node.

    `block` is the id of the payload's block under the cursor, if that list was focused last.
    """

    node: Node | None = None
    query: QueryPick | None = None
    block: str = ""


class Panel(Vertical):
    """Knows the row that keys like `p` act on while the panel has the focus."""

    session: reactive[Session | None] = reactive(None, repaint=False)
    figures: reactive[Figures] = reactive(Figures, repaint=False)

    def __init__(self, desk: Desk, *, id: str) -> None:  # noqa: A002
        self._only_border = False
        super().__init__(id=id, classes="panel")
        self.desk = desk
        # The side whose border is dragged: -1 left, 1 right, 0 none.
        self._edge = 0

    @dataclass
    class Resized(Message):
        """The user dragged the border of a panel by some columns. Positive is wider."""

        panel: Panel
        columns: int

    def on_mouse_down(self, event: events.MouseDown) -> None:
        x, width = event.screen_x - self.region.x, self.region.width
        self._edge = -1 if x == 0 else 1 if x == width - 1 else 0
        if self._edge:
            self.capture_mouse()
            event.stop()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._edge:
            border = self.region.x if self._edge < 0 else self.region.right - 1
            if event.screen_x != border:
                self.post_message(self.Resized(self, (event.screen_x - border) * self._edge))

    def on_mouse_up(self) -> None:
        if self._edge:
            self._edge = 0
            self.release_mouse()

    def set_titles(self, title: str | None = None, subtitle: str | None = None) -> None:
        """Write untrusted texts on the border. None keeps a text. Only the border's two lines are drawn again."""
        self._only_border = True
        if title is not None:
            self.border_title = Content(shown.line(title))
        if subtitle is not None:
            self.border_subtitle = Content(shown.line(subtitle))
        self._only_border = False

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Draw some regions again, by default everything, but only the border while titles are written."""
        if self._only_border and not regions:
            width, height = self.size
            regions = (Region(-1, -1, width + 2, 1), Region(-1, height, width + 2, 1))
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    @property
    def row(self) -> str | None:
        """The id of the row that keys act on, None without rows."""
        raise NotImplementedError

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel on the border, or on a line above the list, scrolls the list."""
        self._scroll_by_wheel(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._scroll_by_wheel(event, -1)

    def _scroll_by_wheel(self, event: events.MouseScrollDown | events.MouseScrollUp, step: int) -> None:
        event.stop()
        for scrolled in self.query(ScrollView):
            if scrolled.is_on_screen:
                scrolled.scroll_relative(y=step * self.app.scroll_sensitivity_y, animate=False)
                return

    def action_drop(self) -> None:
        row = self.row
        if row == PROMPT_ID:
            self.desk.attempt(lambda session: session.with_prompt(None))
        elif row == TREE_ID:
            self.desk.attempt(lambda session: session.with_tree(None))
        elif row is not None:
            self.desk.attempt(lambda session: session.drop(row), self._most_documents(row))

    def action_pin(self) -> None:
        """Pin the row's document or the documents of its folder, or unpin them if all are pinned."""
        row = self.row
        if row is None or row in (PROMPT_ID, TREE_ID):
            return
        session = self.desk.now
        node = session.workspace.find(row)
        ids = (
            [each.id for each in node.documents()] if node and node.kind == "folder" else [Target.parse(row).document]
        )
        picks = [session.selection.document_pick(id_) for id_ in ids]
        is_pinned = bool(picks) and all(pick is not None and pick.pinned for pick in picks)
        self.desk.attempt(lambda session: session.pin(row, not is_pinned))

    def action_tasks(self) -> None:
        """Pick a document's tasks by the next filter: open tasks, each other filter that keeps any, then all."""
        document = Target.parse(self.row or "").document
        if not document or document not in self.desk.now.workspace.by_id:
            return
        session = self.desk.now
        document = session.workspace.by_id[document].id
        pick = session.selection.document_pick(document)

        def narrow(session: Session) -> Session:
            steps = [None, *task_filters(session.workspace, session.selection, document)]
            place = steps.index(pick.tasks) if pick and pick.tasks in steps else -1 if pick and pick.tasks else 0
            return session.with_tasks(document, steps[(place + 1) % len(steps)])

        self.desk.attempt(narrow)

    def action_outline(self) -> None:
        """Pick the outline of code, or the whole again. Of a notebook, pick or drop the outputs instead."""
        row = self.row
        node = self.desk.now.workspace.find(row) if row is not None else None
        if row is None or node is None:
            return
        session = self.desk.now
        owner = Target.parse(row).document
        if node.kind == "folder":
            picks = [session.selection.document_pick(each.id) for each in node.documents()]
            is_outlined = any(pick is not None and pick.outline for pick in picks)
            self.desk.attempt(lambda session: session.outline(node.id, not is_outlined), _READS)
            return
        if is_notebook(session.workspace.require(owner).path):
            outputs = outputs_query(owner)
            is_picked = session.selection.other_pick(outputs) is not None
            self.desk.attempt(
                lambda session: session.drop(outputs) if is_picked else with_outputs(session, owner), _READS
            )
            return
        pick = session.selection.document_pick(owner)
        if node.part is not None and pick is not None and pick.outline:
            self._toggle(row)
        else:
            self.desk.attempt(lambda session: session.outline(owner, pick is None or not pick.outline))

    def _move(self, offset: int) -> None:
        row = self.row
        if row is not None:
            self.desk.attempt(lambda session: session.move(row, offset))

    action_move_up = partialmethod(_move, -1)
    action_move_down = partialmethod(_move, 1)

    def _toggle(self, row: str | None) -> None:
        if row is not None:
            self.desk.attempt(lambda session: session.toggle(row), self._most_documents(row))

    def _most_documents(self, row: str) -> int:
        """The most documents that a change of a row can touch: all below its node."""
        node = self.desk.now.workspace.find(row)
        return node.count_below if node is not None else 1
