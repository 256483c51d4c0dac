"""MCP servers of an audit as rows, and the dialogs to weigh them."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from textual.app import App

from ctxtui.audit.reports.report import Report
from ctxtui.audit.weigh.consent import is_approved, question
from ctxtui.audit.weigh.in_words import remarks, server_row
from ctxtui.audit.weigh.types import Price, Server, Weighed
from ctxtui.core.base.wording import plural
from ctxtui.tui import shown
from ctxtui.tui.audit.row import AuditRow, remark
from ctxtui.tui.desk import Desk
from ctxtui.tui.screens.dialogs import Choose, Confirm
from ctxtui.tui.widgets.rows import Cell

# The choice to look for user servers, too.
_HOME = "~"
# The size of a dialog on a small screen.
_WIDTH = 60
_MOST_LINES = 14
_STYLES = {"weighed": "", "failed": "over", "off": "dim", "unweighed": "dim"}


def server_rows(report: Report) -> Iterator[AuditRow]:
    servers = report.mcp.servers
    told = (
        "enter counts the tools of one, after you agree to start it" if servers else "enter looks in your home folder"
    )
    yield remark(told if servers else f"no agent here starts an MCP server; {told}", act="weigh")
    for weighed in servers:
        server = _server(weighed)
        yield server
        within = (server.group,) if server.group else ()
        yield from (replace(_price(price), within=within) for price in weighed.prices)
        for tool in sorted(weighed.tools, key=lambda tool: -tool.tokens):
            right: tuple[Cell, ...] = ((f"{shown.number(tool.tokens, report.counter):>8}", "dim"),)
            yield remark(f"  {tool.name}", "dim", right, tokens=tool.tokens, within=within)
    yield from (remark(str(notice), "warn", detail=notice.message) for notice in report.mcp.notices)
    yield from (remark(text, detail=text) for text in remarks(servers, report.counter))


def _server(weighed: Weighed) -> AuditRow:
    server = weighed.server
    name, agents, *_, state = server_row(weighed)
    is_known = weighed.listing is not None
    count = plural(len(weighed.tools), "tool") if is_known else ""
    left: tuple[Cell, ...] = (
        (f"{shown.line(name)}  ", "strong"),
        (f"{agents}  ", "accent"),
        (shown.line(server.place), "dim"),
    )
    detail = "\n".join([weighed.why, *question(server)] if weighed.why else question(server))
    is_ours = server.owner == "project"
    right = (f"{count}  ", ""), (shown.line(state), _STYLES[weighed.state])
    path, line = (server.path, server.line) if is_ours else (None, None)
    group = server.digest if weighed.prices or weighed.tools else ""
    words = shown.line(f"{name} {agents} {server.place}")
    return AuditRow(left, right, path, line, detail, group=group, is_open=True, words=words)


def _price(price: Price) -> AuditRow:
    told = f"start ≈{price.start:,}  loaded ≈{price.loaded:,}  always ≈{price.always:,}"
    source = f"\n{price.src}, checked {price.checked}" if price.src else ""
    left: tuple[Cell, ...] = ((f"    {price.agent}  ", "accent"), (told, ""))
    return AuditRow(left, detail=f"{price.note}{source}", tokens=price.start)


async def server_to_weigh(app: App[Any], desk: Desk, servers: Sequence[Weighed]) -> str | None:
    """The MCP server to weigh as `NAME=DIGEST`, empty if the user adds the home folder instead.

    None in a browser, after a canceled choice, and without consent to the launch.
    """
    if app.is_web:
        app.notify("no server is started from a browser; ctxtui audit --weigh-mcp weighs one", severity="warning")
        return None
    by_label = {f"{each.server.name}  {each.server.place}": each for each in servers if each.state != "off"}
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
    if not is_approved(server) and not await _is_allowed(app, server):
        return None
    return f"{server.name}={server.digest}"


async def _is_allowed(app: App[Any], server: Server) -> bool:
    """Whether the user consents to the launch. One that is too long to be shown whole is refused."""
    lines = list(question(server))
    if sum(-(-len(line) // _WIDTH) for line in lines) > _MOST_LINES:
        command = f"ctxtui audit --weigh-mcp {shlex.quote(shown.line(server.name))}"
        app.notify(f"too long to show here; {command} shows it")
        return False
    asked = "\n".join(("Weighing starts this program, as its agents would:", "", *lines, "", "Start it?"))
    is_allowed: bool = await app.push_screen_wait(Confirm(asked))
    return is_allowed
