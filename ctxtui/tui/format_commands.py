"""Commands that choose the format: built-in formats, templates, and the tree block."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Final

from textual.app import App

from ctxtui.core.errors import ContextError
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.payload.types import Tree
from ctxtui.core.plain import plain_line
from ctxtui.core.template.render import Template
from ctxtui.session.session import Session
from ctxtui.session.templates import TemplateName, agree, has_agreed, known_templates, read_template
from ctxtui.tui.desk import Desk
from ctxtui.tui.keymap import key_for
from ctxtui.tui.screens.dialogs import Confirm

_TREES: Final[dict[Tree | None, tuple[Tree | None, str]]] = {
    None: ("picked", "a block with the tree of the picked files comes first"),
    "picked": ("all", "a block with the tree of all files comes first"),
    "all": (None, "no block with the tree of files"),
}


def next_format(desk: Desk, app: App[object]) -> None:
    """Switch to the next format: built-in formats, the user's templates, the project's templates after consent."""
    session = desk.session
    if session is None:
        return
    root = session.workspace.reader.root
    for each in _ahead(session):
        if isinstance(each, str):
            desk.attempt(lambda session, name=each: session.with_output(format=name))  # type: ignore[misc]
            return
        try:
            template = read_template(root, each)
        except ContextError as error:
            desk.complain(error)
            continue
        if has_agreed(each, template):
            if each == session.selection.template:
                continue
            _use(desk, each)
            return
        if template.digest not in desk.refused:
            app.screen.run_worker(_agree(each, template, desk, session, app), group="dialog", exclusive=True)
            return


def _ahead(session: Session) -> Iterator[str | TemplateName]:
    """The formats after the current format. A current template without consent comes first."""
    root, selection = session.workspace.reader.root, session.selection
    turns: list[str | TemplateName] = [*FORMATS, *known_templates(root)]
    current = selection.template or selection.format
    place = turns.index(current) if current in turns else -1
    if selection.template is not None and selection.template.whose == "project":
        yield selection.template
    yield from (*turns[place + 1 :], *turns[: place + 1])


async def _agree(which: TemplateName, template: Template, desk: Desk, session: Session, app: App[object]) -> None:
    """Show a project's template, and use it if the user agrees, else go on."""
    question = f"Use the project's template {plain_line(which.name)}? It decides what leaves of what you pick."
    if not await app.push_screen_wait(Confirm(question, template.text)):
        desk.refused.add(template.digest)
        desk.tell(f"{which.title} is not used; ctxtui asks again after the next start")
        next_format(desk, app)
        return
    try:
        await asyncio.to_thread(agree, template, session.workspace.reader.root)
    except ContextError as error:
        desk.complain(error)
        return
    _use(desk, which)


def _use(desk: Desk, which: TemplateName) -> None:
    before = desk.session
    desk.attempt(lambda session: session.with_template(which))
    if desk.session is before:
        # It was chosen before, but could not be used without consent.
        desk.measure_again()


def next_tree(desk: Desk, app: App[object]) -> None:
    """Add the tree block of the picked files, then of all files, then none."""
    if desk.session is None:
        return
    tree, words = _TREES[desk.session.selection.tree]
    desk.attempt(lambda session: session.with_tree(tree))
    desk.tell(f"{words}; {key_for(app, 'undo')} reverts it")
