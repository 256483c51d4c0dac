"""Consent to run a server: asked for that very thing, and kept in the user's state folder, never in a project."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b

from ctxtui.audit.weigh.expand import names_taken
from ctxtui.audit.weigh.types import Launch, Server
from ctxtui.core.base.plain import plain_line
from ctxtui.core.disk.consents import is_agreed, keep_agreed, own_key

_KIND = "mcp"


def digest_of(launch: Launch) -> str:
    """What identifies a launch, 40 characters: all that is written of it, and what it gets of the environment.

    Each value can decide which code runs. As values may be secrets, the digest is keyed: nobody who sees it can
    try values for it, and another user has another one.
    """
    parts = [
        launch.transport,
        launch.command,
        launch.folder,
        launch.url,
        sorted(launch.env.items()),
        sorted(launch.headers.items()),
        sorted(launch.passed),
        launch.token_env,
        [[name, os.environ.get(name)] for name in names_taken(launch)],
    ]
    data = json.dumps(parts).encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=20, key=own_key()).hexdigest()


def question(server: Server) -> Iterator[str]:
    """What would run, in full, as lines for people; only secrets are hidden, and your own environment's values."""
    launch = server.launch
    if launch.command:
        yield f"runs      {shown_command(launch)}"
        yield f"in        {_shown(launch.folder)}"
    else:
        yield f"connects  {shown_url(launch)}"
    yield from _named("gets", (_variable(launch, name) for name in launch.variables))
    yield from _named("headers", sorted(launch.headers))
    yield from _named("reads", names_taken(launch), " of your environment")
    whose = "your own" if server.owner == "user" else "the project's"
    yield f"named in  {plain_line(server.place)}, {whose} file, for {', '.join(server.agents)}"
    yield f"digest    {server.digest}"


def shown_command(launch: Launch) -> str:
    """The command as one line without secrets; empty if there is none."""
    return _shown(" ".join(map(_quoted, launch.command)))


def shown_url(launch: Launch) -> str:
    """The URL without secrets: of its query only the names."""
    return _shown(re.sub(r"(?<=[?&])([^=&#]*)=[^&#]*", r"\1=…", launch.url))


def _variable(launch: Launch, name: str) -> str:
    """A variable with its value as written; without a value it is one of the user's environment."""
    if name not in launch.env:
        return name
    # A name can tell that its value is a secret.
    head, joint, value = _redacted(f"{name}={launch.env[name]}").partition("=")
    return f"{head}{joint}{_quoted(value)}"


def _named(head: str, names: Iterable[str], tail: str = "") -> Iterator[str]:
    names = list(names)
    if names:
        yield f"{head:<10}{plain_line(', '.join(names))}{tail}"


def _shown(text: str) -> str:
    return plain_line(_redacted(text))


def _redacted(text: str) -> str:
    from ctxtui.core.text.secrets import redact  # noqa: PLC0415 - only what is shown can hold one

    return redact(text)[0]


def _quoted(word: str) -> str:
    # Not `shlex.quote`, which turns newlines into more lines.
    return word if re.fullmatch(r"[\w@%+=:,./~${}-]+", word) else json.dumps(word, ensure_ascii=False)


def is_approved(server: Server) -> bool:
    """Whether the user has said yes to exactly this launch."""
    return is_agreed(_KIND, server.digest)


def approve(server: Server) -> None:
    """Keep the user's yes to this launch; raises ContextError (unavailable) if it cannot be kept."""
    keep_agreed(_KIND, server.digest, {"name": server.name, "place": server.place})
