"""The address of an engine: a command to start or a URL to call, from the user's own configuration."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from ctxtui.core.base.errors import invalid
from ctxtui.core.base.loopback import is_loopback
from ctxtui.core.text.data.schema import Place, Reader, filled, many, read, table, text

TIMEOUT: Final = 1.5
"""The default timeout of a request in seconds (retrieval specification 4.2)."""

_LONGEST = 600.0


@dataclass(frozen=True, slots=True)
class McpTarget:
    """A server that offers `retrieve_context`: started by `command`, without a shell, or reached at `url`.

    `env` is added to the few variables that a command inherits. The bearer token is `token`, or the value of the
    variable `token_env`. Neither the token nor `headers` go over plain HTTP to another machine. `timeout` is in
    seconds, None for the caller's choice. Raises ContextError (invalid_request) for invalid values.
    """

    command: tuple[str, ...] = ()
    url: str | None = None
    cwd: str | None = None
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    token: str | None = field(default=None, repr=False)
    token_env: str | None = None
    timeout: float | None = None

    def __post_init__(self) -> None:
        if bool(self.command) == bool(self.url):
            raise invalid("name either a command or a URL", hint='command = ["engine", "mcp"]')
        if any("\0" in word for word in self.command) or (self.command and not self.command[0].strip()):
            raise invalid("the command is blank or contains a NUL character")
        if self.token and self.token_env:
            raise invalid("`token` and `token_env` are mutually exclusive")
        has_secret = bool(self.headers or self.token or self.token_env)
        if self.url is None:
            if has_secret:
                raise invalid("a command takes no headers or token", hint="give it variables with `env`")
        else:
            _check_url(self.url, has_secret)
        if self.timeout is not None and not (math.isfinite(self.timeout) and 0 < self.timeout <= _LONGEST):
            raise invalid(f"a timeout of {self.timeout} seconds", hint=f"more than 0, at most {_LONGEST:g}")

    @property
    def is_local(self) -> bool:
        """Whether the engine is on this machine."""
        return self.url is None or is_loopback(urlsplit(self.url).hostname or "")


def target_of(
    named: McpTarget | str | Sequence[str], headers: Mapping[str, str] | None = None, token: str | None = None
) -> McpTarget:
    """The target given as a URL, a command line or a list of words. Raises ContextError (invalid_request)."""
    if isinstance(named, McpTarget):
        return named
    if isinstance(named, str) and named.startswith(("http://", "https://")):
        return McpTarget(url=named, headers=headers or {}, token=token)
    command = _command_words(named) if isinstance(named, str) else tuple(named)
    return McpTarget(command=command, headers=headers or {}, token=token)


def targets_from(targets: Mapping[str, Any], place: Place | None = None) -> dict[str, McpTarget]:
    """The targets by name in the table `[mcp]` of the user's own configuration, never of a project's.

    Raises ContextError (invalid_request) naming place, target, key and remedy.
    """
    place = place or Place.named("[mcp]", private=True)
    return {name: _target(place.at(name), values) for name, values in targets.items()}


def _target(place: Place, values: object) -> McpTarget:
    if not isinstance(values, Mapping):
        raise place.should_be("a table", values, f'[mcp.{place.steps[-1]}]\ncommand = ["engine", "mcp"]')
    fields = read(place, values, _FIELDS)
    return place.within(lambda: McpTarget(**fields))


def _command(place: Place, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return place.within(lambda: _command_words(value))
    return many(text, "a string or a list of words")(place, value)


def _seconds(place: Place, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise place.should_be("a number of seconds", value)
    return float(value)


_VALUES = table(text, wanted="a table of strings")
_FIELDS: Mapping[str, Reader] = {
    "command": _command,
    "url": filled,
    "cwd": filled,
    "env": _VALUES,
    "headers": _VALUES,
    "token": filled,
    "token_env": filled,
    "timeout": _seconds,
}


def _command_words(line: str) -> tuple[str, ...]:
    """The words of a command line. Raises ContextError (invalid_request) for an empty or unclosed line."""
    try:
        words = tuple(shlex.split(line))
    except ValueError:
        words = ()
    if not words:
        raise invalid(f"not a command: {line!r}", hint="close its quotes, or give a list of words")
    return words


def _check_url(url: str, has_secret: bool) -> None:
    """Raise ContextError (invalid_request) for a URL that is no server's or would expose a secret."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
        _ = parts.port
    except ValueError:
        host = None
    if host is None or parts.scheme not in ("http", "https"):
        raise invalid("not a URL of a server", hint='url = "https://host/mcp"')
    if parts.username is not None or parts.password is not None:
        raise invalid("a URL must not contain credentials", hint="give a `token` or `token_env`")
    if has_secret and parts.scheme == "http" and not is_loopback(host):
        raise invalid("a token or headers would go over plain HTTP to another machine", hint="use https")


def engine_target(named: str | None, configured: Mapping[str, Any], place: Place | None = None) -> McpTarget:
    """The server given by a name, a URL or a command, by default the only `configured` one. `place` is for errors.

    Raises ContextError (invalid_request) if none or several are configured, and for a damaged `[mcp]`.
    """
    targets = targets_from(configured, place)
    if named is not None:
        return targets[named] if named in targets else target_of(named)
    if len(targets) == 1:
        return next(iter(targets.values()))
    if not targets:
        hint = "name one with --server, or write `[mcp.NAME]` with `command` or `url` in your own config.toml"
        raise invalid("no MCP server is configured", hint=hint)
    raise invalid(f"several MCP servers: {', '.join(targets)}", hint="name one with --server")
