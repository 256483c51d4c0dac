"""The desk: holds the session and runs its background work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TypeVar

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.plain import plain
from ctxtui.core.payload.types import Prompt
from ctxtui.session.figures import Figures, totals
from ctxtui.session.saved.app_state import saved_opened
from ctxtui.session.saved.autosave import Restored
from ctxtui.session.selection import Selection
from ctxtui.session.session import Session
from ctxtui.tui.launch import Launch
from ctxtui.tui.work.background import Host, Severity
from ctxtui.tui.work.changes import GitChanges
from ctxtui.tui.work.count import Counting
from ctxtui.tui.work.findings import Findings
from ctxtui.tui.work.measure import measured, price_of, refine
from ctxtui.tui.work.reload import ChangedPicks, new_answers, reload_words, reload_workspace, watch
from ctxtui.tui.work.selections import History, Saver
from ctxtui.workspace.opening.user_files import CODE as HOME_CODE
from ctxtui.workspace.scope import Scope
from ctxtui.workspace.tree import Node
from ctxtui.workspace.workspace import Workspace

Result = TypeVar("Result")
Make = Callable[[Session], Session]
_WATCH_TRIES = 5

AT_ONCE = 5_000
"""Changes of more documents take noticeably long."""


class Desk:
    """Holds the session. User actions replace it through `change` only. Everything else follows from the session."""

    def __init__(self, host: Host, launch: Launch) -> None:
        self.launch = launch
        self.session: Session | None = None
        self.figures = Figures()
        self.is_behind = False
        """Whether the figures are those of an earlier session."""
        self.price: Decimal | None = None
        """The price of the payload in dollars, None without a model."""
        self.history = History()
        self.recipe_name: str | None = None
        self.recipe_version = ""
        self.opened: frozenset[str] | None = None
        """The rows of the tree that were open at the last start, None if nobody opened or closed any."""
        self.cwd = ""
        """The folder where agents start, relative to the root."""
        self.changed_picks = ChangedPicks()
        self.prompt_draft: Prompt | None = None
        """A prompt block that the user typed and left without saving."""
        self.refused: set[str] = set()
        """The digests of refused templates."""
        self._host = host
        self._recipe_selection: Selection | None = None
        self._saver: Saver | None = None
        self.git = GitChanges(host, self._show_again)
        self.findings = Findings(host, self._show_again, self._all_notices)
        self.counting = Counting(host, self._show_totals)
        self._reloading = asyncio.Lock()
        self._changing = asyncio.Lock()
        # The changes begun in threads, each in a group of its own.
        self._changes_begun = 0
        self._stop_watching = asyncio.Event()

    @property
    def now(self) -> Session:
        """The session of an open project. Raises AssertionError before the project is open."""
        assert self.session is not None
        return self.session

    @property
    def recipe(self) -> str:
        """The name of the recipe, with a star if the selection differs from the recipe. Empty without a recipe."""
        if self.recipe_name is None or self.session is None:
            return ""
        # What the patterns match now does not matter.
        recipe = self._recipe_selection
        is_same = recipe is not None and self.session.selection.written == recipe.written
        return self.recipe_name if is_same else f"{self.recipe_name}*"

    @property
    def notices(self) -> list[Notice]:
        """Problems of reading the project and counting it."""
        if self.session is None:
            return []
        workspace = self.session.workspace
        return list(dict.fromkeys((*workspace.notices, *self.counting.problems, *workspace.reader.unread)))

    def _all_notices(self) -> tuple[list[Notice], tuple[Notice, ...]]:
        """The notices of the project, and separately those of the payload."""
        return self.notices, self.figures.layout.notices if self.figures.layout is not None else ()

    async def open(self, opening: Awaitable[Workspace]) -> Session:
        """Await the workspace, restore the app's session on it, and show it. Raises ContextError if this fails."""
        workspace = await opening
        await asyncio.to_thread(workspace.warm)
        restored = await asyncio.to_thread(self.launch.first_session, workspace)
        self.opened = await asyncio.to_thread(saved_opened, workspace.root)
        session = restored.session
        self._set_recipe(restored)
        if not session.selection.is_empty:
            self.history.remember(_emptied(session.selection))
        self._saver = Saver(session.workspace.root)
        self._replace(session)
        self._host.start("watch", partial(self._watch, session.workspace.root))
        if restored.message:
            self.tell(restored.message)
        return session

    def start_in(self, cwd: str) -> None:
        """Show the starts of agents in a folder relative to the root."""
        self.cwd = cwd
        if self.session is not None:
            self.findings.request(self.session, cwd)
        self._show_again()

    def close(self) -> None:
        """End all work, and write the newest selection."""
        self.counting.close()
        self.findings.close()
        self._stop_watching.set()
        if self._saver is not None:
            self._saver.close()

    def tell(self, text: str, severity: Severity = "information", seconds: float | None = None) -> None:
        self._host.notify(plain(text), severity=severity, timeout=seconds)

    def complain(self, error: ContextError) -> None:
        self.tell(f"{error.message}\n{error.hint}" if error.hint else error.message, "error")

    async def complaining(self, work: Awaitable[Result]) -> Result | None:
        """The result of some work. A ContextError is shown and gives None."""
        try:
            return await work
        except ContextError as error:
            self.complain(error)
            return None

    @property
    def is_changing(self) -> bool:
        """Whether a thread is changing the session now."""
        return self._changing.locked()

    def attempt(self, make: Make, documents: int = 1) -> None:
        """Replace the session with the result of `make`. Errors become messages.

        The change is made at once if few documents are concerned and no earlier change is in progress.
        """
        if documents > AT_ONCE or self.is_changing:
            self._changes_begun += 1
            self._host.start(f"change {self._changes_begun}", partial(self._attempt_later, make))
        elif self.session is not None:
            try:
                self.change(make(self.session))
            except ContextError as error:
                self.complain(error)

    async def _attempt_later(self, make: Make) -> None:
        """Make a change in a thread, again if the session is replaced meanwhile."""
        async with self._changing:
            self._show_again()
            while True:
                session = self.now
                new = await self.complaining(asyncio.to_thread(_indexed, make, session))
                if new is None:
                    break
                if self.now is session:
                    self.change(new)
                    break
        self._show_again()

    def change(self, session: Session) -> None:
        """Replace the session after a user action, which can then be undone. An equal selection changes nothing."""
        if session.selection != self.now.selection:
            self.history.remember(self.now.selection)
            self._replace(session)

    def clear(self) -> None:
        self.attempt(lambda session: session.with_selection(_emptied(session.selection)))

    def undo(self) -> None:
        self._step_history(self.history.undo, "nothing to undo")

    def redo(self) -> None:
        self._step_history(self.history.redo, "nothing to redo")

    def _step_history(self, step: Callable[[Selection], Selection | None], nothing: str) -> None:
        selection = step(self.now.selection)
        if selection is None:
            self.tell(nothing)
        else:
            self._replace(self.now.with_selection(selection))

    def open_recipe(self, restored: Restored) -> None:
        """Replace the session with that of a recipe, on the newest snapshot."""
        self._set_recipe(restored)
        # There may be a newer snapshot than the one that the recipe was read on.
        self.change(replace(restored.session.on(self.now.workspace), answers=self.now.answers))
        self._host.show()

    def set_saved_recipe(self, session: Session, name: str, version: str) -> None:
        """Take a session as that of the recipe it was saved as, so that the recipe's name loses its star."""
        self._set_recipe(Restored(session, name, session.selection, recipe_version=version))
        self._save(session)
        self._host.show()

    def _set_recipe(self, restored: Restored) -> None:
        self.recipe_name, self.recipe_version = restored.recipe, restored.recipe_version
        self._recipe_selection = restored.recipe_selection
        self.changed_picks = ChangedPicks(restored.changed)

    def _replace(self, new: Session) -> None:
        """Show, measure and save another session. Files are counted again only for a new snapshot or counter."""
        old, self.session = self.session, new
        self.is_behind = True
        is_counted = old is not None and old.workspace is new.workspace and old.budget.counter == new.budget.counter
        if not is_counted or self.figures.guess is not None:
            self.figures = replace(self.figures, guess=None)
        self.findings.user_active()
        self._host.show()
        if new.unanswered:
            self._host.start("queries", partial(self._answer, new))
        if not is_counted:
            self._host.start("count", partial(self._count, new))
        if old is None or old.workspace is not new.workspace:
            self.git.read_again(new.workspace.root)
        self._host.start("measure", partial(self._measure, new, is_counted))
        if old is not None and old.selection is not new.selection:
            self._save(new)

    async def _count(self, session: Session) -> None:
        await self.counting.count(session)
        self.findings.request(session, self.cwd)

    async def _answer(self, session: Session) -> None:
        """Compute the queries that have no answer yet, and add their answers to the session."""
        answered = await session.answered(session.unanswered)
        if self.now.workspace is session.workspace:
            self._replace(replace(self.now, answers=answered.answers))

    async def _ask_git(self) -> None:
        """Ask git again after a change that no listed file shows."""
        answers = await new_answers(self.now)
        if answers:
            self._replace(replace(self.now, answers={**self.now.answers, **answers}))

    def measure_again(self) -> None:
        """Compute the figures again: a template was accepted or may have changed, or a vendor counted the payload."""
        if self.session is not None:
            self._host.start("measure", partial(self._measure, self.session, not self.is_behind))

    def count_large(self, node: Node | None) -> int:
        """Begin to count the uncounted large data at or below a node. Returns its bytes, 0 if there is none."""
        wanted = self.now.uncounted(node.documents()) if node is not None else []
        if node is not None and wanted:
            self._host.start(f"count {node.id}", partial(self.counting.count_large, self.now, wanted))
        return sum(each.stamp.size for each in wanted)

    def count_large_file(self, node: Node | None) -> None:
        """Count a file of large data that is about to be read. A folder is counted on request only."""
        if node is not None and node.kind != "folder":
            self.count_large(node)

    async def _measure(self, session: Session, keeps_totals: bool) -> None:
        """Compute figures, then the price, and show each once known. `keeps_totals` reuses the totals of files."""
        known = self.figures if keeps_totals and self.figures.totals else None
        try:
            new = await measured(session, self.counting.failed, known, lambda: self.figures, self._show_figures)
        except ContextError as error:
            self._show_figures(replace(self.figures, guess=None))
            self.complain(error)
            return
        self.is_behind = False
        self._show_figures(new)
        new = await refine(session, new, lambda: self.figures)
        self._show_figures(new)
        self.price = await asyncio.to_thread(price_of, session, new)
        self._host.show()

    def _show_figures(self, new: Figures) -> None:
        self.figures = new
        self._host.show()

    def _show_again(self) -> None:
        self._show_figures(replace(self.figures))

    async def _show_totals(self) -> None:
        new = await asyncio.to_thread(totals, self.now.workspace, self.now.budget.counter, self.counting.failed)
        self._show_figures(replace(self.figures, totals=new))

    async def _watch(self, root: Path) -> None:
        """Read the project again each time a file below its root changes."""
        for _ in range(_WATCH_TRIES):
            try:
                async for what in watch(root, self._stop_watching):
                    if what == "git" or not await self.refresh_workspace():
                        # An unlisted file may have changed, or a file may be back to its committed version.
                        self.git.read_again(root)
                        self._host.start("git queries", self._ask_git)
                return
            except (OSError, RuntimeError, ExceptionGroup):
                # A name that is not Unicode, or a folder that vanished: check for changes and continue.
                await self.refresh_workspace()
                await asyncio.sleep(1)
        self.tell("changes on disk are no longer noticed; reload the project to see them", "warning")

    async def refresh_workspace(self, scope: Scope | None = None) -> bool:
        """Take a new snapshot, of another `scope` if given, unless nothing changed. Returns whether it did."""
        # One at a time: the first of two reloads could restore a scope that the second has left.
        async with self._reloading:
            session = self.now
            workspace, stamps = await asyncio.to_thread(reload_workspace, session.workspace, scope)
            if stamps is None:
                if session.selection.template is not None:
                    self.measure_again()  # its file is not listed
                return False
            session = self.now
            old, new = stamps
            ids = (pick.id for pick in session.picks)
            changed = frozenset(id_ for id_ in ids if id_ in new and old.get(id_) != new[id_])
            await self.changed_picks.update(session.workspace, workspace, changed)
            resolved = await workspace.resolve(session := self.now)
            if self.now is not session:
                # Changes made meanwhile are not lost.
                resolved = replace(self.now.on(workspace), answers=resolved.answers)
            self._replace(resolved)
            if workspace.is_gone:
                self.tell(*reload_words(self.now, True))
            return True

    async def reload(self) -> None:
        """Read the project again, and tell the user whether anything changed."""
        changed = await self.refresh_workspace()
        self.tell(*reload_words(self.now, changed))

    async def switch_ignored(self) -> None:
        """List the files that git ignores, or leave them out again."""
        scope = self.now.workspace.scope
        scope = replace(scope, with_ignored=not scope.with_ignored)
        changed = await self.refresh_workspace(scope)
        words = "showing ignored files" if scope.with_ignored else "hiding ignored files"
        self.tell(words if changed else f"{words}; there are none")

    async def switch_home(self) -> None:
        """Count the files that agents read in the user's home folder, or leave them out again."""
        scope = self.now.workspace.scope
        scope = replace(scope, home=not scope.home)
        await self.refresh_workspace(scope)
        workspace = self.now.workspace
        notices = [each for each in workspace.notices if each.code == HOME_CODE and not workspace.home.at.is_read]
        if notices:
            self.tell(notices[0].message, "warning")
        else:
            self.tell("counting your files at home, read-only" if scope.home else "your files at home are left out")

    def _save(self, session: Session) -> None:
        if self._saver is not None:
            self._saver.newest = (session, self.recipe_name, self.recipe_version)
            self._host.start("save", partial(self._write_selection, self._saver))

    async def _write_selection(self, saver: Saver) -> None:
        try:
            await saver.write()
        except ContextError as error:
            self.tell(f"the selection is not saved: {error.message}")


def _indexed(make: Make, session: Session) -> Session:
    """The session that `make` returns. A look-up builds its index of picks at once."""
    new = make(session)
    new.selection.document_pick("")
    return new


def _emptied(selection: Selection) -> Selection:
    return replace(selection, picks=(), prompt=None, tree=None)
