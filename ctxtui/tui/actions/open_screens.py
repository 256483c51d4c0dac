"""Open other screens. Most functions return the id of a document or section to go to.

Screens are imported when they open, so that the app starts sooner.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from textual.app import App

from ctxtui.agents.project.base import is_above
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.target import Target
from ctxtui.session.session import Session
from ctxtui.tui.desk import Desk
from ctxtui.tui.screens.dialogs import Choose, Confirm
from ctxtui.workspace.tree import Node

if TYPE_CHECKING:
    from ctxtui.session.queries.prompt_search import PromptSearch
    from ctxtui.workspace.links import RelatedLink


class Searches:
    """Opens the Search screen, for a task or for a query. Each of the two starts with its last scope and text."""

    def __init__(self, engines: Mapping[str, Any]) -> None:
        self._engines = engines
        self._prompter: PromptSearch | None = None
        self._asked = {"task": ("task", ""), "search": ("all", "")}

    async def open(self, desk: Desk, _session: Session, app: App[object], which: str) -> str | None:
        """Open the screen for a `task` or a `search`. Returns the id to go to, or None."""
        from ctxtui.session.queries.prompt_search import PromptSearch  # noqa: PLC0415
        from ctxtui.tui.screens.search import Search  # noqa: PLC0415

        self._prompter = self._prompter or PromptSearch(self._engines)
        screen = Search(desk, self._prompter, *self._asked[which])
        found = await app.push_screen_wait(screen)
        self._asked["task" if screen.tab == "task" else "search"] = screen.tab, screen.typed
        return found

    def close(self) -> None:
        if self._prompter is not None:
            self._prompter.close()


async def detect(desk: Desk, session: Session, app: App[object]) -> str | None:
    """Open the Detect screen. Returns the id to go to, or None. Without a catalog, a message says so."""
    from ctxtui.tui.screens.detect import Detect  # noqa: PLC0415
    from ctxtui.workspace.detect import Detector, has_catalog  # noqa: PLC0415

    if not has_catalog(session.workspace):
        desk.tell("no domain catalog in this project; ctxtui help catalogs-and-entries says what one is")
        return None
    return await app.push_screen_wait(Detect(desk, Detector(session.workspace, session.budget.counter)))


async def entries(desk: Desk, session: Session, app: App[object]) -> str | None:
    """Open the Entries screen, after a question if it would be empty. Returns the chosen entry's id, or None."""
    from ctxtui.session.queries.questions import entry_directories  # noqa: PLC0415
    from ctxtui.tui.screens.entries import Entries  # noqa: PLC0415

    question = "This project has no business entries yet. Write the first one?"
    if not entry_directories(session.workspace) and not await app.push_screen_wait(Confirm(question)):
        return None
    return await app.push_screen_wait(Entries(desk))


async def audit(
    desk: Desk,
    _session: Session,
    app: App[object],
    leave: Callable[[], None] | None = None,
    group: str = "",
    view: str = "",
) -> str | None:
    """Open the Audit screen at `view`, with `group` open. Returns the id to go to, or calls `leave` without one."""
    from ctxtui.tui.screens.audit import Audit  # noqa: PLC0415

    found = await app.push_screen_wait(Audit(desk, group, view))
    if found is None:
        if leave is not None:
            leave()
        return None
    # A line belongs to a section, for which the file is parsed.
    return await asyncio.to_thread(_place, desk, desk.now, *found)


def _place(desk: Desk, session: Session, path: str, line: int | None) -> str | None:
    """The id of the section at a line from 1, or of the file at a path. None, with a message, for an unknown path."""
    if path.startswith("id:"):
        return path.removeprefix("id:")
    reference = session.workspace.by_path.get(path)
    if reference is None:
        why = "lies above the project" if is_above(path) else "is not a context file of this project"
        desk.tell(f"{path} {why}", "warning")
        return None
    try:
        parts = session.workspace.document(reference).parts if line is not None else ()
    except ContextError:
        parts = ()
    above = [part for part in parts if part.line < (line or 0)]
    return str(Target(reference.id, above[-1].slug)) if above else reference.id


async def follow(desk: Desk, session: Session, app: App[object], node: Node | None) -> str | None:
    """Let the user choose a link or trigger of a document, or a file related to code. Returns its id, or None."""
    from ctxtui.core.text.code.imports import may_have_imports  # noqa: PLC0415
    from ctxtui.tui.actions.related_files import visit_related  # noqa: PLC0415
    from ctxtui.workspace.links import related_links  # noqa: PLC0415

    if node is None or node.reference is None:
        return None
    if may_have_imports(node.reference.path):
        return await visit_related(desk, session, app, node.reference)
    found = await asyncio.to_thread(related_links, session.workspace, node.reference)
    named = _named(found)
    choices = [(name, link.reason if link.target else f"broken: {link.reason}") for name, link in named.items()]
    title = f"Follow from {node.reference.id}"
    name = await app.push_screen_wait(Choose(title, lambda: choices, "no links or triggers"))
    if name is None:
        return None
    link = named[name]
    if link.target is None:
        desk.tell(f"{link.label} leads nowhere: {link.reason}", "warning")
    return link.target


def _named(links: Iterable[RelatedLink]) -> dict[str, RelatedLink]:
    """Links by kind and text. Links with the same text are numbered."""
    times: Counter[str] = Counter()
    named = {}
    for link in links:
        name = f"{link.kind} {link.label}"
        times[name] += 1
        named[f"{name} ({times[name]})" if times[name] > 1 else name] = link
    return named
