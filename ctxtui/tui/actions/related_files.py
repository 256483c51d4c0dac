"""Related files in the app: the summary line in View, and the dialog that lists them."""

from __future__ import annotations

import asyncio

from textual.app import App

from ctxtui.core.base.cancel import Check, stopping
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.wording import plural
from ctxtui.core.text.code.imports import lacks_import_grammar
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.queries.related_picks import useful
from ctxtui.session.session import Session
from ctxtui.tui import shown
from ctxtui.tui.desk import Desk
from ctxtui.tui.keys.keymap import key_for
from ctxtui.tui.screens.dialogs import Choose
from ctxtui.tui.work.background import PAUSE
from ctxtui.workspace.related.related import NEEDS, Related, related


async def related_line(session: Session, reference: Reference) -> str:
    """Wait a moment, then return a line with the number and tokens of the related files, empty if there are none."""
    if lacks_import_grammar(reference.path):
        return ""
    await asyncio.sleep(PAUSE)
    with stopping() as check:
        return await asyncio.to_thread(_summary_line, session, reference, check)


def _summary_line(session: Session, reference: Reference, check: Check) -> str:
    try:
        rows = related(session.workspace, reference.id, session.budget.counter, check)
    except ContextError:
        # The file is not in this snapshot.
        return ""
    tokens = shown.sized(sum(row.tokens or 0 for row in rows), session.budget.counter)
    return f"{plural(len(rows), 'related file')}, {tokens}" if rows else ""


async def visit_related(desk: Desk, session: Session, app: App[object], reference: Reference) -> str | None:
    """The id of the related file that the user chooses. None if canceled, or if the last row picked the nearest."""
    found: dict[str, Related] = {}

    def find() -> list[tuple[str, str]]:
        rows = related(session.workspace, reference.id, session.budget.counter)
        found.update((row.id, row) for row in rows)
        choices = [(row.id, f"{row.kind:<11}  {_size(session, row):>7}") for row in rows]
        wanted = useful(rows)[0]
        if wanted:
            words = f"pick {'all' if len(wanted) == len(rows) else 'the nearest'} {len(wanted):,}"
            tokens = sum(row.tokens or 0 for row in wanted)
            choices.append((words, shown.sized(tokens, session.budget.counter)))
        return choices

    title = f"Related to {reference.id}"
    if lacks_import_grammar(reference.path):
        title += f", without {NEEDS}"
    chosen = await app.push_screen_wait(Choose(title, find, "no related files"))
    if chosen is None or chosen in found:
        return chosen
    ids = [row.id for row in useful(found.values())[0]]
    desk.attempt(lambda now: now.pick_in_order(ids))
    desk.tell(f"picked {plural(len(ids), 'related file')}; {key_for(app, 'undo')} drops them again")
    return None


def _size(session: Session, row: Related) -> str:
    return "cannot be read" if row.tokens is None else shown.number(row.tokens, session.budget.counter)
