"""Rules about the MCP servers that agents start: one twice, one tool name twice, large definitions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ctxtui.audit.context import Audited
from ctxtui.audit.rules.phrases import listed
from ctxtui.audit.types import Finding, Severity
from ctxtui.audit.weigh.types import Launch, Server, Weighed
from ctxtui.core.base.wording import noun, plural


def servers_twice(audited: Audited) -> Iterator[Finding]:
    """One server that an agent starts under two names, or that two of its files name."""
    for found, agents in _groups(audited):
        names = list(dict.fromkeys(each.server.name for each in found))
        places = listed([each.server.place for each in found])
        who, server = listed(agents), found[-1].server
        if len(names) > 1:
            pay = noun(len(agents), "pays", "pay")
            message = f"{listed(names)} are the same MCP server, so {who} {pay} for its tools each time ({places})"
            tokens = sum(_start(each, agents) for each in found[1:])
            yield _finding("server-twice", "warning", server, message, tokens, agents, names[0])
        else:
            get = noun(len(agents), "gets", "get")
            files = plural(len(found), "file")
            message = f"{who} {get} the MCP server {names[0]} from {files}; one is enough ({places})"
            yield _finding("server-twice", "info", server, message, 0, agents, names[0])


def tools_twice(audited: Audited) -> Iterator[Finding]:
    """Tool names that two servers of one agent share."""
    shared: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
    weighed = [each for each in audited.settings.servers if each.tools]
    for at, one in enumerate(weighed):
        for further, other in enumerate(weighed[at + 1 :], at + 1):
            agents = _both(one, other)
            if (
                agents
                and not _is_same(one.server.launch, other.server.launch)
                and one.server.name != other.server.name
            ):
                shared[at, further] |= {tool.name for tool in one.tools} & {tool.name for tool in other.tools}
    for (at, further), names in shared.items():
        if names:
            yield _shared(weighed[at], weighed[further], sorted(names))


def heavy_tools(audited: Audited) -> Iterator[Finding]:
    """Definitions of tools that are larger than a limit."""
    for each in audited.settings.servers:
        for tool in each.tools:
            if tool.tokens > audited.settings.tool_tokens:
                message = (
                    f"the tool {tool.name} of the MCP server {each.server.name} takes {plural(tool.tokens, 'token')}"
                )
                made = _finding(
                    "heavy-tool", "warning", each.server, message, tool.tokens, each.server.agents, tool.name
                )
                yield replace(made, evidence=f"its definition as JSON, {audited.measured}")


def _shared(one: Weighed, other: Weighed, names: Sequence[str]) -> Finding:
    sizes = {tool.name: tool.tokens for tool in other.tools}
    tokens = sum(sizes[name] for name in names)
    agents = _both(one, other)
    message = (
        f"{one.server.name} and {other.server.name} both offer {listed(names)}: {listed(agents)} can confuse them,"
        f" and {noun(len(agents), 'pays', 'pay')} for both"
    )
    return _finding("tool-twice", "warning", other.server, message, tokens, agents, one.server.name)


def _groups(audited: Audited) -> Iterator[tuple[list[Weighed], tuple[str, ...]]]:
    """Servers that are the same and belong to one agent, with the agents that they share."""
    left = [each for each in audited.settings.servers if each.state != "off"]
    while left:
        first, *left = left
        same = [each for each in left if _is_same(first.server.launch, each.server.launch) and _both(first, each)]
        if same:
            left = [each for each in left if each not in same]
            yield [first, *same], _both(first, same[-1])


def _is_same(one: Launch, other: Launch) -> bool:
    """Whether two launches differ in nothing but the folder."""
    return replace(one, folder="") == replace(other, folder="")


def _both(one: Weighed, other: Weighed) -> tuple[str, ...]:
    return tuple(agent for agent in one.server.agents if agent in other.server.agents)


def _start(weighed: Weighed, agents: Sequence[str]) -> int:
    return max((price.start for price in weighed.prices if price.agent in agents), default=0)


def _finding(
    rule: str, severity: Severity, server: Server, message: str, tokens: int, agents: Sequence[str], subject: str
) -> Finding:
    """A finding about a server; a file of the user has no place in the project."""
    is_ours = server.owner == "project"
    path, line = (server.path, server.line) if is_ours else (None, None)
    evidence, agent = f"named in {server.place}", agents[0] if len(agents) == 1 else None
    return Finding(rule, severity, message, path, line, tokens, evidence, agent, f"{server.name}: {subject}")
