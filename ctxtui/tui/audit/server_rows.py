"""MCP servers of an audit as rows."""

from __future__ import annotations

from collections.abc import Iterator

from ctxtui.audit.reports.report import Report
from ctxtui.audit.weigh.consent import question
from ctxtui.audit.weigh.in_words import remarks, server_row
from ctxtui.audit.weigh.types import Weighed
from ctxtui.core.base.wording import plural
from ctxtui.tui import shown
from ctxtui.tui.audit.row import AuditRow, remark
from ctxtui.tui.widgets.rows import Cell

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
        for price in weighed.prices:
            told = f"start ≈{price.start:,}  loaded ≈{price.loaded:,}  always ≈{price.always:,}"
            source = f"\n{price.src}, checked {price.checked}" if price.src else ""
            left: tuple[Cell, ...] = ((f"    {price.agent}  ", "accent"), (told, ""))
            yield AuditRow(left, detail=f"{price.note}{source}", tokens=price.start, within=within)
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
