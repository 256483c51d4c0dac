"""The base of the apps: themes, keys, palette, help, bug reports and queued keys."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from textual import on, work
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.css.query import NoMatches
from textual.events import Event, Key, Paste
from textual.notifications import Notification, Notify
from textual.screen import Screen
from textual.worker import WorkerFailed

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.plain import plain
from ctxtui.core.base.wording import near_or_all
from ctxtui.session.saved.app_state import save_theme, saved_theme
from ctxtui.tui.keys.commands import first_key, on_screen
from ctxtui.tui.keys.key_names import split_keys
from ctxtui.tui.keys.keymap import clashes, key_for
from ctxtui.tui.palette import DARK, THEMES, hues, inks, source_css
from ctxtui.tui.screens.dialogs import Choose
from ctxtui.tui.screens.help import Help
from ctxtui.tui.screens.list_screen import ListScreen
from ctxtui.tui.type_ahead import TypeAhead

Ended = TypeVar("Ended")


class FoundCommand(NamedTuple):
    """A command that the palette lists."""

    name: str
    about: str
    run: Callable[[], Awaitable[object]]


class Lasting(Notification):
    """A notification that always has time left, though it may have expired.

    Textual takes the time left for the toast's timer when it mounts the toast. A timer below zero never yields, so a
    toast mounted just as its notification expires would stop the app for good.
    """

    @property
    def time_left(self) -> float:
        return max(super().time_left, 0.1)

    @property
    def has_expired(self) -> bool:
        return super().time_left <= 0


class BaseApp(App[Ended], Generic[Ended]):
    """An app with the user's theme and keys. Subclasses show their first screen.

    Raises ContextError for a theme that does not exist.
    """

    TITLE = "ctxtui"
    CSS_PATH = "app.tcss"
    CSS = source_css()
    COMPONENT_CLASSES: ClassVar[set[str]] = inks()
    # A signal that every terminal program handles, so not in the table of commands.
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+z", "suspend_process", show=False, system=True)]

    def __init__(self, theme: str | None, keys: Mapping[str, str] | None) -> None:
        super().__init__()
        self._typed = TypeAhead(self)
        for each in THEMES:
            self.register_theme(each)
        if theme and theme not in self.available_themes:
            raise invalid(f"unknown theme: {theme}", hint=near_or_all(theme, self.available_themes))
        wanted = theme or saved_theme()
        self.theme = wanted if wanted in self.available_themes else DARK.name
        self.failure: BaseException | None = None
        """The first bug, which ended the app."""
        self.remapped: Mapping[str, str] = keys or {}

    def push_first_screen(self) -> None:
        raise NotImplementedError

    def _handle_exception(self, error: Exception) -> None:
        """Keep a bug for the caller to report, instead of a traceback on the user's screen.

        Textual has no public hook for this. Without the override, only the short message would be kept.
        """
        if not self.is_running and isinstance(error, WorkerFailed) and isinstance(error.error, NoMatches):
            # Work that ends with the app may look for widgets that are gone.
            return
        super()._handle_exception(error)
        # The error inside a WorkerFailed says where it happened.
        self.failure = self.failure or (error.error if isinstance(error, WorkerFailed) else error)
        self._exit_renderables.clear()

    async def on_event(self, event: Event) -> None:
        """Handle a key once the screen that earlier keys opened has the focus. Until then, the key waits."""
        if not isinstance(event, Key | Paste):
            await super().on_event(event)
        elif not self.screen_stack:
            event.stop()  # typed while the app was ending
        elif event.is_forwarded or not self._typed.hold_back(event):
            is_back = event.is_forwarded
            await super().on_event(event)
            if is_back:
                self._typed.came_back(event)

    def notify(self, message: str, **options: Any) -> None:
        """Show untrusted words, made harmless, as a toast in place of one with the same words.

        Textual has no public list of its toasts.
        """
        message = plain(message)
        for each in [each for each in self._notifications if each.message == message]:
            self._unnotify(each, refresh=False)
        timeout = options.pop("timeout", None) or self.NOTIFICATION_TIMEOUT
        self.post_message(Notify(Lasting(message, timeout=timeout, **{**options, "markup": False})))

    def action_help_quit(self) -> None:
        """Say which key quits, in place of Textual's answer to ctrl-c."""
        self.notify(f"{key_for(self.screen, 'quit')} quits")

    def pop_screen(self) -> AwaitComplete:
        """Leave a screen and cancel its work, which would look for the screen's widgets."""
        self.call_next(self._end_work, self.screen)
        return super().pop_screen()

    def _end_work(self, screen: Screen[object]) -> None:
        for node in screen.walk_children(with_self=True):
            self.workers.cancel_node(node)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return hues(self.current_theme.dark)

    def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, lambda theme: self._save_theme(theme.name))
        self.set_keymap({id_: ",".join(split_keys(keys)) for id_, keys in self.remapped.items()})
        self.push_first_screen()
        sentences = clashes(self.remapped)
        if sentences:
            self.notify("[keys]: " + "; ".join(sentences), severity="warning")

    @work(exclusive=True, group="theme")
    async def _save_theme(self, theme: str) -> None:
        try:
            await asyncio.to_thread(save_theme, theme)
        except ContextError as error:
            self.notify(f"the theme is not saved: {error.message}", severity="warning")

    @on(ListScreen.HelpWanted)
    def _help(self, event: ListScreen.HelpWanted) -> None:
        self.push_screen(Help(event.screen))

    def commands(self) -> Iterable[FoundCommand]:
        """The commands of the open screen and of the list, field or panel in focus, and the choice of themes."""
        bound = {each.binding.id: each for each in self.screen.active_bindings.values()}
        for command in on_screen(getattr(self.screen, "NAME", "")):
            active = bound.get(command.id)
            if active is not None and command.group != "move" and command.id != "palette":
                about = f"{first_key(command, self.remapped)}  {command.help}"
                run = partial(self.run_action, active.binding.action, active.node)
                yield FoundCommand(command.id.replace("_", " "), about, run)
        yield FoundCommand("theme", "choose the colors", self.choose_theme)

    async def choose_theme(self) -> None:
        """Let the user choose a theme. The one in use comes first."""
        themes = sorted(self.available_themes.values(), key=lambda each: (each.name != self.theme, each.name))
        choices = [(each.name, "dark" if each.dark else "light") for each in themes]

        def use(name: str | None) -> None:
            self.theme = name or self.theme

        self.push_screen(Choose("Theme; the first is in use", lambda: choices), use)

    def action_command_palette(self) -> None:
        """Let the user find a command by its name or by what it does, and run it."""
        found = {each.name: each for each in self.commands()}

        def run(name: str | None) -> None:
            if name is not None:
                self.call_next(found[name].run)

        choices = [(each.name, each.about) for each in found.values()]
        self.push_screen(Choose("Find a command", lambda: choices), run)
