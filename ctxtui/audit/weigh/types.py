"""The values of weighing: servers, what they list, and its price for each agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from ctxtui.core.base.notices import Notice

Transport = Literal["stdio", "http", "sse"]
Owner = Literal["project", "user"]
State = Literal["unweighed", "weighed", "off", "failed"]


@dataclass(frozen=True, slots=True)
class Launch:
    """How a server is reached: a command to run in a folder, or a URL, with variables or headers.

    The values of `env` and `headers` are as written in the configuration and may be secrets.
    `passed` are variables of the user's environment that it also receives, `token_env` is the one that holds its
    bearer token.
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
        """The names of the variables that it gets, sorted."""
        return tuple(sorted({*self.env, *self.passed, *([self.token_env] if self.token_env else [])}))


@dataclass(frozen=True, slots=True)
class Server:
    """An MCP server in the configuration of one or several agents (ids).

    `path` is relative to the project, or begins with `~/` for a file of the user; `key` leads to its table there.
    `only` are the names of the tools that are used, None for all; `without` are those that are not. A server that
    `always_loads` is exempt from deferring.
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
    def place(self) -> str:
        """The file and line."""
        return self.path if self.line is None else f"{self.path}:{self.line}"

    def uses(self, tool: str) -> bool:
        """Whether agents get a tool of this server."""
        return (self.only is None or tool in self.only) and tool not in self.without


@dataclass(frozen=True, slots=True)
class Definition:
    """A tool as its server lists it; `meta` is its `_meta`."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Listing:
    """What a server lists, and when that was asked. Prompts and resources are counts, None if it failed to list them.

    `repeated` are the names of variables and headers whose values it repeats: it is never cached then.
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


@dataclass(frozen=True, slots=True)
class Deferral:
    """What is known of one agent: where the user keeps servers, and when their tools enter.

    The keys are explained at the top of `agents.toml`. With a `share`, tools are deferred only if all of them
    together take more than that many per cent of the window.
    """

    agent: str
    form: str = "usual"
    project: tuple[str, ...] = ()
    user: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    defers: str = "unknown"
    tool: str = "{tool}"
    longest: int = 0
    ending: str = ""
    always: str = ""
    mark: str = ""
    switch: tuple[str, ...] = ()
    off_in: tuple[str, ...] = ()
    note: str = ""
    src: str = ""
    checked: str = ""
    share: int | None = None


@dataclass(frozen=True, slots=True)
class ToolSize:
    """A tool and the tokens of its definition, as one line of JSON with name, description and input schema."""

    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Price:
    """What a server costs one agent, in tokens: at the `start`, all definitions if `loaded`, and if it is `always`.

    How the agent wraps definitions is unknown, so the numbers are estimates. `start` is what enters before the
    first request: names and instructions if the agent defers; else `always`, which is instructions and definitions.
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
    """A server with its prices, once weighed; else the reason why not."""

    server: Server
    state: State
    why: str = ""
    listing: Listing | None = field(default=None, repr=False)
    instructions: int = 0
    tools: tuple[ToolSize, ...] = ()
    prices: tuple[Price, ...] = ()


@dataclass(frozen=True, slots=True)
class Weighing:
    """The servers of a project's agents in the order of files, weighed or not, and what was wrong with others."""

    servers: tuple[Weighed, ...] = ()
    notices: tuple[Notice, ...] = ()


NO_SERVERS = Weighing()
