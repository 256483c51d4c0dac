"""A screen whose session is kept alive: opened, counted, measured, watched and saved in the background."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from decimal import Decimal

from anyio import Event
from textual import work
from textual.message import Message
from textual.reactive import reactive
from textual.screen import Screen
from textual.timer import Timer

from ctxtui.core.errors import ContextError
from ctxtui.core.notices import Notice
from ctxtui.core.plain import plain
from ctxtui.core.stopping import Check, stopping
from ctxtui.session.autosave import Autosave
from ctxtui.session.figures import Figures, figures, marks, totals
from ctxtui.session.selection import Selection
from ctxtui.session.session import Session
from ctxtui.tui.history import History
from ctxtui.workspace.count import count_all
from ctxtui.workspace.watch import watch
from ctxtui.workspace.workspace import Scope, Workspace

_WATCH_TRIES = 5
# Seconds after which people wonder whether their key was seen.
_SOON = 0.3


class LiveScreen(Screen[None]):
    """Owns the session. `change` is the one way to replace it; everything else follows from it."""

    session: reactive[Session | None] = reactive(None, init=False)
    figures: reactive[Figures] = reactive(Figures)
    recipe: reactive[str] = reactive("")
    is_behind: reactive[bool] = reactive(False)
    price: reactive[Decimal | None] = reactive(None)

    @dataclass
    class Counted(Message):
        """Some more files have been counted."""

        done: int
        of: int

        def can_replace(self, message: Message) -> bool:
            """Only the newest number matters."""
            return isinstance(message, LiveScreen.Counted)

    def __init__(self) -> None:
        super().__init__()
        self.history = History()
        self.recipe_name: str | None = None
        self.recipe_selection: Selection | None = None
        self.changed_ids: frozenset[str] = frozenset()
        self._counting_problems: tuple[Notice, ...] = ()
        self._stop_counting = threading.Event()
        self._stop_watching = Event()
        self._autosave: Autosave | None = None
        self._is_unsaved = False
        self._saver = ThreadPoolExecutor(1, "save")
        self._totals_timer: Timer | None = None

    @property
    def problems(self) -> list[Notice]:
        """What is wrong with the project and with what is picked."""
        if self.session is None:
            return []
        found = [*self.session.workspace.notices, *self._counting_problems]
        if self.figures.layout is not None:
            found += self.figures.layout.notices
        return list(dict.fromkeys(found))

    @property
    def failed(self) -> frozenset[str]:
        """The paths of files that cannot be read."""
        return frozenset(
            each.path for each in self._counting_problems if each.code == "unreadable-file" and each.path
        )

    def begin(self, session: Session) -> None:
        """Start with a session: everything in the background begins."""
        self._autosave = Autosave(session.workspace.root)
        self._saver.submit(self._autosave.tidy)
        self.session = session
        self.watch_files(session.workspace)

    def change(self, session: Session) -> None:
        """Replace the session after something the user did, so that it can be undone."""
        if self.session is None or session.selection == self.session.selection:
            return
        self.history.remember(self.session.selection)
        self.session = session

    def attempt(self, make: Callable[[Session], Session]) -> None:
        """Change the session to what a function makes of it; its errors become messages."""
        if self.session is None:
            return
        try:
            self.change(make(self.session))
        except ContextError as error:
            self.complain(error)

    def complain(self, error: ContextError) -> None:
        """Show an error with its remedy."""
        text = f"{error.message}\n{error.hint}" if error.hint else error.message
        self.notify(plain(text), severity="error", markup=False)

    def watch_session(self, old: Session | None, new: Session | None) -> None:
        """Measure and save; count where the snapshot or the tokenizer is another."""
        if new is None:
            return
        self._mark_recipe(new)
        if new.unanswered:
            self.compute(new)
        new_counts = old is None or old.workspace is not new.workspace or old.budget.counter != new.budget.counter
        if new_counts:
            self.count(new)
        self.is_behind = True
        self.measure(new, keeps_totals=not new_counts)
        if old is not None and old.selection is not new.selection:
            self._is_unsaved = True
            self.save(new)

    def _mark_recipe(self, session: Session) -> None:
        if self.recipe_name is None:
            self.recipe = ""
        else:
            self.recipe = self.recipe_name + ("" if session.selection == self.recipe_selection else "*")

    @work(exclusive=True, group="measure")
    async def measure(self, session: Session, keeps_totals: bool = True) -> None:
        """Work the numbers of a session out, and show them."""
        known = self.figures if keeps_totals and self.figures.totals else None
        try:
            with stopping() as check:
                self.figures = await self._measured(session, known, check)
        except ContextError as error:
            self.complain(error)
            return
        new = self.figures
        self.is_behind = False
        model = session.budget.model
        if model and new.layout:
            self.price = await asyncio.to_thread(_price, model, new.layout.tokens)
        else:
            self.price = None

    async def _measured(self, session: Session, known: Figures | None, check: Check) -> Figures:
        """The figures of a session; where they take long, what is picked is marked in the meantime."""
        task = asyncio.ensure_future(asyncio.to_thread(figures, session, self.failed, known, check))
        try:
            await asyncio.wait({task}, timeout=_SOON)
            if not task.done():
                self.figures = await asyncio.to_thread(marks, session, self.figures, check)
            return await task
        finally:
            task.cancel()

    @work(exclusive=True, group="queries")
    async def compute(self, session: Session) -> None:
        """Compute the queries that have no answer yet, and take their answers in."""
        answered = await session.answered(session.unanswered)
        if self.session is not None and self.session.workspace is session.workspace:
            self.session = replace(self.session, answers=answered.answers)

    @work(exclusive=True, group="count")
    async def count(self, session: Session) -> None:
        """Count every file of a snapshot, telling now and then how far it is."""
        self._stop_counting.set()
        stop = self._stop_counting = threading.Event()

        def progress(done: int, of: int) -> None:
            self.post_message(self.Counted(done, of))

        workspace, counter = session.workspace, session.budget.counter
        notices = await asyncio.to_thread(count_all, workspace, counter, progress, stop=stop)
        if not stop.is_set():
            self._counting_problems = tuple(notices)
            self.retotal()

    def on_live_screen_counted(self) -> None:
        """Refresh the totals soon, once for many messages."""
        if self._totals_timer is None:
            self._totals_timer = self.set_timer(0.3, self.retotal)

    @work(exclusive=True, group="totals")
    async def retotal(self) -> None:
        """Sum the tokens of all folders anew."""
        self._totals_timer = None
        session = self.session
        if session is None:
            return
        new = await asyncio.to_thread(totals, session.workspace, session.budget.counter, self.failed)
        old = self.figures
        self.figures = replace(old, totals=new)

    @work(exclusive=True, group="watch")
    async def watch_files(self, workspace: Workspace) -> None:
        """Read the project again whenever something below its root has changed."""
        for _ in range(_WATCH_TRIES):
            try:
                async for _ in watch(workspace.root, self._stop_watching):
                    await self.refresh_workspace()
                return
            except (OSError, RuntimeError, ExceptionGroup):
                # A name that is no Unicode, or a folder that went away: look what has changed and go on.
                await self.refresh_workspace()
                await asyncio.sleep(1)
        self.notify("changes on disk are not seen any more; R reads the project again", severity="warning")

    async def refresh_workspace(self, scope: Scope | None = None) -> bool:
        """Take a new snapshot where something differs; tells whether something does."""
        session = self.session
        if session is None:
            return False
        read = session.workspace
        workspace = await asyncio.to_thread(lambda: read.reload(scope=scope, on_notice=lambda _notice: None).warm())
        session = self.session or session
        old = {each.id: each.stamp for each in session.workspace.references}
        new = {each.id: each.stamp for each in workspace.references}
        if old == new and workspace.notices == session.workspace.notices:
            return False
        picked = {pick.id for pick in session.picks}
        self.changed_ids |= {id_ for id_ in picked if id_ in new and old.get(id_) != new[id_]}
        self.session = await workspace.resolve(session)
        return True

    @work(exclusive=True, group="save")
    async def save(self, session: Session) -> None:
        """Keep the selection in the state folder; one write after the other, so that the newest is the last."""
        if self._autosave is None:
            return
        try:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._saver, self._autosave.save, session, self.recipe_name)
            self._is_unsaved = session is not self.session and self._is_unsaved
        except ContextError as error:
            self.notify(plain(f"the selection is not kept: {error.message}"), markup=False)

    def stop_background(self) -> None:
        """Let threads and watchers end."""
        self._stop_counting.set()
        self._stop_watching.set()
        if self._autosave is not None and self.session is not None and self._is_unsaved:
            # Keys and `q` typed in one burst: what they did is kept as well.
            self._saver.submit(self._autosave.save, self.session, self.recipe_name)
        self._saver.shutdown()


def _price(model: str, tokens: int) -> Decimal | None:
    # Price data take a quarter of a second to import; only a chosen model needs them.
    from ctxtui.core.tokens.models import find_model  # noqa: PLC0415

    return find_model(model).dollars(tokens)
