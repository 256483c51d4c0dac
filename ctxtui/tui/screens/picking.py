"""Picking: the keys that change what is picked, found and read."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from textual import on, work
from textual.worker import WorkerError

from ctxtui.core.markdown.task_filter import TASK_FILTERS
from ctxtui.core.wording import plural
from ctxtui.session.selection import Selection
from ctxtui.session.session import Session
from ctxtui.tui.keymap import key_for
from ctxtui.tui.screens.panels import PanelsScreen
from ctxtui.tui.widgets.context_tree import ContextTree
from ctxtui.tui.widgets.filter_input import FilterInput
from ctxtui.tui.widgets.lists import SectionList, StartList
from ctxtui.tui.widgets.page import Page
from ctxtui.tui.widgets.payload_list import PayloadList
from ctxtui.tui.widgets.rows import Rows


class PickingScreen(PanelsScreen):
    """Keys of the lists become other selections."""

    @property
    def focused_row(self) -> str | None:
        """The id of the row that keys like `space` and `p` mean."""
        if self.panel == "payload":
            return self.blocks.current.id if self.blocks.current else None
        if self.panel == "view" and self.view.tab == "sections":
            return self.view.sections.current_id
        return self.context_tree.current.id if self.context_tree.current else None

    def action_escape(self) -> None:
        """Leave the filter; escape never quits."""
        if self.context_tree.filtered is not None or self.query_one(FilterInput).has_class("-open"):
            self.clear_filter()
        elif self.has_class("-zoom"):
            self.remove_class("-zoom")

    def action_enter(self) -> None:
        """Read the row, or choose it, as the panel in focus does."""
        if isinstance(self.focused, Rows | Page):
            self.focused.action_enter()

    def action_pick(self) -> None:
        """Pick or drop the row."""
        row = self.focused_row
        if self.panel == "payload":
            return
        if self.panel == "view" and self.view.tab == "start":
            self.view.start.action_enter()
        elif row is not None:
            self.attempt(lambda session: session.toggle(row))

    def action_pick_shown(self) -> None:
        """Pick all rows shown, or drop them where all are picked."""
        nodes = [row.node.id for row in self.context_tree.rows]
        session = self.session
        if session is None or not nodes:
            return
        drops = all(session.state(id_) == "all" for id_ in nodes)
        self.attempt(lambda session: session.mark_rows(nodes, not drops))

    def action_drop(self) -> None:
        """Drop the row from the payload; a dropped prompt is removed."""
        row = self.focused_row
        if row == "(prompt)":
            self.attempt(lambda session: session.with_prompt(None))
        elif row is not None:
            self.attempt(lambda session: session.drop(row))

    def action_pin(self) -> None:
        """Pin the row, or let it go."""
        row = self.focused_row
        if row is None or self.session is None or row == "(prompt)":
            return
        node = self.session.workspace.find(row)
        ids = [each.id for each in node.documents()] if node and node.kind == "folder" else [row.partition("#")[0]]
        picks = [self.session.selection.find(id_) for id_ in ids]
        is_pinned = bool(picks) and all(pick is not None and pick.pinned for pick in picks)
        self.attempt(lambda session: session.pin(row, not is_pinned))

    def action_tasks(self) -> None:
        """Narrow the document to its open tasks, then to the other filters, then take all of it again."""
        row, session = self.focused_row, self.session
        if row is None or session is None or row.partition("#")[0] not in session.workspace.by_id:
            return
        pick = session.selection.find(row.partition("#")[0])
        steps = [None, *TASK_FILTERS]
        place = steps.index(pick.tasks if pick else None)
        following = steps[(place + 1) % len(steps)]
        self.attempt(lambda session: session.with_tasks(row, following))

    def action_move_up(self) -> None:
        """Move the pick up."""
        self._move(-1)

    def action_move_down(self) -> None:
        """Move the pick down."""
        self._move(1)

    def _move(self, offset: int) -> None:
        row = self.focused_row
        if row is not None:
            self.attempt(lambda session: session.move(row, offset))

    def action_undo(self) -> None:
        """Back to the selection before."""
        if self.session is not None:
            self._replace(self.history.undo(self.session.selection), "nothing to undo")

    def action_redo(self) -> None:
        """Forward again."""
        if self.session is not None:
            self._replace(self.history.redo(self.session.selection), "nothing to redo")

    def _replace(self, selection: Selection | None, nothing: str) -> None:
        if selection is None or self.session is None:
            self.notify(nothing)
        else:
            self.session = self.session.with_selection(selection)

    def action_filter(self) -> None:
        """Filter the tree."""
        self.show_panel("context")
        box = self.query_one(FilterInput)
        box.add_class("-open")
        box.focus()

    @on(FilterInput.Command)
    async def _filter_key(self, event: FilterInput.Command) -> None:
        if self.filtering is not None and event.name != "clear":
            # What was typed last must be on screen before a key means a row of it.
            with suppress(WorkerError):
                await self.filtering.wait()
        if event.name == "pick":
            node = self.context_tree.current
            if node is not None:
                self.attempt(lambda session: session.toggle(node.id))
                self.context_tree.action_down()
        elif event.name in ("down", "up"):
            getattr(self.context_tree, f"action_{event.name}")()
        elif event.name == "clear":
            self.clear_filter()
        else:
            self.context_tree.focus()

    def action_next_match(self) -> None:
        """The next match, or the next picked row."""
        self._step_match(1)

    def action_previous_match(self) -> None:
        """The match before, or the picked row before."""
        self._step_match(-1)

    def _step_match(self, step: int) -> None:
        rows, session = self.context_tree.rows, self.session
        if session is None or not rows:
            return
        for distance in range(1, len(rows) + 1):
            index = (self.context_tree.cursor + step * distance) % len(rows)
            if self.context_tree.filtered is not None or session.state(rows[index].node.id) != "none":
                self.context_tree.move(index)
                return

    def action_sort(self) -> None:
        """Sort by tokens, or back by path."""
        self.context_tree.by_tokens = not self.context_tree.by_tokens
        self.context_tree.rebuild()
        self.show_titles()

    @work(exclusive=True, group="scope")
    async def action_ignored(self) -> None:
        """Show or hide ignored files."""
        if self.session is None:
            return
        scope = self.session.workspace.scope
        scope = replace(scope, with_ignored=not scope.with_ignored)
        changed = await self.refresh_workspace(scope)
        words = "ignored files are shown" if scope.with_ignored else "ignored files are hidden"
        self.notify(words if changed else f"{words}; there are none")

    @work(exclusive=True, group="scope")
    async def action_reload(self) -> None:
        """Read the project again."""
        changed = await self.refresh_workspace()
        self.notify("read again: something changed" if changed else "read again: nothing changed")

    def action_sections(self) -> None:
        """The sections of the document."""
        node = self.current_node
        # At once: a key typed right after this one must not mean a section of the document before.
        self.view.sections.show(node.reference if node else None)
        self.view.tab = "sections"
        self.show_panel("view")

    def action_previous_tab(self) -> None:
        """The tab before."""
        self.view.step_tab(-1)

    def action_next_tab(self) -> None:
        """The next tab."""
        self.view.step_tab(1)

    def action_rendered(self) -> None:
        """Text raw or rendered."""
        self.is_rendered = not self.is_rendered
        self.refresh_view()

    def action_zoom(self) -> None:
        """One panel on the whole screen."""
        self.toggle_class("-zoom")

    def action_panel_1(self) -> None:
        """To the Context panel."""
        self.show_panel("context")

    def action_panel_2(self) -> None:
        """To the Payload panel."""
        self.show_panel("payload")

    def action_panel_3(self) -> None:
        """To the View panel."""
        self.show_panel("view")

    @on(Rows.Entered, "#tree")
    def _read(self, event: Rows.Entered) -> None:
        row = self.context_tree.rows[event.index]
        if row.node.kind == "folder":
            self.context_tree.set_open(row, not row.is_open)
        else:
            self.view.tab = "text"
            self.show_panel("view")

    @on(Rows.Entered, "#blocks")
    def _read_block(self) -> None:
        row, session = self.blocks.current, self.session
        node = session.workspace.find(row.id) if row and session else None
        if node is not None:
            self.context_tree.reveal(node)
        self.view.tab = "output"
        self.refresh_view()

    @on(Rows.Entered, "#start-list")
    def _pick_start(self, event: Rows.Entered) -> None:
        ids = self.view.start.rows[event.index].ids

        def pick_ids(session: Session) -> Session:
            for id_ in ids:
                session = session.pick(id_)
            return session

        if ids:
            self.attempt(pick_ids)
            self.notify(f"picked {plural(len(ids), 'file')}; {key_for(self, 'undo')} drops them again")

    @on(Rows.Entered, "#section-list")
    def _pick_section(self) -> None:
        self.action_pick()

    @on(Rows.MarkClicked)
    def _mark_clicked(self, event: Rows.MarkClicked) -> None:
        if isinstance(event.rows, ContextTree):
            node = event.rows.rows[event.index].node
            self.attempt(lambda session: session.toggle(node.id))
        elif isinstance(event.rows, SectionList | StartList | PayloadList):
            self.action_pick()
