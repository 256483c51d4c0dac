"""Consent to run a server: asked for that very thing, and kept in the user's state folder, never in a project."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import blake2b

from ctxtui.audit.weigh.expand import names_taken
from ctxtui.audit.weigh.types import Launch, Server
from ctxtui.core.agreed import is_agreed, keep_agreed
from ctxtui.core.plain import plain_line

_KIND = "mcp"
# Variables that decide which code runs: their values are part of the question.
_STEERING = re.compile(
    r"PATH|PATHEXT|ENV|BASH_ENV|ZDOTDIR|SHELL|HOME|LD_.*|DYLD_.*|NODE_.*|NPM_CONFIG_.*|DENO_.*|BUN_.*|PYTHON.*|PIP_.*"
    r"|UV_.*|PERL5.*|RUBY.*|GEM_.*|BUNDLE_.*|_?JAVA_.*|JDK_.*|DOTNET_.*|GO.*|CARGO.*|RUST.*|GIT_.*|SSH_.*|DOCKER_.*"
    r"|.*_PROXY|.*_PRELOAD|.*_ASKPASS|COMSPEC|SYSTEMROOT",
    re.IGNORECASE,
)


def digest_of(launch: Launch) -> str:
    """What identifies a launch, 40 characters: command, folder, URL, and names of variables and headers.

    Values are left out, because they may be secrets, except those of variables that decide which code runs.
    """
    parts = [
        launch.transport,
        launch.command,
        launch.folder,
        launch.url,
        [[name, launch.env.get(name) if _STEERING.fullmatch(name) else None] for name in launch.variables],
        sorted(launch.headers),
        names_taken(launch),
    ]
    return blake2b(json.dumps(parts).encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


def question(server: Server) -> Iterator[str]:
    """What would run, in full, as lines for people; secrets are hidden, and values of most variables not shown."""
    launch = server.launch
    if launch.command:
        yield f"runs      {shown_command(launch)}"
        yield f"in        {_shown(launch.folder)}"
    else:
        yield f"connects  {shown_url(launch)}"
    variables = [f"{name}={_shown(launch.env[name])}" if _steers(launch, name) else name for name in launch.variables]
    yield from _named("gets", variables)
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


def _steers(launch: Launch, name: str) -> bool:
    return name in launch.env and _STEERING.fullmatch(name) is not None


def _named(head: str, names: Iterator[str] | list[str] | tuple[str, ...], tail: str = "") -> Iterator[str]:
    names = list(names)
    if names:
        yield f"{head:<10}{plain_line(', '.join(names))}{tail}"


def _shown(text: str) -> str:
    from ctxtui.core.secrets import redact  # noqa: PLC0415 - only what is shown can hold one

    return plain_line(redact(text)[0])


def _quoted(word: str) -> str:
    # Not `shlex.quote`, which turns newlines into more lines.
    return word if re.fullmatch(r"[\w@%+=:,./~${}-]+", word) else json.dumps(word, ensure_ascii=False)


def is_approved(server: Server) -> bool:
    """Whether the user has said yes to exactly this launch."""
    return is_agreed(_KIND, server.digest)


def approve(server: Server) -> None:
    """Keep the user's yes to this launch; raises ContextError (unavailable) if it cannot be kept."""
    keep_agreed(_KIND, server.digest, {"name": server.name, "place": server.place})
