"""Which servers to weigh: those that the user names on the command line, with consent for each."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence

from ctxtui.audit.weigh.consent import approve, is_approved, question
from ctxtui.audit.weigh.types import Server
from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.base.plain import plain_line
from ctxtui.core.base.wording import near_or_all

ALL = "all"
_WITH_DIGEST = re.compile(r"(.+)=([0-9a-f]{40})", re.DOTALL)


def chosen(words: Sequence[str], servers: Sequence[Server], repeat: str) -> tuple[Server, ...]:
    """The servers that words name: `NAME`, `NAME=DIGEST`, or `all` for those that were approved before.

    Naming a server of the user's own configuration approves it; one of the project needs its digest. Raises
    ContextError (invalid_request) that shows what would run for a server that is not approved, with the command
    that `repeat` begins; NotFound for a name that no server has.
    """
    found: dict[Server, None] = {}
    for word in words:
        found |= dict.fromkeys(_approved(servers) if word == ALL else _named(word, servers, repeat))
    return tuple(found)


def _approved(servers: Iterable[Server]) -> list[Server]:
    return [server for server in servers if not server.is_off and is_approved(server)]


def _named(word: str, servers: Sequence[Server], repeat: str) -> list[Server]:
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
            raise _asking(f"the configuration of {plain_line(name)} is not the one with this digest", named, repeat)
        for server in said:
            approve(server)
        return said
    own = [server for server in named if server.owner == "user"]
    for server in own:
        approve(server)
    ready = own or [server for server in named if is_approved(server)]
    if not ready:
        message = f"{plain_line(name)} is named by the project, so weighing it needs your consent to this very thing"
        raise _asking(message, named, repeat)
    return ready


def _asking(message: str, servers: Sequence[Server], repeat: str) -> ContextError:
    lines: list[str] = []
    for server in {server.digest: server for server in servers}.values():
        word = shlex.quote(f"{plain_line(server.name)}={server.digest}")
        lines += [*question(server), f"to run it, repeat: {repeat} --weigh-mcp {word}"]
    return ContextError("invalid_request", message, hint="\n".join(lines))
