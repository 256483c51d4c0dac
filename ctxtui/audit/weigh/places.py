"""The MCP servers that agents start, in project files and, on request, in user files, and how agents load them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ctxtui.agents import Agent, load_table
from ctxtui.agents.project.configuration import MAX_NAMES, Read, parse, value_at
from ctxtui.agents.types import Deferral
from ctxtui.audit.weigh.consent import digest_of
from ctxtui.audit.weigh.forms import entries_of, fields_of
from ctxtui.audit.weigh.types import Launch, Owner, Server, Transport
from ctxtui.core.base.errors import ContextError, Gone
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.base.wording import plural
from ctxtui.core.disk.root import Root
from ctxtui.core.text.data import schema
from ctxtui.core.text.data.bounds import DataProblem
from ctxtui.core.text.data.lines import Steps, key_lines
from ctxtui.core.text.data.schema import Place, Reader
from ctxtui.core.text.globs import compile_glob
from ctxtui.workspace.opening.user_files import Places

PART = "MCP server"
CODE = "mcp-server"
_MAX_BYTES = 16 * 1024 * 1024
_MOST_SERVERS = 200
_MOST_IN_ALL = 500
_LONGEST = 200
_LONGEST_LAUNCH = 20_000
_TRANSPORTS: Mapping[str, Transport] = {
    **dict.fromkeys(("stdio", "local"), "stdio"),
    **dict.fromkeys(("http", "remote", "streamable-http", "streamableHttp", "streamable_http"), "http"),
    "sse": "sse",
}
_SECTIONS = ("mcpServers", "servers")
NOTHING_CHANGED: Mapping[str, bytes] = {}
_OFF = ("false", "0", "off", "no")
_AUTO = re.compile(r"auto(?::([0-9]{1,3}))?")
# Percent of the window, if `auto` names none.
_USUAL = 10


@dataclass(frozen=True, slots=True)
class _Table:
    """A possible table of servers: its file, the keys that lead to it, its form, its owner and its agent."""

    path: str
    keys: Steps
    form: str
    owner: Owner
    agent: str


def find_servers(
    root: Root,
    paths: Sequence[str],
    agents: Sequence[Agent],
    found: Collection[str],
    on_notice: OnNotice,
    folder: str = "",
    home: Places | None = None,
    changed: Mapping[str, bytes] = NOTHING_CHANGED,
) -> tuple[Server, ...]:
    """The servers of a project's agents, one per entry, project files first. `home` adds user files.

    `paths` are the project's, `found` the ids of its agents, `folder` is where they start. `changed` has contents, by
    path, that replace those on disk. A file for several agents counts for agents in use, or for all if none is.
    Broken entries become notices.
    """
    tables = [*_project_tables(paths, agents, folder), *(_user_tables(agents, root, home) if home else ())]
    servers: dict[tuple[Owner, str, Steps, str], Server] = {}
    for table in tables:
        source, path = home.place(table.path) if home and table.owner == "user" else (root, table.path)
        # Servers of the user start at home, even if the agent's folder is elsewhere.
        at_home = home.root if home and table.owner == "user" else None
        start = str(at_home.path if at_home else root.path / folder)
        for server in _servers(source, path, table, start, on_notice, changed):
            key = server.owner, server.path, table.keys, server.name
            known = servers.get(key)
            if known is None and len(servers) >= _MOST_IN_ALL:
                on_notice(Notice(CODE, f"only the first {_MOST_IN_ALL} MCP servers are looked at", server.path))
                break
            both = (*known.agents, *server.agents) if known else server.agents
            servers[key] = replace(known or server, agents=tuple(dict.fromkeys(both)))
    used = (
        replace(each, agents=tuple(agent for agent in each.agents if agent in found) or each.agents)
        for each in servers.values()
    )
    return tuple(used)


def _project_tables(paths: Sequence[str], agents: Sequence[Agent], folder: str) -> Iterator[_Table]:
    """The tables that agents read in a project, whether their files exist or not."""
    for agent in agents:
        row = deferral_of(agent.id)
        refs = [ref for part in agent.uncounted if part.what == PART for ref in part.places]
        for ref in () if agent.installable else (*refs, *row.project):
            file, _, keys = ref.partition("#")
            for path in _matching(f"{folder}/{file}" if folder else file, paths):
                yield _Table(path, _steps(keys), row.form, "project", agent.id)


def _matching(pattern: str, paths: Sequence[str]) -> Sequence[str]:
    """The paths that match a pattern. A pattern without `*` is one path, even if it is not in `paths`."""
    if "*" not in pattern:
        return (pattern,)
    matches = compile_glob(pattern).matches
    return [path for path in paths if matches(path)][:MAX_NAMES]


def _user_tables(agents: Sequence[Agent], root: Root, home: Places) -> Iterator[_Table]:
    """The tables that agents read at home. A file there that the project contains belongs to the project."""
    for agent in agents:
        row = deferral_of(agent.id)
        for ref in row.user:
            file, _, keys = ref.partition("#")
            if file in row.beside and agent.home in home.moved:
                file = f"{agent.home}/{file}"
            steps = tuple(str(root.path) if step == "{project}" else step for step in _steps(keys))
            inside = _path_in_project(root, home, file)
            owner: Owner = "project" if inside else "user"
            yield _Table(inside or file, steps, row.form, owner, agent.id)


def _path_in_project(root: Root, home: Places, file: str) -> str | None:
    """The project path of a file in the home folder, or None if the project does not contain it."""
    place, inner = home.place(file)
    try:
        real = place.resolve(inner) if place else None
    except ContextError:
        return None
    return real.relative_to(root.path).as_posix() if real and real.is_relative_to(root.path) else None


def _steps(keys: str) -> Steps:
    return tuple(keys.split(".")) if keys else ()


def _servers(
    source: Root | None, path: str, table: _Table, start: str, on_notice: OnNotice, changed: Mapping[str, bytes]
) -> Iterator[Server]:
    """The servers of one table in the file at `path` of `source`, none without a file. They start in `start`."""
    if source is None:
        return
    shown = f"~/{table.path}" if table.owner == "user" else table.path
    try:
        new = changed.get(path) if table.owner == "project" else None
        raw = (source.read(path, _MAX_BYTES).data if new is None else new).decode("utf-8-sig", "replace")
    except Gone:
        return
    except ContextError as error:
        message = error.message.replace("the project", "your home folder" if table.owner == "user" else "the project")
        on_notice(Notice(CODE, f"{message}; its MCP servers are unknown", shown))
        return
    if new == b"":
        # A change removes the file.
        return
    try:
        value = parse(table.path, raw)
    except DataProblem as problem:
        on_notice(Notice(CODE, f"{problem}; its MCP servers are unknown", shown, problem.line + 1))
        return
    steps, value = _server_table(table, value)
    entries = list(entries_of(table.form, value))
    line_at = key_lines(table.path, raw)
    if len(entries) > _MOST_SERVERS:
        message = f"{plural(len(entries) - _MOST_SERVERS, 'server')} beyond the first {_MOST_SERVERS} left out"
        on_notice(Notice(CODE, message, shown))
    for name, further, entry in entries[:_MOST_SERVERS]:
        way = (*steps, *further)
        line = line_at(way)
        place = Place(lambda _steps: shown, private=True).at(*way)
        try:
            yield _server(table, shown, line, name, entry, place, start)
        except ContextError as error:
            hint = f"; {error.hint}" if error.hint else ""
            told = f"{error.message.removeprefix(f'{shown}: ')}; this MCP server is left out{hint}"
            on_notice(Notice(CODE, told, shown, line))


def _server_table(table: _Table, value: Any) -> tuple[Steps, Any]:
    """The keys to the table of servers in parsed data, and the table. If no keys are given, usual names are tried."""
    if not table.keys and isinstance(value, Mapping):
        key = next((key for key in _SECTIONS if isinstance(value.get(key), Mapping | list)), None)
        return ((key,), value[key]) if key else ((), {})
    for step in table.keys:
        value = value.get(step) if isinstance(value, Mapping) else None
    return table.keys, value


def _server(table: _Table, shown: str, line: int | None, name: str, entry: Any, place: Place, start: str) -> Server:
    """The server of an entry at `place`. Raises ContextError (invalid_request) for a broken entry."""
    if not isinstance(entry, Mapping):
        raise place.should_be("a table", entry)
    if not 0 < len(name) <= _LONGEST:
        raise place.wrong(f"has a name that is empty or longer than {_LONGEST} characters")
    row = deferral_of(table.agent)
    fields = fields_of(table.form, entry)
    said = {field: _READERS[field](place.at(key), value) for field, (key, value) in fields.items()}
    launch = _launch(place, said, start)
    if len(repr((launch, launch.env, launch.headers))) > _LONGEST_LAUNCH:
        raise place.wrong(f"has more than {_LONGEST_LAUNCH:,} characters, too many to review")
    return Server(
        name,
        (table.agent,),
        shown,
        ".".join(map(str, table.keys)),
        line,
        table.owner,
        launch,
        digest_of(launch),
        is_off=said.get("off", False) or not said.get("on", True),
        always_loads=bool(row.always) and entry.get(row.always) is True,
        only=None if "*" in said.get("only", ("*",)) else frozenset(said["only"]),
        without=frozenset(said.get("without", ())),
    )


def _launch(place: Place, said: Mapping[str, Any], start: str) -> Launch:
    """How a server starts in the folder `start`, or its URL. Raises ContextError for both or neither."""
    command = (*said.get("command", ()), *said.get("args", ()))
    url = said.get("url", "")
    if bool(command) == bool(url):
        raise place.wrong("should have either a `command` or a `url`")
    if not command:
        transport: Transport = "sse" if said.get("transport") == "sse" else "http"
        return Launch((), url, transport, "", {}, said.get("headers", {}), (), said.get("token_env", ""))
    folder = str(Path(start) / said["cwd"]) if said.get("cwd") else start
    return Launch(command, "", "stdio", folder, said.get("env", {}), {}, said.get("passed", ()), "")


def _word(place: Place, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float) or "\0" in str(value):
        raise place.should_be("a string", value)
    return str(value)


def _command(place: Place, value: object) -> tuple[str, ...]:
    words = _words(place, value) if isinstance(value, list) else (schema.filled(place, value),)
    if not words or not words[0].strip():
        raise place.wrong("should name a program")
    return words


_words = schema.many(_word, "a list of strings")


def _transport(place: Place, value: object) -> Transport:
    found = _TRANSPORTS.get(value) if isinstance(value, str) else None
    if found is None:
        raise place.should_be(f"one of {', '.join(_TRANSPORTS)}", value)
    return found


_VALUES = schema.table(_word, wanted="a table of strings")
_READERS: Mapping[str, Reader] = {
    "command": _command,
    "args": _words,
    "cwd": schema.filled,
    "env": _VALUES,
    "passed": _words,
    "url": schema.filled,
    "headers": _VALUES,
    "token_env": schema.filled,
    "transport": _transport,
    "off": schema.flag,
    "on": schema.flag,
    "only": _words,
    "without": _words,
}


def deferral_of(agent: str) -> Deferral:
    """How an agent, by id, loads MCP tools: its row of the packaged table, or the default."""
    found = (each.servers for each in load_table() if each.id == agent)
    return next(filter(None, found), Deferral(agent))


def switched(row: Deferral, reads: Iterable[Read]) -> Deferral:
    """The row after the agent's settings. Each of `reads` gives a file's text by path. The last setting wins."""
    said = [str(value).lower() for read in reads for ref in row.switch if (value := value_at(ref, read)) is not None]
    if not said:
        return row
    setting = row.switch[0].rpartition(".")[2]
    if said[-1] in _OFF:
        return replace(row, defers="no", note=f"{setting} is {said[-1]}.")
    if (share := _AUTO.fullmatch(said[-1])) is not None:
        return replace(row, share=min(int(share[1] or _USUAL), 100), note=f"{setting} is {said[-1]}")
    return row
