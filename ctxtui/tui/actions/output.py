"""Commands that deliver the payload to a file, the clipboard, a browser or a program, and that save its recipe.

The screen that runs a command shows its errors.
"""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import TypeVar

from textual.app import App

from ctxtui.core.base.errors import invalid
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.open_at import exists, is_folder
from ctxtui.core.disk.own_folders import with_tilde
from ctxtui.core.disk.root import LeadsOut, write_named
from ctxtui.core.payload.formats import FORMATS, format_for
from ctxtui.core.payload.types import Payload
from ctxtui.session.delivery.export import check_export
from ctxtui.session.saved.app_state import last_command, save_last_command
from ctxtui.session.saved.autosave import from_recipe
from ctxtui.session.saved.recipe import draft_recipe, recent_recipes, recipe_path, save_recipe
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.desk import Desk
from ctxtui.tui.keys.keymap import key_for
from ctxtui.tui.launch import Outcome
from ctxtui.tui.screens.dialogs import Ask, Check, Choose, Confirm

Result = TypeVar("Result")


def checked_payload(session: Session) -> Payload:
    """Build the payload for an export. Raises ContextError if it must not be exported."""
    payload = session.payload()
    check_export(session, payload)
    return payload


def write_to(session: Session, path: Path, force: bool = False) -> str:
    """Write the payload to a file, with `force` through a link that leads out, and return a message."""
    payload, is_new = checked_payload(session), not path.parent.exists()
    write_named(path, payload.data(), force=force)
    where = f", in the new folder {path.parent}" if is_new else ""
    if path.resolve().is_relative_to(session.workspace.root.resolve()):
        where += "; it lies in the project, which lists it unless git ignores it"
    return f"wrote {_size(session, payload)} to {path}{_losses(payload)}{where}"


def size_and_losses(session: Session, payload: Payload) -> str:
    return f"{_size(session, payload)}{_losses(payload)}"


def copy_out(session: Session) -> str:
    """Copy the payload to the clipboard, and return a message. Raises ContextError as `checked_payload` does."""
    from ctxtui.session.delivery.clipboard import copy  # noqa: PLC0415

    payload = checked_payload(session)
    return f"{copy(payload.text, project=session.workspace.root)}, {size_and_losses(session, payload)}"


def _size(session: Session, payload: Payload) -> str:
    sign = "≈ " if shown.is_estimate(payload, session.budget.counter) else ""
    return f"{sign}{plural(payload.best, 'token')}"


def _losses(payload: Payload) -> str:
    """The words behind a size, such as ` (2 cut, 1 secret)`. Empty if nothing was lost."""
    words = [
        f"{len(ids)} {word}"
        for ids, word in ((payload.truncated, "cut"), (payload.omitted, "left out"), (payload.missing, "missing"))
        if ids
    ]
    if payload.secrets:
        words.append(plural(payload.secrets, "secret"))
    return f" ({', '.join(words)})" if words else ""


def suggested_name(session: Session) -> str:
    template = session.selection.template
    return f"context{template.suffix if template else FORMATS[session.selection.format].suffix}"


async def export(desk: Desk, session: Session, app: App[object]) -> None:
    """Write the payload to a file that the user names, or send it to the waiting pipe or command and end the app.

    In a browser, download it. The ending of the file's name may change the format of the selection.
    """
    if desk.launch.is_piped or desk.launch.command:
        await _finish(Outcome("accepted", session), session, app)
        return
    if session.selection.is_empty:
        desk.tell(f"nothing is picked: {key_for(app, 'pick')} picks a row")
        return
    if app.is_web:
        payload, name = await asyncio.to_thread(checked_payload, session), suggested_name(session)
        download(app, name, b"".join(payload.data()))
        desk.tell(f"sent {size_and_losses(session, payload)} to the browser as {name}", seconds=8)
        return
    path = await ask_path(app, "Export to a file", suggested_name(session))
    if path is None:
        return
    # As with `-o FILE`, the ending decides, unless a template or a recipe does.
    is_decided = session.selection.template is not None or desk.recipe_name is not None
    wanted = session.with_output(format=None if is_decided else format_for(path.name))
    message = await write_with_consent(app, lambda force: write_to(wanted, path, force))
    format_ = wanted.selection.format
    if message is not None and format_ != session.selection.format:
        desk.attempt(lambda session: session.with_output(format=format_))
        message += f"; the format is {format_} now"
    if message is not None:
        desk.tell(message, seconds=8)


async def ask_path(app: App[object], title: str, name: str, check: Check = lambda _text: None) -> Path | None:
    """The path of a file that the user enters. None if canceled, or after a no to overwriting. `name` is proposed."""

    def accept(text: str) -> None:
        _file_path(text)
        check(text.strip())

    answer = await app.push_screen_wait(Ask(title, "relative to the folder you started in", name, accept))
    if answer is None:
        return None
    path = _file_path(answer)
    if exists(path) and not await app.push_screen_wait(Confirm(f"{path} already exists. Overwrite it?")):
        return None
    return path


async def write_with_consent(app: App[object], write: Callable[[bool], Result]) -> Result | None:
    """The result of `write(False)`. If a link leads elsewhere, that of `write(True)` after a yes, None after a no."""
    try:
        return await asyncio.to_thread(write, False)
    except LeadsOut as error:
        if not await app.push_screen_wait(Confirm(f"{error.message}. Write there?")):
            return None
    return await asyncio.to_thread(write, True)


