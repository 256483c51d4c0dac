"""Price the MCP servers of a project by their current or cached listings."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from posixpath import join
from typing import Final

from ctxtui.agents import Agent, load_table
from ctxtui.agents.project.configuration import Read, names_at
from ctxtui.agents.project.paths import Index, is_used
from ctxtui.agents.types import Deferral
from ctxtui.audit.weigh.consent import approve, is_approved, launch_lines
from ctxtui.audit.weigh.places import CODE, NOTHING_CHANGED, deferral_of, find_servers, switched
from ctxtui.audit.weigh.types import (
    Definition,
    Outcome,
    Price,
    Server,
    ServerListing,
    ToolSize,
    Weighed,
    Weighing,
    definition_json,
)
from ctxtui.core.base.cancel import Check, go_on
from ctxtui.core.base.errors import ContextError, NotFound, invalid
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.base.packed import pack
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import near_or_all, plural
from ctxtui.core.disk.cache import user_cache
from ctxtui.core.disk.root import Root
from ctxtui.core.tokens.counter import TokenCounter
from ctxtui.workspace.opening.find_user_files import home_places
from ctxtui.workspace.opening.user_files import text_of
from ctxtui.workspace.workspace import Workspace

WINDOW: Final = 200_000
"""The context window, in tokens, of an agent that names none."""

_NOTES = {
    "unknown": "Not known to defer tools.",
    "no": "All tools load at the start.",
    "model": "",
    "yes": "",
}

ALL = "all"
_WITH_DIGEST = re.compile(r"(.+)=([0-9a-f]{40})", re.DOTALL)

_KIND: Final = "servers"
# A newer program need not start a server again. Increase this if the form of a listing changes.
_FORM: Final = b"2"


def with_thresholds(
    servers: Sequence[Weighed], rows: Mapping[str, Deferral], windows: Mapping[str, int]
) -> tuple[Weighed, ...]:
    """The servers with start prices for agents that defer tools only if these exceed a share of the window.

    `windows` are tokens by agent id. A price's note counts servers never weighed, whose definitions are unknown.
    """
    decided = {agent: row for agent, row in rows.items() if row.share is not None and row.defers == "yes"}
    fits = {agent: _fit(row, servers, windows.get(agent) or WINDOW) for agent, row in decided.items()}

    def judged(price: Price) -> Price:
        is_in, note = fits[price.agent]
        return replace(price, start=price.always if is_in else price.start, note=note)

    def one(each: Weighed) -> Weighed:
        prices = (
            judged(price) if price.agent in fits and not each.server.always_loads else price for price in each.prices
        )
        return replace(each, prices=tuple(prices))

    return tuple(map(one, servers))


def _fit(row: Deferral, servers: Sequence[Weighed], window: int) -> tuple[bool, str]:
    """Whether all deferrable tools fit in the share of the `window` that a row allows, and a sentence about it."""
    share = row.share or 0
    mine = [each for each in servers if row.agent in each.server.agents and not each.server.always_loads]
    total = sum(price.loaded for each in mine for price in each.prices if price.agent == row.agent)
    unknown = sum(each.state in ("unweighed", "failed") for each in mine)
    is_in = total <= window * share // 100
    room = f"{share} % of the window of {window:,}"
    outcome = (
        f"all tools load at the start, because their ≈{total:,} tokens fit in {room}"
        if is_in
        else f"tools are deferred, because their ≈{total:,} tokens do not fit in {room}"
    )
    rest = f"; {plural(unknown, 'server')} not weighed" if unknown and is_in else ""
    return is_in, f"{row.note}: {outcome}{rest}."


def price(server: Server, listing: ServerListing, rows: Mapping[str, Deferral], counter: TokenCounter) -> Weighed:
    """Price a server: the tokens of its instructions and tools, and a price for each agent."""
    used = [tool for tool in listing.tools if server.uses(tool.name)]
    counts = counter.counts([definition_json(tool) for tool in used])
    sizes = tuple(ToolSize(plain_line(tool.name), size) for tool, size in zip(used, counts, strict=True))
    prices = tuple(_price(server, listing, used, rows[agent], counter) for agent in server.agents)
    instructions = counter.count(listing.instructions)
    return Weighed(server, "weighed", "", listing, instructions, sizes, prices)


def _price(
    server: Server, listing: ServerListing, used: list[Definition], row: Deferral, counter: TokenCounter
) -> Price:
    sent = [_sent(server, tool, row) for tool in used]
    instructions = counter.count(_cut(listing.instructions, row))
    sizes = counter.counts([definition_json(tool) for tool in sent])
    loaded = sum(sizes)
    always = instructions + loaded
    start = always
    if row.defers == "yes" and not server.always_loads:
        at_start = [bool(row.mark and tool.meta.get(row.mark) is True) for tool in used]
        names = "\n".join(tool.name for tool, marked in zip(sent, at_start, strict=True) if not marked)
        marked = sum(size for size, marked in zip(sizes, at_start, strict=True) if marked)
        start = instructions + counter.count(names) + marked
    note = row.note or _NOTES[row.defers]
    if server.always_loads:
        note = f"`{row.always}` is set: all its tools load at the start."
    return Price(row.agent, start, loaded, always, row.defers, note, row.src, row.checked)


def _sent(server: Server, tool: Definition, row: Deferral) -> Definition:
    """A tool as an agent sends it, as far as known: under its full name, with the description cut."""
    name = row.tool.format(server=server.name, tool=tool.name)
    return replace(tool, name=name, description=_cut(tool.description, row))


def _cut(text: str, row: Deferral) -> str:
    return f"{text[: row.longest]}{row.ending}" if 0 < row.longest < len(text) else text


def approve_chosen(words: Sequence[str], servers: Sequence[Server], repeat: str) -> tuple[Server, ...]:
    """The servers that words name: `NAME`, `NAME=DIGEST`, or `all` approved servers.

    Naming a server of the user's own configuration approves it. A project server needs its digest once. Raises
    ContextError (invalid_request) for a server that is not approved, with its launch and the command that begins with
    `repeat`. NotFound for an unknown name.
    """
    found: dict[Server, None] = {}
    for word in words:
        approved = (each for each in servers if not each.is_off and is_approved(each))
        found |= dict.fromkeys(approved if word == ALL else _approve_named_servers(word, servers, repeat))
    return tuple(found)


def _approve_named_servers(word: str, servers: Sequence[Server], repeat: str) -> list[Server]:
    """The approved servers that `NAME` or `NAME=DIGEST` names. Records new consent."""
    given = _WITH_DIGEST.fullmatch(word)
    name = given[1] if given else word
    named = [server for server in servers if server.name == name]
    if not named:
        hint = near_or_all(name, dict.fromkeys(server.name for server in servers)) if servers else None
        raise NotFound(
            f"no agent here starts an MCP server {plain_line(name)!r}",
            hint=hint or "--user also looks for servers in your home folder",
        )
    if given:
        said = [server for server in named if server.digest == given[2]]
        if not said:
            raise _consent_error(
                f"the configuration of {plain_line(name)} is not the one with this digest", named, repeat
            )
        for server in said:
            approve(server)
        return said
    own = [server for server in named if server.owner == "user"]
    for server in own:
        approve(server)
    ready = own or [server for server in named if is_approved(server)]
    if not ready:
        message = f"{plain_line(name)} is named by the project, so weighing it needs your consent to exactly this"
        raise _consent_error(message, named, repeat)
    return ready


def _consent_error(message: str, servers: Sequence[Server], repeat: str) -> ContextError:
    lines: list[str] = []
    for server in {server.digest: server for server in servers}.values():
        word = shlex.quote(f"{plain_line(server.name)}={server.digest}")
        lines += [*launch_lines(server), f"to run it, repeat: {repeat} --weigh-mcp {word}"]
    return invalid(message, hint="\n".join(lines))


def weigh_servers(
    workspace: Workspace,
    counter: TokenCounter,
    words: Sequence[str] = (),
    *,
    folder: str = "",
    window: int | None = None,
    check: Check = go_on,
    changed: Mapping[str, bytes] = NOTHING_CHANGED,
) -> Weighing:
    """The MCP servers of a project's agents, with prices if they were ever weighed.

    `words` name servers to run and weigh now, as `approve_chosen` reads them. They end if `check` raises Stopped.
    `folder` is where agents start. The user's own servers count if the workspace was opened with user files. `window`
    is the window of the model in tokens, by default each agent's usual window. `changed` has contents, by path, that
    replace those on disk. Raises ContextError if a word names an unknown or unapproved server, or if the MCP SDK is
    missing.
    """
    notices: dict[Notice, None] = {}
    root, scope = workspace.reader.root, workspace.scope
    table = scope.table or load_table()
    home = home_places(load_table()) if scope.home else None
    index = Index(workspace.paths)
    found = [agent.id for agent in table if is_used(agent, index, folder)]
    reads = [*([lambda path: text_of(*home.place(path))] if home else []), _reader(root, folder, changed)]
    servers = _switched_off(
        find_servers(root, workspace.paths, table, found, notices.setdefault, folder, home, changed), table, reads
    )
    repeat = f"ctxtui audit {shlex.quote(str(root.path))}{' --user' if scope.home else ''}"
    outcomes = _ask_and_cache(approve_chosen(words, servers, repeat), notices.setdefault, check)
    agents = {agent for server in servers for agent in server.agents}
    rows = {agent: switched(deferral_of(agent), reads) for agent in agents}
    windows = {agent.id: window or agent.window for agent in table}
    weighed = [_weighed(server, outcomes, rows, counter) for server in servers]
    return Weighing(with_thresholds(weighed, rows, windows), tuple(notices))


def _switched_off(servers: Sequence[Server], table: Sequence[Agent], reads: Sequence[Read]) -> tuple[Server, ...]:
    """The servers, each only with the agents that have not switched it off.

    A server that all its agents switch off keeps them and is marked `is_off`. The user's own servers stay as they
    are. `reads` read configuration files.
    """
    off: defaultdict[str, set[str]] = defaultdict(set)
    for agent in table:
        lists = [each for each in agent.switches if each.what == "server" and not each.values]
        places = [ref for each in lists for ref in (each.place, *each.also)]
        off[agent.id].update(name for read in reads for name, _ in names_at(places, read, [""]))

    def one(server: Server) -> Server:
        left = tuple(agent for agent in server.agents if server.owner == "user" or server.name not in off[agent])
        return replace(server, agents=left) if left else replace(server, is_off=True)

    return tuple(map(one, servers))


def _ask_and_cache(chosen: Sequence[Server], on_notice: OnNotice, check: Check) -> dict[str, Outcome]:
    """The listing or failure of each server by digest, asked now. Failures become notices.

    Listings are cached, unless they repeat values that the server received, or secrets.
    """
    asked = {server.digest: server for server in chosen}
    if not asked:
        return {}
    from ctxtui.audit.weigh.server_tools import list_servers  # noqa: PLC0415 - most audits weigh no server

    outcomes = dict(zip(asked, list_servers([each.launch for each in asked.values()], check=check), strict=True))
    for digest, outcome in outcomes.items():
        server = asked[digest]
        if isinstance(outcome, ContextError):
            on_notice(Notice(CODE, f"{server.name} cannot be weighed: {_reason(outcome)}", server.path, server.line))
        elif outcome.repeated:
            what = ", ".join(outcome.repeated)
            message = f"{server.name} lists what looks like {what}: it is counted, but not kept"
            on_notice(Notice(CODE, message, server.path, server.line))
        else:
            user_cache().keep_snapshot(_KIND, digest.encode(), pack(outcome), version=_FORM)
    return outcomes


def _weighed(
    server: Server,
    outcomes: Mapping[str, Outcome],
    rows: Mapping[str, Deferral],
    counter: TokenCounter,
) -> Weighed:
    """A server priced by its new or cached listing, or the reason why there is none."""
    outcome = outcomes.get(server.digest)
    if isinstance(outcome, ContextError):
        return Weighed(server, "failed", _reason(outcome))
    if server.is_off and outcome is None:
        return Weighed(server, "off", "its configuration turns it off")
    listing = outcome or user_cache().snapshot_value(_KIND, server.digest.encode(), _FORM)
    is_known = isinstance(listing, ServerListing)
    return price(server, listing, rows, counter) if is_known else Weighed(server, "unweighed")


def _reason(error: ContextError) -> str:
    hint = f"; {error.hint}" if error.hint else ""
    # The client speaks about retrieval engines. Only its detail fits any server.
    head, joint, detail = error.message.partition(": ")
    is_general = head.startswith("the engine")
    said = detail if is_general and joint else error.message.replace("the engine", "it", 1)
    return f"{said}{hint}"


def _reader(root: Root, folder: str, changed: Mapping[str, bytes]) -> Read:
    """A function from a name in `folder` to the file's text, None if it is unreadable."""

    def read(name: str) -> str | None:
        path = join(folder, name)
        try:
            return (changed[path] if path in changed else root.read(path).data).decode("utf-8-sig", "replace")
        except ContextError:
            return None

    return read
