"""Dialogs of the Audit screen: what they ask, and what they write after a yes, with undo."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import Any, Final, NamedTuple

from textual.app import App

from ctxtui.agents import what_if
from ctxtui.agents.capture.capture import question
from ctxtui.agents.capture.launches import Program, find_program, launches
from ctxtui.audit.fixes import Written, apply, commands, preview
from ctxtui.audit.reports.as_json import report_json
from ctxtui.audit.reports.as_markdown import to_markdown
from ctxtui.audit.reports.report import Report
from ctxtui.audit.reports.sarif import sarif_text
from ctxtui.audit.rules.phrases import short_list
from ctxtui.audit.slim.change import Change
from ctxtui.audit.slim.write import undo_written, write_changes
from ctxtui.audit.starts.look import Project, capture_starts
from ctxtui.audit.touch import touch_notices
from ctxtui.audit.types import Finding, Step
from ctxtui.audit.weigh import consent
from ctxtui.audit.weigh.in_words import server_row
from ctxtui.audit.weigh.types import Server, Weighed
from ctxtui.audit.write_ignore import ignore_entry, propose_ignore, would_be_ignored, write_ignore
from ctxtui.core.base.cancel import stopping
from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.root import Root, write_named
from ctxtui.core.text.projection import json_document
from ctxtui.tui import shown
from ctxtui.tui.actions.output import ask_path, download, write_with_consent
from ctxtui.tui.audit.figure_rows import sent_rows, touch_rows
from ctxtui.tui.desk import Desk
from ctxtui.tui.screens.dialogs import Ask, Choose, Confirm
from ctxtui.tui.widgets.fold_rows import Row
from ctxtui.workspace.resolve import resolve_folder

# The choice to look for user servers, too.
_HOME = "~"
# The size of a dialog on a small screen.
_WIDTH = 60
_MOST_LINES = 14

Writing = Callable[[App[Any], Root], Awaitable[tuple[Written, ...]]]
"""Ask, then write. Returns the written files, empty if canceled."""


async def ask_touched(app: App[object], desk: Desk, report: Report) -> list[Row] | None:
    """Rows of the loads for a path that the user enters, None if canceled. Raises ContextError if it leads out."""
    session = desk.now
    choices = [(path, "") for path in dict.fromkeys((*session.workspace.by_path, *session.workspace.paths))]
    path = await app.push_screen_wait(Choose("What if an agent touches", lambda: choices, is_free=True))
    if not path:
        return None
    found = what_if(report.result.agents, path)
    return list(touch_rows(path, found, touch_notices(session.workspace, path, found)))


async def ask_start_folder(app: App[object], desk: Desk) -> str | None:
    """The start folder of agents that the user enters, relative to the root, None if canceled."""
    workspace = desk.now.workspace

    def resolved(name: str) -> str:
        return resolve_folder(workspace, name.strip(), workspace.root)

    hint = "a folder of the project, such as tests; empty for its root"
    name = await app.push_screen_wait(Ask("Where do agents start?", hint, desk.cwd, resolved))
    return None if name is None else resolved(name)


async def ask_server(app: App[Any], desk: Desk, servers: Sequence[Weighed]) -> str | None:
    """The MCP server to weigh as `NAME=DIGEST`, empty if the user adds the home folder instead.

    None in a browser, after a canceled choice, and without consent to the launch.
    """
    if app.is_web:
        app.notify("no server is started from a browser; ctxtui audit --weigh-mcp weighs one", severity="warning")
        return None
    by_label = {f"{each.server.name}  {each.server.path_and_line}": each for each in servers if each.state != "off"}
    choices = [(label, server_row(each)[-1]) for label, each in by_label.items()]
    if not desk.now.workspace.scope.home:
        choices.append((_HOME, "also look in your home folder"))
    label = await app.push_screen_wait(Choose("Weigh an MCP server", lambda: choices, "no server matches"))
    if label is None:
        return None
    if label == _HOME:
        await desk.switch_home()
        return ""
    server = by_label[label].server
    if not consent.is_approved(server) and not await _has_consent(app, server):
        return None
    return f"{server.name}={server.digest}"


async def _has_consent(app: App[Any], server: Server) -> bool:
    """Ask for consent to a launch. One that is too long to be shown whole is refused with a message."""
    lines = list(consent.launch_lines(server))
    if sum(-(-len(line) // _WIDTH) for line in lines) > _MOST_LINES:
        command = f"ctxtui audit --weigh-mcp {shlex.quote(shown.line(server.name))}"
        app.notify(f"too long to show here; {command} shows it")
        return False
    asked = "\n".join(("Weighing starts this program, as its agents would:", "", *lines, "", "Start it?"))
    has_consent: bool = await app.push_screen_wait(Confirm(asked))
    return has_consent


async def capture_start(app: App[object], desk: Desk, report: Report, agent: str) -> list[Row] | None:
    """Start an agent after a yes. Returns rows of its start as it is sent, None without a yes.

    Lets the user choose if `agent` cannot be started. Raises ContextError in a browser, or if nothing is captured.
    """
    if app.is_web:
        raise invalid("no agent is started from a browser")
    project = Project(desk.now.workspace, report.result.agents, report.counter, desk.cwd)
    setting = await asyncio.to_thread(project.setting, "clean", False)
    programs = await asyncio.to_thread(_programs, report, setting.root)
    if agent not in programs:
        choices = [(id_, program.path) for id_, program in programs.items()]
        none = "no agent that reads this project is on the PATH"
        chosen = await app.push_screen_wait(Choose("Which agent to start?", lambda: choices, none))
        agent = chosen or ""
    if agent not in programs:
        return None
    lines = "\n".join(question(programs[agent], setting))
    if not await app.push_screen_wait(Confirm(f"Start {agent} and read what it sends at its start?", lines)):
        return None
    desk.tell(f"starting {agent}, up to a minute …")
    with stopping() as check:
        named = frozenset((agent,))
        starts = await asyncio.to_thread(capture_starts, project, named, lambda *_: True, check=check)
    if starts[0].why:
        raise ContextError("unavailable", f"{agent} was not captured: {starts[0].why}")
    return list(sent_rows(starts[0]))


def _programs(report: Report, root: Path) -> dict[str, Program]:
    """The program of each agent in the report that is installed and can be started, by the agent's id."""
    startable = (launches().get(each.agent.id) for each in report.result.agents)
    found = {launch.agent: find_program(launch, root) for launch in startable if launch is not None}
    return {id_: program for id_, program in found.items() if program is not None}


