"""Commands that export the payload, and those that save its recipe."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Callable
from pathlib import Path

from textual.app import App

from ctxtui.core.errors import ContextError
from ctxtui.core.files.open_at import exists, is_folder
from ctxtui.session.recipe import recent_recipes, recipe_path, save_recipe
from ctxtui.session.restore import from_recipe
from ctxtui.session.session import Session
from ctxtui.tui import delivery
from ctxtui.tui.desk import Desk
from ctxtui.tui.keymap import key_for
from ctxtui.tui.launch import Outcome
from ctxtui.tui.screens.dialogs import Ask, Choose, Confirm


async def export(desk: Desk, session: Session, app: App[object]) -> None:
    """Write the payload to a file, or send it to the pipe or command that waits for it."""
    if desk.launch.is_piped or desk.launch.command:
        await _finish(desk, session, Outcome("accepted", session), app)
        return
    hint = "relative to the folder you started in"
    answer = await app.push_screen_wait(
        Ask("Export to a file", hint, delivery.suggested_name(session), _path_complaint)
    )
    if answer is None:
        return
    path = _path(answer)
    if exists(path) and not await app.push_screen_wait(Confirm(f"{path} already exists. Overwrite it?")):
        return
    await _deliver(desk, lambda: delivery.write_to(session, path))


async def copy(desk: Desk, session: Session, _app: App[object]) -> None:
    """Copy the payload."""
    await _deliver(desk, lambda: delivery.copy_out(session))


async def run(desk: Desk, session: Session, app: App[object]) -> None:
    """Quit and pipe the payload into a command."""
    answer = await app.push_screen_wait(Ask("Run a command with the payload on stdin", "the app closes first"))
    if answer and answer.strip():
        await _finish(desk, session, Outcome("run", session, answer), app)


async def _deliver(desk: Desk, do: Callable[[], str]) -> None:
    try:
        message = await asyncio.to_thread(do)
    except ContextError as error:
        desk.complain(error)
    else:
        desk.tell(message, seconds=8)


async def _finish(desk: Desk, session: Session, outcome: Outcome, app: App[object]) -> None:
    """End with an outcome, unless the payload must not be exported."""
    try:
        await asyncio.to_thread(delivery.finished, session)
    except ContextError as error:
        desk.complain(error)
    else:
        app.exit(outcome)


async def save(desk: Desk, session: Session, app: App[object]) -> None:
    """Save the selection as a recipe."""
    hint = "saved in .ctxtui/recipes, to be committed to git"
    answer = await app.push_screen_wait(Ask("Save as recipe", hint, desk.recipe_name or "", _name_complaint))
    if answer is None:
        return
    name = answer.strip()
    root = session.workspace.reader.root
    is_other = root.exists(recipe_path(name)) and name != desk.recipe_name
    if is_other and not await app.push_screen_wait(Confirm(f"The recipe {name} already exists. Overwrite it?")):
        return
    try:
        path = await asyncio.to_thread(save_recipe, session, name)
    except ContextError as error:
        desk.complain(error)
        return
    desk.saved_recipe(session, name)
    desk.tell(f"saved {path.relative_to(root.path)}; {_build_again(root.path, name)} builds it again")


def _build_again(root: Path, name: str) -> str:
    """The command that builds a recipe, as it works in the folder where the app was started."""
    here = Path.cwd()
    if here == root:
        return f"ctxtui build {name}"
    place = min(os.path.relpath(root, here), str(root), key=len)
    return f"ctxtui build -C {shlex.quote(place)} {name}"


async def open_(desk: Desk, session: Session, app: App[object]) -> None:
    """Open a recipe."""
    try:
        recipes = recent_recipes(session.workspace.reader.root)
    except ContextError as error:
        desk.complain(error)
        return
    none = f"no recipes yet; {key_for(app, 'save')} saves one"
    choices = [(each, f"saved {saved.astimezone():%Y-%m-%d %H:%M}") for each, saved in recipes]
    name = await app.push_screen_wait(Choose("Open a recipe", lambda: choices, none))
    if name is not None:
        await open_named(name, desk, session, app)


async def open_named(name: str, desk: Desk, session: Session, _app: App[object]) -> None:
    """Open a recipe by its name."""
    try:
        restored = await asyncio.to_thread(from_recipe, desk.session or session, name)
    except ContextError as error:
        desk.complain(error)
        return
    desk.open_recipe(restored)
    desk.tell(restored.message)


def _name_complaint(name: str) -> str | None:
    recipe_path(name.strip())
    return None


def _path_complaint(text: str) -> str | None:
    if not text.strip():
        return "enter a file name"
    try:
        path = _path(text)
        return f"{path} is a folder" if is_folder(path) else None
    except (OSError, RuntimeError, ValueError) as error:
        return f"not a valid file name: {getattr(error, 'strerror', None) or error}"


def _path(text: str) -> Path:
    path = Path(text.strip()).expanduser()
    path.exists()
    return path