def download(app: App[object], name: str, data: bytes) -> None:
    app.deliver_binary(BytesIO(data), save_filename=name, mime_type="application/octet-stream")


async def copy(desk: Desk, session: Session, app: App[object]) -> None:
    if app.is_web:
        desk.tell(f"a page cannot reach your clipboard; {key_for(app, 'export')} downloads the payload", "warning")
        return
    desk.tell(await asyncio.to_thread(copy_out, session), seconds=8)


async def run(desk: Desk, session: Session, app: App[object]) -> None:
    """Let the user choose an agent or type a command, and end the app to run it with the payload."""
    if app.is_web:
        desk.tell(f"no command is started from a browser; {key_for(app, 'export')} downloads the payload", "warning")
        return
    dialog = Choose(
        "Run with the payload",
        lambda: _receivers(desk, session),
        "no known agent is on the PATH",
        is_free=True,
        by_name=True,
        hint="or type a command, which reads it on stdin; the app closes first",
    )
    answer = await app.push_screen_wait(dialog)
    if answer is None or not answer.strip():
        return
    await asyncio.to_thread(_accept_command, answer, desk, session)
    await _finish(Outcome("run", session, answer), session, app)


def _receivers(desk: Desk, session: Session) -> list[tuple[str, str]]:
    """Each agent or command that can receive the payload, and how it receives it. The last one used comes first."""
    from ctxtui.session.delivery.agents_to_run import agent_named, describe_receipt, found_agents  # noqa: PLC0415

    last, text = last_command(), session.payload().text
    found = found_agents(session.workspace.root)
    rows = [(each.agent.name, describe_receipt(each, text, desk.launch.can_talk)) for each in found]
    if last is not None and agent_named(last) is None:
        rows.append((last, "on stdin"))
    return sorted(rows, key=lambda row: row[0] != last)


def _accept_command(command: str, desk: Desk, session: Session) -> None:
    """Save a command as the last one used. Raises ContextError for an agent that cannot receive the payload."""
    from ctxtui.session.delivery.agents_to_run import agent_named, receive, require_agent  # noqa: PLC0415 - few payloads go to one

    agent = agent_named(command)
    if agent:
        receive(require_agent(agent, session.workspace.root), session.payload().text, desk.launch.can_talk)
    save_last_command(command)


async def _finish(outcome: Outcome, session: Session, app: App[object]) -> None:
    """End the app with an outcome. Raises ContextError if the payload must not be exported."""
    await asyncio.to_thread(checked_payload, session)
    app.exit(outcome)


async def save_as_recipe(desk: Desk, session: Session, app: App[object]) -> None:
    """Save the selection under a name that the user enters, after a yes if another text would be replaced."""
    if session.selection.is_empty:
        desk.tell("nothing is picked, so there is nothing to save", "warning")
        return
    hint = "saved in .ctxtui/recipes, to be committed to git"
    answer = await app.push_screen_wait(
        Ask("Save as recipe", hint, desk.recipe_name or "", lambda name: recipe_path(name.strip()))
    )
    if answer is None:
        return
    name, root = answer.strip(), session.workspace.reader.root
    draft = await asyncio.to_thread(draft_recipe, session, name)
    reason = draft.reason_to_ask(desk.recipe_version if name == desk.recipe_name else None)
    if reason and not await app.push_screen_wait(Confirm(f"{draft.path} {reason}. Replace it?", draft.change)):
        return
    saved = await asyncio.to_thread(save_recipe, session, name, draft)
    desk.set_saved_recipe(session, name, draft.version_after)
    kept = f"\nthe old text is kept in {with_tilde(str(saved.kept))}" if saved.kept and reason else ""
    desk.tell(f"saved {saved.path.relative_to(root.path)}; {_build_again(root.path, name)} builds it again{kept}")


def _build_again(root: Path, name: str) -> str:
    """The command that builds a recipe, valid in the folder where the app was started."""
    here = Path.cwd()
    if here == root:
        return f"ctxtui build {name}"
    place = min(os.path.relpath(root, here), str(root), key=len)
    return f"ctxtui build -C {shlex.quote(place)} {name}"


async def choose_recipe(desk: Desk, session: Session, app: App[object]) -> None:
    recipes = recent_recipes(session.workspace.reader.root)
    none = f"no recipes yet; {key_for(app, 'save')} saves one"
    choices = [(each, f"saved {saved.astimezone():%Y-%m-%d %H:%M}") for each, saved in recipes]
    name = await app.push_screen_wait(Choose("Open a recipe", lambda: choices, none))
    if name is not None:
        await open_recipe(name, desk, session, app)


async def open_recipe(name: str, desk: Desk, _session: Session, _app: App[object]) -> None:
    restored = await asyncio.to_thread(from_recipe, desk.now, name)
    desk.open_recipe(restored)
    desk.tell(restored.message)


def _file_path(text: str) -> Path:
    """The path of a file that a user typed. Raises ContextError for a folder, and for what can be no path."""
    if not text.strip():
        raise invalid("enter a file name")
    try:
        path = Path(text.strip()).expanduser()
        path.exists()
        is_file = not is_folder(path)
    except (OSError, RuntimeError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise invalid(f"not a valid file name: {why}") from error
    if not is_file:
        raise invalid(f"{path} is a folder")
    return path
