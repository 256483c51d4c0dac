"""The main screen: what every key of the command table does."""

from __future__ import annotations

import asyncio
import shlex
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.worker import WorkerError

from ctxtui.core.assembly import Over
from ctxtui.core.errors import ContextError
from ctxtui.core.formats import FORMATS
from ctxtui.core.plain import plain
from ctxtui.core.sizes import parse_tokens
from ctxtui.session.recipe import recipe_names, recipe_path, save_recipe
from ctxtui.session.restore import from_recipe
from ctxtui.session.session import Selection, Session
from ctxtui.tui import delivery
from ctxtui.tui.commands import COMMANDS, bindings
from ctxtui.tui.outcome import Outcome
from ctxtui.tui.screens.dialogs import Ask, Choose, Confirm, WritePrompt
from ctxtui.tui.screens.help import Help
from ctxtui.tui.screens.panels import PanelsScreen
from ctxtui.tui.screens.problems import Problems
from ctxtui.tui.widgets.context_tree import ContextTree
from ctxtui.tui.widgets.filter_input import FilterInput
from ctxtui.tui.widgets.lists import SectionList, StartList
from ctxtui.tui.widgets.payload_list import PayloadList
from ctxtui.tui.widgets.rows import Rows

_EXACT = {
    "o200k_base": "exact, GPT-4o and later",
    "cl100k_base": "exact, GPT-4",
    "heuristic": "four characters a token",
}


