"""What Start shows and does, for threads: what agents load is imported there, after the first frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ctxtui.core.cancel import Check
from ctxtui.session.figures import Figures
from ctxtui.session.session import Session

if TYPE_CHECKING:
    from ctxtui.agents import Start
    from ctxtui.session.dashboard import Dashboard
    from ctxtui.session.pick_start import PickedStart
    from ctxtui.workspace.workspace import Workspace


def readers_of(workspace: Workspace) -> dict[str, int]:
    """For every document, how many agents read it in full at the start."""
    from ctxtui.session.agent_start import agents_at_start  # noqa: PLC0415

    return agents_at_start(workspace)


def folder_in(session: Session, cwd: str) -> str:
    """The folder where agents start: the project's own if `cwd` does not exist any more."""
    from ctxtui.session.dashboard import start_folder  # noqa: PLC0415

    return start_folder(session, cwd)


def starts_in(session: Session, cwd: str) -> tuple[Start, ...]:
    """What agents start with in a folder; reads and counts files. Raises ContextError for one outside the project."""
    from ctxtui.session import dashboard  # noqa: PLC0415

    return dashboard.starts_in(session, cwd)


def dashboard_of(
    session: Session, figures: Figures, marks: Mapping[str, str], cwd: str, starts: tuple[Start, ...]
) -> Dashboard:
    """What Start shows; `marks` are those of changed files, by path, and `starts` those in the folder `cwd`."""
    from ctxtui.session.dashboard import dashboard  # noqa: PLC0415

    return dashboard(session, figures, marks, cwd, starts)


def better(data: Dashboard, session: Session, check: Check) -> Dashboard:
    """With starts counted whole as far as that is possible; an exception of `check` ends the work."""
    from ctxtui.session.dashboard import known_better  # noqa: PLC0415

    return known_better(data, session, check)


def pick_agent(session: Session, start: Start, cwd: str) -> PickedStart:
    """The session with the start of an agent picked; raises ContextError if a file cannot be read."""
    from ctxtui.session.pick_start import pick_start  # noqa: PLC0415

    return pick_start(session, start, cwd)