_WRITERS: Final[dict[str, Callable[[Report], bytes]]] = {
    ".md": lambda report: to_markdown(report).encode("utf-8", "replace"),
    ".json": lambda report: json_document(report_json(report), report.notices),
    ".sarif": lambda report: sarif_text(report).encode("utf-8", "replace"),
}
REPORT_NAME: Final = "audit.md"


async def write_report(app: App[object], report: Report) -> str | None:
    """Write the report to a named file, or in a browser as a download. Returns a message, None if canceled.

    Raises ContextError if the file cannot be written.
    """
    if app.is_web:
        download(app, REPORT_NAME, await asyncio.to_thread(_WRITERS[".md"], report))
        return f"sent {plural(len(report.findings), 'finding')} to the browser as {REPORT_NAME}"
    path = await ask_path(app, "Write the report to a file (.md, .json or .sarif)", REPORT_NAME, _check_suffix)
    if path is None:
        return None

    def write(force: bool) -> str:
        write_named(path, _WRITERS[path.suffix.casefold()](report), force=force)
        return f"wrote {plural(len(report.findings), 'finding')} to {path}"

    return await write_with_consent(app, write)


def _check_suffix(name: str) -> None:
    if PurePath(name).suffix.casefold() not in _WRITERS:
        raise invalid("end the name with .md, .json or .sarif")


