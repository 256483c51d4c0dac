"""Rules about MCP servers: entries with faults, duplicates, duplicate tool names, large definitions."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ctxtui.agents.project.configuration import parse_data, value_at
from ctxtui.audit.context import Audited
from ctxtui.audit.rules.phrases import short_list
from ctxtui.audit.rules.remedies import replace_on_line
from ctxtui.audit.types import Finding, Remedy, Severity
from ctxtui.audit.weigh.types import Launch, Server, Weighed, redacted_line
from ctxtui.core.base.wording import noun, plural
from ctxtui.core.text.data.lines import key_lines


def servers_twice(audited: Audited) -> Iterator[Finding]:
    """A server that an agent starts under two names, which costs its tools again, or that two of its files name."""
    for found, agents in _same_servers(audited):
        names = list(dict.fromkeys(each.server.name for each in found))
        places = short_list([each.server.path_and_line for each in found])
        who, server = short_list(agents), found[-1].server
        if len(names) > 1:
            pay = noun(len(agents), "pays", "pay")
            same = f"{short_list(names)} are the same MCP server"
            message = f"{same}, so {who} {pay} for its tools each time ({places})"
            prices = ([price.start for price in each.prices if price.agent in agents] for each in found[1:])
            tokens = sum(max(each, default=0) for each in prices)
            yield _finding("server-twice", "warning", server, message, tokens, agents, names[0])
        else:
            get = noun(len(agents), "gets", "get")
            files = plural(len(found), "file")
            message = f"{who} {get} the MCP server {names[0]} from {files}; one is enough ({places})"
            yield _finding("server-twice", "info", server, message, 0, agents, names[0])


def tools_twice(audited: Audited) -> Iterator[Finding]:
    """Tool names that two servers of one agent share, as far as their tools are known."""
    shared: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
    weighed = [each for each in audited.settings.servers if each.tools]
    for at, one in enumerate(weighed):
        for further, other in enumerate(weighed[at + 1 :], at + 1):
            agents = _common_agents(one, other)
            if (
                agents
                and not _is_same(one.server.launch, other.server.launch)
                and one.server.name != other.server.name
            ):
                shared[at, further] |= {tool.name for tool in one.tools} & {tool.name for tool in other.tools}
    for (at, further), names in shared.items():
        if not names:
            continue
        one, other = weighed[at], weighed[further]
        sizes = {tool.name: tool.tokens for tool in other.tools}
        tokens, agents = sum(sizes[name] for name in names), _common_agents(one, other)
        message = (
            f"{one.server.name} and {other.server.name} both offer {short_list(sorted(names))}: {short_list(agents)}"
            f" {noun(len(agents), 'pays', 'pay')} for both"
        )
        yield _finding("tool-twice", "info", other.server, message, tokens, agents, one.server.name)


def heavy_tools(audited: Audited) -> Iterator[Finding]:
    """Tool definitions with more tokens than the setting `tool_tokens`."""
    for each in audited.settings.servers:
        for tool in each.tools:
            if tool.tokens > audited.settings.tool_tokens:
                server, tokens = each.server, plural(tool.tokens, "token")
                message = f"the tool {tool.name} of the MCP server {server.name} takes {tokens}"
                made = _finding("heavy-tool", "info", server, message, tool.tokens, server.agents, tool.name)
                yield replace(made, evidence=f"its definition as JSON, {audited.measured}")


# Programs that fetch a package, and their flags that take the next word.
_RUNNERS = ("npx", "bunx", "uvx", "pipx")
_TAKES = frozenset("-p --package --from --with --python -c --call --index-url".split())
_PINNED = re.compile(r".[@=]=?[\^~]?v?\d|^git\+\w+://[^/]+/.*@|^\w+:[^@]*#|^[./~]|\$")
_URL = re.compile(r"https?://|\$|\{")
_PLACEHOLDER = re.compile(r"//[^/]*\bexample\.(?:com|org|net)\b|<[^>]+>|\byour[-_.]", re.IGNORECASE)
_OF_ONE_MACHINE = re.compile(
    r"(?:^|[=,\s]|file://)(?:/?[A-Za-z]:[\\/]+(?!Program Files|Windows)|/Users/|/home/|/mnt/[a-z]/)\S"
)
_PATH_TO = re.compile(r"(?:^|[=/\\])(?:path[/\\]to|absolute[/\\]path)[/\\]", re.IGNORECASE)
# The project is a plugin of Claude Code.
_PLUGIN = ".claude-plugin/plugin.json"
_UNTYPED = "no type"
# The address of a server of the older transport, also as the default of a variable.
_SSE = re.compile(r"/sse/?\}?$")
_KEY_END = re.compile(r"[\"']?\s*:")
# Lists of servers: the agent, the key that it reads, that of other agents, and a source.
_LISTS = {
    ".cursor/mcp.json": ("cursor", "Cursor", "mcpServers", "servers", "https://cursor.com/docs/context/mcp"),
    ".mcp.json": ("claude-code", "Claude Code", "mcpServers", "servers", "https://code.claude.com/docs/en/mcp"),
    ".vscode/mcp.json": (
        "copilot",
        "VS Code",
        "servers",
        "mcpServers",
        "https://code.visualstudio.com/docs/copilot/reference/mcp-configuration",
    ),
}
# Visual Studio reads `servers` in a list beside a solution.
_SOLUTION = re.compile(r"\.slnx?$")
# Their arguments may be paths of a container or of another machine.
_ELSEWHERE = ("docker", "podman", "ssh")


def broken_servers(audited: Audited) -> Iterator[Finding]:
    """Servers of the project that cannot start, or that start another version every time."""
    for each in audited.settings.servers:
        if each.state != "off" and each.server.owner == "project":
            check = _address_faults if each.server.launch.url else _command_faults
            yield from check(audited, each.server)
    yield from _lists_under_other_key(audited)


def _lists_under_other_key(audited: Audited) -> Iterator[Finding]:
    """Lists of servers under a key that only another agent reads."""
    for path, (agent, who, key, other, src) in _LISTS.items():
        text = audited.text(path) or ""
        data = parse_data(path, text)
        is_for_ide = "/" not in path and any(map(_SOLUTION.search, audited.paths))
        if key in data or not data.get(other) or not isinstance(data[other], dict) or is_for_ide:
            continue
        line = key_lines(path, text)((other,)) or 1
        message = f"{who} loads no MCP servers from this file: it reads `{key}`, but the list is under `{other}`"
        # The same word may be an argument of a server.
        fixes = replace_on_line(audited, path, line, other, key)
        steps = [fix for fix in fixes if _KEY_END.match(text, fix.end)][:1]
        remedy = Remedy(f"rename it to `{key}`", hint=key, steps=tuple(steps))
        yield Finding("broken-server", "warning", message, path, line, 0, src, agent, other, remedy)


def _address_faults(audited: Audited, server: Server) -> Iterator[Finding]:
    """Findings about a URL that leads nowhere, and about one without a `type` in a file that Claude Code reads."""
    launch, who = server.launch, f"the MCP server {server.name}"
    if _PLACEHOLDER.search(launch.url) or not _URL.match(launch.url):
        yield _broken_finding(server, f"{who} has a URL that leads nowhere: {launch.shown_url}", "write its address")
    claude = tuple(agent for agent in server.agents if agent.startswith("claude"))
    if claude and posixpath.basename(server.path) == ".mcp.json":
        table = value_at(f".mcp.json#{server.key}", audited.text, posixpath.dirname(server.path))
        entry = table.get(server.name) if isinstance(table, dict) else None
        if isinstance(entry, dict) and "url" in entry and "type" not in entry:
            message = f"Claude Code drops {who}, which has a `url` and no `type`"
            many = "Claude Code drops {count} MCP servers, which have a `url` and no `type`"
            remedy = f'write `"type": "{"sse" if _SSE.search(str(entry["url"])) else "http"}"`'
            note = _note_finding(replace(server, agents=claude[:1]), message, remedy, _UNTYPED, many)
            is_for_claude = len(claude) == len(server.agents) or audited.exists(_PLUGIN)
            yield replace(note, severity="warning") if is_for_claude else note


def _command_faults(audited: Audited, server: Server) -> Iterator[Finding]:
    """Findings about a command that cannot start, takes the newest package, or names a path of one machine."""
    launch, who = server.launch, f"the MCP server {server.name}"
    words = launch.command
    # A program that sets variables starts the words behind it.
    behind = words[words.index("--") + 1 :] if "--" in words else ()
    words = behind if behind and behind[0] in _RUNNERS else words
    program = posixpath.basename(words[0])
    first_word, blank, _ = words[0].partition(" ")
    if len(words) == 1 and blank and posixpath.basename(first_word) in _RUNNERS:
        message = f"{who} runs a program named {redacted_line(words[0])!r}; only its first word is a program"
        yield _broken_finding(server, message, "write its other words as `args`")
    package = _fetched_package(words[1:]) if program in _RUNNERS else None
    if package == "":
        yield _broken_finding(server, f"{who} runs {words[0]} without a package", "name its package")
    elif package and not _PINNED.search(package):
        message = f"{who} takes the newest {package} at every start"
        remedy = "name a tag or a commit" if ":" in package else "name a version, as in `NAME@1.2.3`"
        many = "{count} entries of MCP servers take the newest version at every start"
        yield _note_finding(server, message, remedy, "no version", many)
    is_here = posixpath.basename(launch.command[0]) not in _ELSEWHERE and not audited.is_made_later(server.path)
    # Without a folder of its own, a server starts in that of the project.
    is_ours = Path(launch.folder).is_relative_to(audited.workspace.reader.root.path)
    for word in (*launch.command, "" if is_ours else launch.folder) if is_here else ():
        if (is_mark := _PATH_TO.search(word)) or _OF_ONE_MACHINE.search(word):
            message = f"{who} names {redacted_line(word)}, {'a placeholder' if is_mark else 'a path of one machine'}"
            many = "{count} entries of MCP servers name paths that other machines do not have"
            remedy = "name a program, or a path below the project"
            yield _note_finding(server, message, remedy, "path of one machine", many)
            break


def _broken_finding(server: Server, message: str, remedy: str) -> Finding:
    finding = _finding("broken-server", "warning", server, message, 0, server.agents, "launch")
    return replace(finding, remedy=Remedy(remedy))


def _note_finding(server: Server, message: str, remedy: str, cause: str, many: str) -> Finding:
    broken = _broken_finding(server, message, remedy)
    # Each agent of a project has a file for the same servers.
    agent = broken.agent if cause == _UNTYPED else None
    return replace(broken, severity="info", agent=agent, cause=cause, many=many)


def _fetched_package(words: Sequence[str]) -> str:
    """The package that the words behind a program name, empty if they name none."""
    rest = list(words[1:] if words[:1] == ("run",) else words)
    while rest and rest[0].startswith("-"):
        flag = rest.pop(0)
        if flag in ("-p", "--package", "--from") and rest:
            return rest[0]
        if flag.partition("=")[0] in ("--package", "--from") and "=" in flag:
            return flag.partition("=")[2]
        if flag in _TAKES and rest:
            rest.pop(0)
    return rest[0] if rest else ""


def _same_servers(audited: Audited) -> Iterator[tuple[list[Weighed], list[str]]]:
    """Groups of servers with the same launch, each with the agents that have exactly these."""
    found: defaultdict[tuple[int, ...], list[str]] = defaultdict(list)
    servers = [each for each in audited.settings.servers if each.state != "off"]
    for agent in dict.fromkeys(agent for each in servers for agent in each.server.agents):
        own = [place for place, each in enumerate(servers) if agent in each.server.agents]
        for first in own:
            launch = servers[first].server.launch
            same = tuple(place for place in own if _is_same(launch, servers[place].server.launch))
            if len(same) > 1 and same[0] == first:
                found[same].append(agent)
    return (([servers[place] for place in places], agents) for places, agents in sorted(found.items()))


def _is_same(one: Launch, other: Launch) -> bool:
    """Whether two launches are equal apart from their working directory."""
    return replace(one, folder="") == replace(other, folder="")


def _common_agents(one: Weighed, other: Weighed) -> tuple[str, ...]:
    return tuple(agent for agent in one.server.agents if agent in other.server.agents)


def _finding(
    rule: str, severity: Severity, server: Server, message: str, tokens: int, agents: Sequence[str], subject: str
) -> Finding:
    """A finding about a server. The user's own files have no place in the project."""
    is_ours = server.owner == "project"
    path, line = (server.path, server.line) if is_ours else (None, None)
    evidence, agent = f"named in {server.path_and_line}", agents[0] if len(agents) == 1 else None
    return Finding(rule, severity, message, path, line, tokens, evidence, agent, f"{server.name}: {subject}")
