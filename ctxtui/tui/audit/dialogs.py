"""What the Audit screen asks: which file to touch, where agents start, which server to weigh."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

from textual.app import App

from ctxtui.agents import what_if
from ctxtui.audit.reports.report import Report
from ctxtui.audit.touch import touch_notices
from ctxtui.core.base.errors import ContextError
from ctxtui.tui.audit.figure_rows import touch_rows
from ctxtui.tui.audit.row import AuditRow
from ctxtui.tui.audit.server_rows import HOME, ask_weigh
from ctxtui.tui.desk import Desk
from ctxtui.tui.screens.dialogs import Ask, Choose
from ctxtui.workspace.resolve import resolve_folder

Answer = TypeVar("Answer")


async def complaining(desk: Desk, asking: Awaitable[Answer]) -> Answer | None:
    """What the user answered; an error is shown."""
    try:
        return await asking
    except ContextError as error:
        desk.complain(error)
        return None


async def touched(app: App[object], desk: Desk, report: Report) -> list[AuditRow] | None:
    """What agents load when they touch a file that the user chooses, which need not exist; None if they chose none.

    Raises ContextError for a path outside of the project.
    """
    session = desk.session
    if session is None:
        return None
    choices = [(path, "") for path in dict.fromkeys((*session.workspace.by_path, *session.workspace.paths))]
    path = await app.push_screen_wait(Choose("What if an agent touches", lambda: choices, is_free=True))
    if not path:
        return None
    found = what_if(report.result.agents, path)
    return list(touch_rows(path, found, touch_notices(session.workspace, path, found)))


async def start_folder(app: App[object], desk: Desk) -> str | None:
    """The folder below the project's root where agents start; None if the user changed their mind."""
    if desk.session is None:
        return None
    workspace = desk.session.workspace

    def check(name: str) -> None:
        resolve_folder(workspace, name.strip(), workspace.root)

    hint = "a folder of the project, such as tests; empty for its root"
    name = await app.push_screen_wait(Ask("Where do agents start?", hint, desk.cwd, check))
    return None if name is None else resolve_folder(workspace, name.strip(), workspace.root)


async def server_to_weigh(app: App[object], desk: Desk, report: Report) -> str | None:
    """The MCP server that the user wants to weigh; empty if those at home were read for it, None if they left."""
    has_home = desk.session is not None and desk.session.workspace.scope.home
    word = await ask_weigh(app, report.mcp.servers, has_home)
    if word != HOME:
        return word
    await desk.switch_home()
    return ""