class Changes:
    """The changes made on the Audit screen, which can be undone until the screen closes."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._written: list[tuple[Row, tuple[Written, ...]]] = []

    async def write(self, app: App[Any], row: Row, writing: Writing) -> str | None:
        """Call `writing`, which asks the user and writes files. Returns a message, None after a no or an error."""
        written = await self._desk.complaining(writing(app, self._desk.now.workspace.reader.root))
        if not written:
            return None
        self._written.append((row, written))
        return f"wrote {_paths(written)}"

    @property
    def is_empty(self) -> bool:
        return not self._written

    async def undo(self) -> tuple[str, Row] | None:
        """Undo the last change. Returns a message and the row of the change, None after an error, which is shown."""
        row, written = self._written[-1]
        try:
            await asyncio.to_thread(undo_written, self._desk.now.workspace.reader.root, written)
        except ContextError as error:
            self._desk.complain(error)
            return None
        self._written.pop()
        return f"undid the change of {_paths(written)}", row


async def _mend(steps: Sequence[Step], app: App[Any], root: Root) -> tuple[Written, ...]:
    diff = await asyncio.to_thread(preview, root, steps)
    if not await app.push_screen_wait(Confirm("Write this?", diff)):
        return ()
    return await asyncio.to_thread(apply, root, steps)


async def _make(change: Change, app: App[Any], root: Root) -> tuple[Written, ...]:
    question = f"{change.title}?\nSaves {change.in_words}.\nCould be lost: {change.lost}"
    if not await app.push_screen_wait(Confirm(question, change.diff)):
        return ()
    return (await asyncio.to_thread(write_changes, root, [change])).written


async def _ignore(finding: Finding, findings: Sequence[Finding], app: App[Any], root: Root) -> tuple[Written, ...]:
    """Ignore a finding for a reason, after a diff that says how many other `findings` this ignores, and a yes."""
    hint = f"the reason why {finding.rule} does not matter here; readers of the configuration see it"
    place = f" in {finding.path}" if finding.path else ""
    reason = await app.push_screen_wait(
        Ask(f"Ignore {finding.rule}{place} because", hint, check=partial(ignore_entry, finding))
    )
    if reason is None:
        return ()
    addition = await asyncio.to_thread(propose_ignore, root, finding, reason)
    question = "Write this?" if addition.before is not None else "Write this new file?"
    others = len(would_be_ignored(finding, findings)) - finding.count
    if others > 0:
        question = f"This also ignores {plural(others, 'other finding')} of {finding.rule}.\n{question}"
    if not await app.push_screen_wait(Confirm(question, addition.diff)):
        return ()
    await asyncio.to_thread(write_ignore, root, addition)
    return (addition.written,)


def _paths(written: Sequence[Written]) -> str:
    return short_list([each.path for each in written])


class Action(NamedTuple):
    """A description and one of three: files to `write` after a yes, a text to `copy`, a screen action to `run`."""

    about: str
    write: Writing | None = None
    copy: str = ""
    run: str = ""


def actions_on(row: Row, report: Report, saving: Change | None) -> dict[str, Action]:
    """The actions on a row by name, most useful first. `saving` is the change of the plan that mends its finding."""
    found: dict[str, Action] = {}
    change, finding = row.change or saving, row.finding
    if change is not None:
        found["shorten"] = Action(
            f"saves {change.tokens:,} tokens, after a diff: {change.title}", partial(_make, change)
        )
    if finding is not None and (steps := finding.remedy.steps):
        found["fix"] = Action(finding.remedy.words, partial(_mend, steps))
        fixes = [each.fix for each in report.findings if each.fix is not None and each.rule == finding.rule]
        if finding.rule == "token-drift" and len(fixes) > 1:
            found["fix all"] = Action(f"correct all {len(fixes):,} numbers", partial(_mend, fixes))
        if lines := commands(steps):
            found["command"] = Action(f"copy {lines[0]}", copy="\n".join(lines) + "\n")
    if row.path and not row.path.startswith("id:"):
        found["edit"] = Action("open the file in your editor, at the line", run="editor")
        found["go"] = Action("go to the file in the tree", run="go")
    if finding is not None:
        found["copy"] = Action("copy the finding, as a task for an agent", copy=report.adviser.as_task(finding))
    if finding is not None and finding not in report.problems:
        found["ignore"] = Action(
            "ignore it for a reason, in the configuration", partial(_ignore, finding, report.findings)
        )
    return found
