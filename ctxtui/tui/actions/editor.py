"""Run the user's own editor at a file and line while the app waits."""

from __future__ import annotations

import os
import shlex
import subprocess

from textual.app import App

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.executable import executable
from ctxtui.tui.desk import Desk


def open_editor(desk: Desk, app: App[object], place: tuple[str, int] | None) -> bool:
    """Open `place`, a path and a line from 1, in the user's editor. Returns whether the editor ran."""
    editor = desk.launch.editor
    if place is None:
        desk.tell("no file to edit here")
        return False
    if app.is_web:
        desk.tell("your editor cannot be shown in a browser", "warning")
        return False
    if not editor:
        desk.tell("no editor: set EDITOR, or `editor` in your user configuration", "warning")
        return False
    path, line = place
    try:
        file = desk.now.workspace.reader.root.resolve(path)
    except ContextError as error:
        desk.complain(error)
        return False
    try:
        words = [*shlex.split(editor), f"+{line}", str(file)]
    except ValueError as error:
        desk.tell(f"your editor {editor} cannot be read as a command: {error}", "error")
        return False
    program = words[0] if os.path.dirname(words[0]) else executable(words[0], desk.now.workspace.root)  # noqa: PTH120
    if program is None:
        desk.tell(f"{words[0]} is not on the PATH; nothing in the project's folder is started by its name", "error")
        return False
    try:
        with app.suspend():
            subprocess.run([program, *words[1:]], check=False)  # noqa: S603 - the user's own editor, never a project's
    except OSError as error:
        desk.tell(f"{words[0]} cannot be started: {error.strerror}", "error")
        return False
    return True
