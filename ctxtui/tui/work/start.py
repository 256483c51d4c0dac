"""The data and actions of Start, for threads. The modules of agents are imported there, after the first frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ctxtui.core.base.cancel import Check
from ctxtui.session.figures import Figures
from ctxtui.session.session import Session

if TYPE_CHECKING:
    from ctxtui.agents import Start
    from ctxtui.session.dashboard import Dashboard
    from ctxtui.session.pick_start import PickedStart


def folder_in(session: Session, cwd: str) -> str:
    from ctxtui.session.dashboard import start_folder  # noqa: PLC0415

    return start_folder(session, cwd)


def starts_in(session: Session, cwd: str) -> tuple[Start, ...]:
    from ctxtui.session import dashboard  # noqa: PLC0415

    return dashboard.starts_in(session, cwd)


def dashboard_of(
    session: Session, figures: Figures, marks: Mapping[str, str], cwd: str, starts: tuple[Start, ...]
) -> Dashboard:
    from ctxtui.session.dashboard import dashboard  # noqa: PLC0415

    return dashboard(session, figures, marks, cwd, starts)


def first_dashboard_of(session: Session, figures: Figures, cwd: str) -> Dashboard:
    from ctxtui.session.dashboard import first_dashboard  # noqa: PLC0415

    return first_dashboard(session, figures, cwd)


def better(data: Dashboard, session: Session, check: Check) -> Dashboard:
    from ctxtui.session.dashboard import known_better  # noqa: PLC0415

    return known_better(data, session, check)


def pick_agent(session: Session, start: Start, cwd: str) -> PickedStart:
    from ctxtui.session.pick_start import pick_start  # noqa: PLC0415

    return pick_start(session, start, cwd)
