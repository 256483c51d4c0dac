"""The data of Start: agents with the tokens of a model, changed files, recipes, the largest files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import nsmallest
from typing import NamedTuple

from ctxtui.agents import Start
from ctxtui.core.base.cancel import Check
from ctxtui.core.base.errors import ContextError
from ctxtui.core.text.metadata.reference import Reference
from ctxtui.session.agent_start import agent_starts, longer_starts, whole_starts
from ctxtui.session.figures import Figures, Total
from ctxtui.session.saved.recipe import recent_recipes
from ctxtui.session.session import Session
from ctxtui.workspace.workspace import Workspace

_CHANGED, _RECIPES, _LARGEST = 5, 5, 8


class ListedFile(NamedTuple):
    """A file of Start with its tokens, and its git mark if it has uncommitted changes."""

    reference: Reference
    total: Total
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Dashboard:
    """The sections of Start in order.

    Agents start in the folder `cwd`, `longer` names folders with longer starts. `changed` lists the latest changed
    files, `changed_ids` all of them, `deleted` counts deleted files. `recipes` are the newest recipes with their
    times, `files` the largest files. While agents are read, `is_reading`, and only `files` are known.
    """

    cwd: str = ""
    starts: tuple[Start, ...] = ()
    longer: tuple[str, ...] = ()
    changed: tuple[ListedFile, ...] = ()
    changed_ids: tuple[str, ...] = ()
    deleted: int = 0
    recipes: tuple[tuple[str, datetime], ...] = ()
    files: tuple[ListedFile, ...] = ()
    is_reading: bool = False


def dashboard(
    session: Session,
    figures: Figures,
    marks: Mapping[str, str],
    cwd: str = "",
    starts: tuple[Start, ...] | None = None,
) -> Dashboard:
    """The data of Start, in the root if the folder `cwd` does not exist any more. Files are read and counted.

    `marks` are the git marks of changed files by path. `starts` are computed unless given. Unreadable recipes are
    left out.
    """
    workspace, cwd = session.workspace, start_folder(session, cwd)
    starts = starts_in(session, cwd) if starts is None else starts
    changed = _changed_files(workspace, figures.totals, marks)
    return Dashboard(
        cwd,
        starts,
        longer_starts(workspace, cwd),
        changed[:_CHANGED],
        tuple(each.reference.id for each in changed),
        sum(mark == "D" for mark in marks.values()),
        _newest_recipes(workspace),
        largest_files(workspace, figures.totals),
    )


def first_dashboard(session: Session, figures: Figures, cwd: str) -> Dashboard:
    """The data of Start that is known before agents are read."""
    return Dashboard(cwd, files=largest_files(session.workspace, figures.totals), is_reading=True)


def largest_files(workspace: Workspace, totals: Mapping[str, Total], count: int = _LARGEST) -> tuple[ListedFile, ...]:
    """The `count` files with the most tokens, largest first, without large data, empty and uncounted files."""
    counted = (
        ListedFile(each, total)
        for each in workspace.references
        if (total := totals.get(each.id)) is not None and total.counted and total.tokens and not each.large
    )
    return tuple(nsmallest(count, counted, key=lambda each: (-each.total.tokens, each.reference.path)))


def start_folder(session: Session, cwd: str) -> str:
    """`cwd`, or the project's root if the folder does not exist any more."""
    return cwd if session.workspace.reader.root.exists(cwd) else ""


def starts_in(session: Session, cwd: str) -> tuple[Start, ...]:
    """The starts of agents in a folder. Reads and counts files. Raises ContextError outside the project."""
    workspace, budget = session.workspace, session.budget
    return agent_starts(workspace, budget.counter, budget.window, cwd, workspace.home.at)


def with_whole_counts(data: Dashboard, session: Session, check: Check) -> Dashboard:
    """The dashboard with the starts of `whole_starts`, whose counts are better than an estimate where possible.

    `check` is called before each text, and its exceptions end the work.
    """
    workspace, counter = session.workspace, session.budget.counter
    return replace(data, starts=whole_starts(data.starts, workspace.text, counter, workspace.reader.ledger, check))


def _changed_files(
    workspace: Workspace, totals: Mapping[str, Total], marks: Mapping[str, str]
) -> tuple[ListedFile, ...]:
    """The listed files with a mark, each once, last modified first."""
    by_id = {
        reference.id: ListedFile(reference, totals.get(reference.id, Total()), mark)
        for path, mark in marks.items()
        if (reference := workspace.by_path.get(path)) is not None
    }
    return tuple(sorted(by_id.values(), key=lambda each: (-each.reference.stamp.mtime_ns, each.reference.path)))


def _newest_recipes(workspace: Workspace) -> tuple[tuple[str, datetime], ...]:
    try:
        return tuple(recent_recipes(workspace.reader.root)[:_RECIPES])
    except ContextError:
        # Opening a recipe reports the error.
        return ()
