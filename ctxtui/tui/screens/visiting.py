"""Visiting: the keys that open other screens, and what comes back from them."""

from __future__ import annotations

import asyncio
import shlex
import subprocess
from functools import cached_property

from textual import on, work

from ctxtui.core.errors import ContextError
from ctxtui.core.plain import plain
from ctxtui.session.prompt_search import Prompter
from ctxtui.tui.screens.detect import Detect
from ctxtui.tui.screens.dialogs import Choose
from ctxtui.tui.screens.entries import Entries
from ctxtui.tui.screens.help import Help
from ctxtui.tui.screens.picking import PickingScreen
from ctxtui.tui.screens.problems import Problems
from ctxtui.tui.screens.search import Search
from ctxtui.tui.widgets.page import Page
from ctxtui.workspace.detect import Detector
from ctxtui.workspace.links import Lead, leads


class VisitingScreen(PickingScreen):
    """Other screens lie over this one; they change the selection, or say where to go."""

    _asked = ("meta", "")

    @cached_property
    def prompter(self) -> Prompter:
        """What answers prompts: the project's index, and the user's servers."""
        return Prompter(self.launch.engines)

    def stop_background(self) -> None:
        """End engines as well."""
        super().stop_background()
        if "prompter" in vars(self):
            self.prompter.close()

    def go_to(self, id_: str) -> None:
        """Show a document or section in the tree."""
        node = self.session.workspace.find(id_) if self.session is not None else None
        if node is not None:
            self.clear_filter()
            self.context_tree.reveal(node)
            self.view.tab = "text"
            self.show_panel("context")

    @work(exclusive=True, group="dialog")
    async def action_search(self) -> None:
        """Search metadata and texts."""
        if self.session is None:
            return
        screen = Search(self, self.prompter, *self._asked)
        found = await self.app.push_screen_wait(screen)
        self._asked = screen.state
        if found is not None:
            self.go_to(found)

    @work(exclusive=True, group="dialog")
    async def action_detect(self) -> None:
        """Walk the loading protocol of a catalog."""
        session = self.session
        if session is None:
            return
        found = await self.app.push_screen_wait(Detect(self, Detector(session.workspace, session.budget.counter)))
        if found is not None:
            self.go_to(found)

    @work(exclusive=True, group="dialog")
    async def action_audit(self) -> None:
        """What agents load, what it costs, what is wrong."""
        if self.session is None:
            return
        # The audit and its rules are loaded by those who audit.
        from ctxtui.tui.screens.audit import Audit  # noqa: PLC0415

        found = await self.app.push_screen_wait(Audit(self))
        if found is not None:
            self._go_to_line(*found)

    def _go_to_line(self, path: str, line: int | None) -> None:
        """Show the section of a file that holds a line."""
        if self.session is None:
            return
        if path.startswith("id:"):
            self.go_to(path.removeprefix("id:"))
            return
        reference = self.session.workspace.by_path.get(path)
        if reference is None:
            self.notify(plain(f"{path} is no context file of this project"), severity="warning", markup=False)
            return
        try:
            parts = self.session.workspace.document(reference).parts if line is not None else ()
        except ContextError:
            parts = ()
        below = [part for part in parts if part.line < (line or 0)]
        self.go_to(f"{reference.id}#{below[-1].slug}" if below else reference.id)

    @work(exclusive=True, group="dialog")
    async def action_entries(self) -> None:
        """Read, write and pick business entries."""
        if self.session is None:
            return
        found = await self.app.push_screen_wait(Entries(self))
        if found is not None:
            self.go_to(found)

    @work(exclusive=True, group="dialog")
    async def action_links(self) -> None:
        """Follow a trigger or a link of the document."""
        session, node = self.session, self.current_node
        if session is None or node is None or node.reference is None:
            return
        try:
            found = await asyncio.to_thread(leads, session.workspace, node.reference)
        except ContextError as error:
            self.complain(error)
            return
        named = {f"{lead.kind} {lead.label}": lead for lead in found}
        choices = [(name, lead.reason if lead.target else f"nowhere: {lead.reason}") for name, lead in named.items()]
        title = f"Follow from {node.reference.id}"
        name = await self.app.push_screen_wait(Choose(title, lambda: choices, "no links and no triggers"))
        if name is not None:
            self._follow(named[name])

    def _follow(self, lead: Lead) -> None:
        if lead.target is None:
            self.notify(plain(f"{lead.label} leads nowhere: {lead.reason}"), severity="warning", markup=False)
        else:
            self.go_to(lead.target)

    @on(Page.Entered)
    def _entered_page(self) -> None:
        if self.view.tab == "reference":
            self.action_links()

    @work(exclusive=True, group="dialog")
    async def action_problems(self) -> None:
        """What was found wrong."""
        problem = await self.app.push_screen_wait(Problems(self.problems))
        if problem is None or problem.path is None or self.session is None:
            return
        reference = self.session.workspace.by_path.get(problem.path)
        if reference is not None:
            self.go_to(reference.id)

    def action_editor(self) -> None:
        """Open the editor at the file and line."""
        node = self.current_node
        if node is None or node.reference is None or self.session is None:
            return
        if not self.launch.editor:
            self.notify("no editor: set EDITOR, or `editor` in your own configuration", severity="warning")
            return
        line = node.part.line + 1 if node.part else 1
        try:
            path = self.session.workspace.reader.root.resolve(node.reference.path)
        except ContextError as error:
            self.complain(error)
            return
        words = [*shlex.split(self.launch.editor), f"+{line}", str(path)]
        try:
            with self.app.suspend():
                subprocess.run(words, check=False)  # noqa: S603 - the user's own editor, never a project's
        except OSError as error:
            self.notify(plain(f"{words[0]} cannot be started: {error.strerror}"), severity="error", markup=False)
        self.refresh()

    def action_palette(self) -> None:
        """Find a command by its name."""
        self.app.action_command_palette()

    def action_help(self) -> None:
        """All keys."""
        self.app.push_screen(Help("main"))
