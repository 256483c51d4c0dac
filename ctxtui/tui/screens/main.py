"""The main screen: the command table's bindings, and the keys that ask, deliver or leave."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import work
from textual.binding import BindingType

from ctxtui.core.errors import ContextError
from ctxtui.core.files.opening import exists, is_folder
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.payload.types import Over
from ctxtui.core.plain import plain
from ctxtui.core.tokens.parse import parse_tokens
from ctxtui.session.recipe import recipe_names, recipe_path, save_recipe
from ctxtui.session.restore import from_recipe
from ctxtui.tui import delivery
from ctxtui.tui.bindings import bindings
from ctxtui.tui.keymap import key_for
from ctxtui.tui.outcome import Outcome
from ctxtui.tui.screens.dialogs import Ask, Choose, Confirm, WritePrompt
from ctxtui.tui.screens.visiting import VisitingScreen

_EXACT = {
    "o200k_base": "exact, GPT-4o and later",
    "cl100k_base": "exact, GPT-4",
    "heuristic": "four characters a token",
}


class MainScreen(VisitingScreen):
    """What is picked gets a budget and a prompt, and leaves."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("main")
    NAME: ClassVar[str] = "main"

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
        name = await self.app.push_screen_wait(Choose("Model or tokenizer", _model_choices))
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
        self.notify(words if limit is not None else f"{words} (no limit yet: {key_for(self, 'budget')} sets one)")

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
        path = _path(answer)
        if exists(path) and not await self.app.push_screen_wait(Confirm(f"{path} exists. Write over it?")):
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

        def complaint(name: str) -> str | None:
            recipe_path(name.strip())
            return None

        hint = "written to .ctxtui/recipes, meant for git"
        answer = await self.app.push_screen_wait(Ask("Save as recipe", hint, self.recipe_name or "", complaint))
        if answer is None:
            return
        name = answer.strip()
        root = session.workspace.reader.root
        exists = root.exists(recipe_path(name)) and name != self.recipe_name
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
        self.notify(plain(f"saved {path.relative_to(root.path)}; ctxtui build {name} makes it again"), markup=False)

    @work(exclusive=True, group="dialog")
    async def action_open(self) -> None:
        """Open a recipe."""
        if self.session is None:
            return
        try:
            names = recipe_names(self.session.workspace.reader.root)
        except ContextError as error:
            self.complain(error)
            return
        name = await self.app.push_screen_wait(
            Choose(
                "Open a recipe",
                lambda: [(each, "") for each in names],
                f"no recipes yet; {key_for(self, 'save')} saves one",
            )
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
    try:
        path = _path(text)
        return f"{path} is a folder" if is_folder(path) else None
    except (OSError, RuntimeError, ValueError) as error:
        return f"no file can have this name: {getattr(error, 'strerror', None) or error}"


def _path(text: str) -> Path:
    path = Path(text.strip()).expanduser()
    path.exists()
    return path


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