class MainScreen(PanelsScreen):
    """Keys become other sessions, dialogs or messages."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(COMMANDS), Binding("escape", "escape", "back", show=False)]

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

        def pick_all(start: Session) -> Session:
            for id_ in nodes:
                start = start.drop(id_) if drops else start.pick(id_)
            return start

        self.attempt(pick_all)

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
        pick = self.session.selection.find(row.partition("#")[0])
        self.attempt(lambda session: session.pin(row, not (pick and pick.pinned)))

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
        self.watch_figures()

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
            self.notify(f"picked {len(ids)} file{'s' if len(ids) != 1 else ''}; u drops them again")

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

    @work(exclusive=True, group="dialog")
    async def action_budget(self) -> None:
        """Set the limit."""
        if self.session is None:
            return
        limit = self.session.budget.limit
        answer = await self.app.push_screen_wait(
            Ask("Budget in tokens", "12000 or 12k; empty for no limit", str(limit or ""), _budget_complaint)
        )
        if answer is not None:
            self.attempt(lambda session: session.with_budget(answer.strip() or None))

    @work(exclusive=True, group="dialog")
    async def action_model(self) -> None:
        """Choose a model or a tokenizer."""
        choices = await asyncio.to_thread(_model_choices)
        name = await self.app.push_screen_wait(Choose("Model or tokenizer", choices))
        if name is None:
            return
        if name in _EXACT:
            self.attempt(lambda session: session.with_budget(tokenizer=name))
        else:
            self.attempt(lambda session: session.with_budget(model=name))

    def action_format(self) -> None:
        """The next export format."""
        names = list(FORMATS)
        self.attempt(
            lambda session: session.with_output(
                format=names[(names.index(session.selection.format) + 1) % len(names)]
            )
        )

    def action_fit(self) -> None:
        """Over the limit, cut texts or leave whole documents out."""
        if self.session is None:
            return
        over: Over = "cut" if self.session.selection.over == "fit" else "fit"
        self.attempt(lambda session: session.with_output(over=over))
        limit = self.session.budget.effective
        words = "fit: what does not fit is left out whole" if over == "fit" else "cut: texts go down the ladder"
        self.notify(words if limit is not None else f"{words} (no limit yet: b sets one)")

    @work(exclusive=True, group="dialog")
    async def action_prompt(self) -> None:
        """Write the prompt block."""
        if self.session is None:
            return
        prompt = await self.app.push_screen_wait(WritePrompt(self.session.selection.prompt))
        if prompt is not None:
            self.attempt(lambda session: session.with_prompt(prompt.text, prompt.position))

    @work(exclusive=True, group="dialog")
    async def action_export(self) -> None:
        """Write the payload to a file, or send it where a pipe or a command waits."""
        session = self.session
        if session is None:
            return
        if self.launch.is_piped or self.launch.command:
            await self._finish(Outcome("accepted", session))
            return
        title = "Export to a file"
        answer = await self.app.push_screen_wait(
            Ask(title, "the folder is the one you started in", delivery.suggested_name(session), _path_complaint)
        )
        if answer is None:
            return
        path = Path(answer.strip()).expanduser()
        if path.exists() and not await self.app.push_screen_wait(Confirm(f"{path} exists. Write over it?")):
            return
        await self._deliver(lambda: delivery.write_to(session, path))

    @work(exclusive=True, group="dialog")
    async def action_copy(self) -> None:
        """Copy the payload."""
        session = self.session
        if session is not None:
            await self._deliver(lambda: delivery.copy_out(session))

    async def _deliver(self, do: Callable[[], str]) -> None:
        try:
            message = await asyncio.to_thread(do)
        except ContextError as error:
            self.complain(error)
        else:
            self.notify(plain(message), markup=False, timeout=8)

    async def _finish(self, outcome: Outcome) -> None:
        """End with an outcome, unless the payload may not leave."""
        if outcome.session is None:
            return
        try:
            await asyncio.to_thread(delivery.finished, outcome.session)
        except ContextError as error:
            self.complain(error)
        else:
            self.app.exit(outcome)

    @work(exclusive=True, group="dialog")
    async def action_run(self) -> None:
        """Quit and give the payload to a command."""
        session = self.session
        answer = await self.app.push_screen_wait(
            Ask("Run a command with the payload on its stdin", "the app ends first")
        )
        if answer and answer.strip() and session is not None:
            await self._finish(Outcome("run", session, answer))

    @work(exclusive=True, group="dialog")
    async def action_save(self) -> None:
        """Save the selection as a recipe."""
        session = self.session
        if session is None:
            return
        root = session.workspace.root

        def complaint(name: str) -> str | None:
            recipe_path(root, name.strip())
            return None

        hint = "written to .ctxtui/recipes, meant for git"
        answer = await self.app.push_screen_wait(Ask("Save as recipe", hint, self.recipe_name or "", complaint))
        if answer is None:
            return
        name = answer.strip()
        exists = recipe_path(root, name).exists() and name != self.recipe_name
        if exists and not await self.app.push_screen_wait(Confirm(f"The recipe {name} exists. Write over it?")):
            return
        try:
            path = await asyncio.to_thread(save_recipe, session, name)
        except ContextError as error:
            self.complain(error)
            return
        self.recipe_name, self.recipe_selection = name, session.selection
        self.changed_ids = frozenset()
        self._mark_recipe(session)
        self.save(session)
        self.notify(plain(f"saved {path.relative_to(root)}; ctxtui build {name} makes it again"), markup=False)

    @work(exclusive=True, group="dialog")
    async def action_open(self) -> None:
        """Open a recipe."""
        if self.session is None:
            return
        names = recipe_names(self.session.workspace.root)
        name = await self.app.push_screen_wait(
            Choose("Open a recipe", [(each, "") for each in names], "no recipes yet; w saves one")
        )
        if name is None or self.session is None:
            return
        try:
            restored = await asyncio.to_thread(from_recipe, self.session, name)
        except ContextError as error:
            self.complain(error)
            return
        self.recipe_name, self.recipe_selection = name, restored.recipe_selection
        self.changed_ids = restored.changed
        self.change(restored.session)
        self._mark_recipe(restored.session)
        self.notify(plain(restored.message), markup=False)

    @work(exclusive=True, group="dialog")
    async def action_problems(self) -> None:
        """What was found wrong."""
        problem = await self.app.push_screen_wait(Problems(self.problems))
        if problem is None or problem.path is None or self.session is None:
            return
        reference = self.session.workspace.by_path.get(problem.path)
        node = self.session.workspace.find(reference.id) if reference else None
        if node is not None:
            self.context_tree.reveal(node)
            self.show_panel("context")

    def action_editor(self) -> None:
        """Open the editor at the file and line."""
        node = self.current_node
        if node is None or node.reference is None or self.session is None:
            return
        if not self.launch.editor:
            self.notify("no editor: set EDITOR, or `editor` in your own configuration", severity="warning")
            return
        line = node.part.line + 1 if node.part else 1
        path = self.session.workspace.root / node.reference.path
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
        self.app.push_screen(Help(self.launch.keys or {}))

    def action_quit(self) -> None:
        """Quit; the selection is kept."""
        self.app.exit(Outcome("quit", self.session))


def _budget_complaint(text: str) -> str | None:
    if text.strip():
        parse_tokens(text)
    return None


def _path_complaint(text: str) -> str | None:
    if not text.strip():
        return "name a file"
    path = Path(text.strip()).expanduser()
    return f"{path} is a folder" if path.is_dir() else None


def _model_choices() -> list[tuple[str, str]]:
    # Price data take a quarter of a second to import; only this dialog lists all models.
    from ctxtui.core.tokens.models import estimate_for, models  # noqa: PLC0415

    choices = list(_EXACT.items())
    for model in models():
        estimate = estimate_for(model.name)
        kind = f"≈ ×{estimate.ratio:.2f}" if estimate else "exact"
        window = f"{model.window:,} window" if model.window else ""
        choices.append((model.name, "  ".join(filter(None, (model.provider, kind, window)))))
    return choices
