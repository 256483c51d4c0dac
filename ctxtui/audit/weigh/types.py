"""Values for weighing: servers, their listings, and prices per agent."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from ctxtui.core.base.errors import ContextError
from ctxtui.core.base.notices import Notice
from ctxtui.core.base.plain import plain_line
from ctxtui.core.text.secrets import redact

Transport = Literal["stdio", "http", "sse"]
Owner = Literal["project", "user"]
State = Literal["unweighed", "weighed", "off", "failed"]


@dataclass(frozen=True, slots=True)
class Launch:
    """How to reach a server: a command to run in a folder, or a URL, with variables or headers.

    The values of `env` and `headers` are as written and may be secrets. `passed` are environment variables to pass
    on. `token_env` is the variable with the bearer token.
    """

    command: tuple[str, ...] = ()
    url: str = ""
    transport: Transport = "stdio"
    folder: str = ""
    env: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, hash=False)
    passed: tuple[str, ...] = ()
    token_env: str = ""

    @property
    def variables(self) -> tuple[str, ...]:
        """The sorted names of all variables whose values the server gets."""
        return tuple(sorted({*self.env, *self.passed, *([self.token_env] if self.token_env else [])}))

    @property
    def shown_command(self) -> str:
        """The command as one line without secrets, empty without a command."""
        return redacted_line(" ".join(map(quoted, self.command)))

    @property
    def shown_url(self) -> str:
        """The URL without secrets, with query names only."""
        return redacted_line(re.sub(r"(?<=[?&])([^=&#]*)=[^&#]*", r"\1=…", self.url))


@dataclass(frozen=True, slots=True)
class Server:
    """An MCP server in the configuration of agents (ids).

    `path` is relative to the project, or begins with `~/` for a user file. `key` leads to the table in the file.
    `only` are the names of the tools in use, None for all. `without` are excluded tools. A server that `always_loads`
    is never deferred.
    """

    name: str
    agents: tuple[str, ...]
    path: str
    key: str
    line: int | None
    owner: Owner
    launch: Launch
    digest: str
    is_off: bool = False
    always_loads: bool = False
    only: frozenset[str] | None = None
    without: frozenset[str] = frozenset()

    @property
    def path_and_line(self) -> str:
        return self.path if self.line is None else f"{self.path}:{self.line}"

    def uses(self, tool: str) -> bool:
        """Whether agents receive a tool of this server."""
        return (self.only is None or tool in self.only) and tool not in self.without


@dataclass(frozen=True, slots=True)
class Definition:
    """A tool as its server lists it. `meta` is its `_meta`."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ServerListing:
    """A server's listing and its time.

    Prompts and resources are counts, None if listing failed. `repeated` are the variables and headers whose values it
    repeats, or `a secret`. Such a listing is never cached.
    """

    at: datetime
    tools: tuple[Definition, ...]
    instructions: str = ""
    name: str = ""
    version: str = ""
    protocol: str = ""
    prompts: int | None = 0
    resources: int | None = 0
    repeated: tuple[str, ...] = ()


Outcome = ServerListing | ContextError
"""The listing of a server, or why it gives none."""


@dataclass(frozen=True, slots=True)
class ToolSize:
    """A tool's name, and the tokens of its definition: one line of JSON with name, description and input schema."""

    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Price:
    """The cost of a server for one agent, in tokens.

    `start` enters before the first request: names and instructions if the agent defers, else `always`. `loaded` are
    all definitions, `always` instructions and definitions. All are estimates, because the wrapping by the agent is
    unknown.
    """

    agent: str
    start: int
    loaded: int
    always: int
    defers: str
    note: str = ""
    src: str = ""
    checked: str = ""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A server with the tokens of its instructions and tools and its prices, or the reason why it was not weighed."""

    server: Server
    state: State
    why: str = ""
    listing: ServerListing | None = field(default=None, repr=False)
    instructions: int = 0
    tools: tuple[ToolSize, ...] = ()
    prices: tuple[Price, ...] = ()


@dataclass(frozen=True, slots=True)
class Weighing:
    """The servers of a project's agents, weighed or not, project files first, and notices about those that failed."""

    servers: tuple[Weighed, ...] = ()
    notices: tuple[Notice, ...] = ()


NO_SERVERS = Weighing()


def definition_json(tool: Definition) -> str:
    """A definition as one line of compact JSON, with the schema as the server sent it."""
    data = {"name": tool.name, "description": tool.description, "input_schema": tool.input_schema}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def redacted_line(text: str) -> str:
    return plain_line(redacted(text))


def redacted(text: str) -> str:
    return redact(text)[0]


def quoted(word: str) -> str:
    """The word, in double quotes with escapes unless it is plain. `shlex.quote` would keep newlines."""
    return word if re.fullmatch(r"[\w@%+=:,./~${}-]+", word) else json.dumps(word, ensure_ascii=False)
