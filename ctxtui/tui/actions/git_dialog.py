"""The dialog for git queries: a diff, changed files or commit messages."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final

from textual.app import App

from ctxtui.core.base.wording import plural
from ctxtui.session.queries.git_picks import with_git
from ctxtui.session.queries.git_questions import KINDS, Kind, git_query
from ctxtui.session.session import Session
from ctxtui.tui.desk import Desk
from ctxtui.tui.keys.keymap import key_for
from ctxtui.tui.screens.dialogs import Choose
from ctxtui.tui.work.changes import GitChanges, known_bases

_WHAT: Final = {
    "changed": "changed files",
    "sections": "changed sections",
    "diff": "changed lines",
    "log": "messages",
}


async def pick_from_git(desk: Desk, session: Session, app: App[object]) -> None:
    """Let the user pick a git query that finds anything now. Raises ContextError without git."""
    if desk.git.error is not None:
        raise desk.git.error
    title, none = "Pick from git, computed at each build; or type: diff v1..v2", "nothing matches"
    find = partial(_choices, session.workspace.root, desk.git)
    answer = await app.push_screen_wait(Choose(title, find, none, is_free=True))
    if answer is None:
        return
    kind, word = _read(answer)
    found = await asyncio.to_thread(with_git, session, {kind: word})
    name, data = git_query(kind, word)
    query = next(each for each in found.selection.queries if each.name == name)
    count = len(found.answers[query.definition].items)
    if not count:
        desk.tell(f"{name} finds nothing now; nothing is picked")
        return
    desk.attempt(lambda now: replace(now, answers={**found.answers, **now.answers}).with_query(name, data))
    items = plural(count, "commit" if kind == "log" else "file")
    desk.tell(f"picked {name}: {items}; {key_for(app, 'undo')} drops it again")


def _read(answer: str) -> tuple[Kind, str]:
    """The kind of git query in a text, and its argument, such as a range. A text that names no kind is a diff."""
    first, _, rest = answer.strip().partition(" ")
    kind = next((each for each in KINDS if each == first.rstrip(":")), None)
    return (kind, rest.strip()) if kind else ("diff", answer.strip())


def _choices(root: Path, git: GitChanges) -> list[tuple[str, str]]:
    """Git queries to choose from, each with a description: those since the chosen base first, empty ones last."""
    # Nothing has changed since the branch that is checked out.
    names = [each.name for each in known_bases(root) if not each.is_head]
    since = {base: [_since(kind, base) for kind in KINDS] for base in (git.base, *names) if base}
    working = [(kind, f"{_WHAT[kind]}, uncommitted") for kind in KINDS if kind != "log"]
    staged = [(f"{kind} staged", f"{_WHAT[kind]}, staged") for kind in KINDS if kind != "log"]
    found, empty = since.pop(git.chosen or "", []), list[tuple[str, str]]()
    for choices, changes in ((working, git.tree.working), (staged, git.tree.staged)):
        (found if changes.by_path else empty).extend(choices)
    return [*found, *chain.from_iterable(since.values()), *empty]


def _since(kind: Kind, base: str) -> tuple[str, str]:
    word = f"{base}..HEAD" if kind == "log" else base
    return f"{kind} {word}", f"{_WHAT[kind]} since {base}"
