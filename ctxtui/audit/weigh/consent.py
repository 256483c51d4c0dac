"""Consent to run one exact server, kept in the user's state folder and never in a project."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from hashlib import blake2b

from ctxtui.audit.weigh.expand import environment_names
from ctxtui.audit.weigh.types import Launch, Server, quoted, redacted, redacted_line
from ctxtui.core.base.plain import plain_line
from ctxtui.core.disk.consents import has_consent, own_key, record_consent

_KIND = "mcp"


def digest_of(launch: Launch) -> str:
    """The identity of a launch, 40 characters: its configuration and its environment values.

    Each value can decide which code runs. The digest is keyed, because values may be secrets: no one can guess them
    from it, and other users have other digests.
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
        [[name, os.environ.get(name)] for name in environment_names(launch)],
    ]
    data = json.dumps(parts).encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=20, key=own_key()).hexdigest()


def launch_lines(server: Server) -> Iterator[str]:
    """The full launch as lines for people. Secrets and values of your environment are hidden."""
    launch = server.launch
    if launch.command:
        yield f"runs      {launch.shown_command}"
        yield f"in        {redacted_line(launch.folder)}"
    else:
        yield f"connects  {launch.shown_url}"
    yield from _line_of_names("gets", (_variable(launch, name) for name in launch.variables))
    yield from _line_of_names("headers", sorted(launch.headers))
    yield from _line_of_names("reads", environment_names(launch), " of your environment")
    whose = "your own" if server.owner == "user" else "the project's"
    yield f"named in  {plain_line(server.path_and_line)}, {whose} file, for {', '.join(server.agents)}"
    yield f"digest    {server.digest}"


def _variable(launch: Launch, name: str) -> str:
    """A variable with its value as written. Without a value, it comes from the user's environment."""
    if name not in launch.env:
        return name
    # The name may show that the value is a secret.
    head, joint, value = redacted(f"{name}={launch.env[name]}").partition("=")
    return f"{head}{joint}{quoted(value)}"


def _line_of_names(head: str, names: Iterable[str], tail: str = "") -> Iterator[str]:
    names = list(names)
    if names:
        yield f"{head:<10}{plain_line(', '.join(names))}{tail}"


def is_approved(server: Server) -> bool:
    return has_consent(_KIND, server.digest)


def approve(server: Server) -> None:
    """Record consent to this launch. Raises ContextError (unavailable) if it cannot be stored."""
    record_consent(_KIND, server.digest, {"name": server.name, "place": server.path_and_line})
