"""Weighing: servers with their prices, from what they list now or listed when they were last asked."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ctxtui.agents import Agent, load_table
from ctxtui.agents.configuration import Read, names_at
from ctxtui.agents.paths import Index, is_found
from ctxtui.audit.weigh.cache import cached, keep
from ctxtui.audit.weigh.choice import chosen
from ctxtui.audit.weigh.deferrals import deferral_of, switched
from ctxtui.audit.weigh.places import CODE, find_servers
from ctxtui.audit.weigh.prices import price
from ctxtui.audit.weigh.thresholds import with_thresholds
from ctxtui.audit.weigh.types import Deferral, Listing, Server, Weighed, Weighing
from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.disk.root import Root
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.opening.find_user_files import home_places
from ctxtui.workspace.opening.user_files import Places, text_of
from ctxtui.workspace.workspace import Workspace


def look(
    workspace: Workspace,
    table: Sequence[Agent],
    counter: TokenCounter,
    words: Sequence[str] = (),
    *,
    folder: str = "",
    user: bool = False,
    window: int | None = None,
    check: Check = go_on,
) -> Weighing:
    """The MCP servers that agents start in a project, with prices as far as they were ever weighed.

    `words` name those to weigh now, as `chosen` reads them, which runs them; they end once `check` raises Stopped.
    `folder` is where agents start; with `user`, servers of the user's own configuration are looked at too.
    `window` is the model's in tokens, without which the usual one of each agent counts. Raises ContextError if a
    word names a server that does not exist or is not approved, or if one must run and the MCP SDK is not installed.
    """
    notices: dict[Notice, None] = {}

    def tell(notice: Notice) -> None:
        notices[notice] = None

    root = workspace.reader.root
    home = home_places(load_table()) if user else None
    index = Index(workspace.paths)
    found = [agent.id for agent in table if is_found(agent, index, folder)]
    reads = [*([_home_reader(home)] if home else []), _reader(root)]
    servers = _switched_off(find_servers(root, workspace.paths, table, found, tell, folder, home), reads)
    repeat = f"ctxtui audit {shlex.quote(str(root.path))}{' --user' if user else ''}"
    outcomes = _asked(chosen(words, servers, repeat), tell, check)
    rows = _rows(servers, reads)
    windows = {agent.id: window or agent.window for agent in table}
    weighed = [_weighed(server, outcomes, rows, counter) for server in servers]
    return Weighing(with_thresholds(weighed, rows, windows), tuple(notices))


def _switched_off(servers: Sequence[Server], reads: Sequence[Read]) -> tuple[Server, ...]:
    """The servers, without the agents whose settings turn one off; without any agent it is off."""
    agents = {agent for server in servers for agent in server.agents}
    off = {
        agent: {name for read in reads for name, _ in names_at(deferral_of(agent).off_in, read, [""])}
        for agent in agents
    }

    def one(server: Server) -> Server:
        left = tuple(agent for agent in server.agents if server.owner == "user" or server.name not in off[agent])
        return replace(server, agents=left) if left else replace(server, is_off=True)

    return tuple(map(one, servers))


def _asked(now: Sequence[Server], on_notice: OnNotice, check: Check) -> dict[str, Listing | ContextError]:
    """What servers list now, by digest; what can be kept is kept."""
    asked = {server.digest: server for server in now}
    if not asked:
        return {}
    from ctxtui.audit.weigh.listing import list_servers  # noqa: PLC0415 - most audits weigh no server

    outcomes = dict(zip(asked, list_servers([each.launch for each in asked.values()], check=check), strict=True))
    for digest, outcome in outcomes.items():
        _tell(asked[digest], outcome, on_notice)
        if isinstance(outcome, Listing):
            keep(digest, outcome)
    return outcomes


def _weighed(
    server: Server,
    outcomes: Mapping[str, Listing | ContextError],
    rows: Mapping[str, Deferral],
    counter: TokenCounter,
) -> Weighed:
    outcome = outcomes.get(server.digest)
    if isinstance(outcome, ContextError):
        return Weighed(server, "failed", _why(outcome))
    if server.is_off and outcome is None:
        return Weighed(server, "off", "its configuration turns it off")
    listing = outcome or cached(server.digest)
    return price(server, listing, rows, counter) if listing else Weighed(server, "unweighed")


def _why(error: ContextError) -> str:
    hint = f"; {error.hint}" if error.hint else ""
    # What the client says about engines of retrieval; its detail alone is about any server.
    head, joint, detail = error.message.partition(": ")
    is_general = head.startswith("the engine")
    said = detail if is_general and joint else error.message.replace("the engine", "it", 1)
    return f"{said}{hint}"


def _tell(server: Server, outcome: Listing | ContextError, on_notice: OnNotice) -> None:
    if isinstance(outcome, ContextError):
        on_notice(Notice(CODE, f"{server.name} cannot be weighed: {_why(outcome)}", server.path, server.line))
    elif outcome.repeated:
        what = ", ".join(outcome.repeated)
        message = f"{server.name} lists what looks like {what}: it is counted, but not kept"
        on_notice(Notice(CODE, message, server.path, server.line))


def _rows(servers: Sequence[Server], reads: Sequence[Read]) -> dict[str, Deferral]:
    """What is known of the servers' agents, as settings change it; the last one wins."""
    agents = {agent for server in servers for agent in server.agents}
    return {agent: switched(deferral_of(agent), reads) for agent in agents}


def _home_reader(home: Places) -> Read:
    return lambda path: text_of(*home.place(path))


def _reader(root: Root) -> Read:
    def read(path: str) -> str | None:
        try:
            return root.read(path).data.decode("utf-8-sig", "replace")
        except ContextError:
            return None

    return read
