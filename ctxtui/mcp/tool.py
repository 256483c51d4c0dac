"""A tool: its description for callers, and the function that answers a call."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ctxtui.core.cancel import Stopped
from ctxtui.core.notices import Notice
from ctxtui.mcp.arguments import Arguments
from ctxtui.mcp.project import Project

Schema = Mapping[str, Any]
TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": {"type": "string"}}
NUMBER: Schema = {"type": "integer", "minimum": 0}
FLAG: Schema = {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Call:
    """One call: the project, the arguments, the notices of this call, and whether the caller has disconnected."""

    project: Project
    arguments: Arguments
    notices: dict[Notice, None] = field(default_factory=dict)
    left: threading.Event = field(default_factory=threading.Event)

    def tell(self, notice: Notice) -> None:
        """Add a notice to the answer, each once."""
        self.notices[notice] = None

    def check(self) -> None:
        """Raise Stopped once the caller has disconnected."""
        if self.left.is_set():
            raise Stopped


Run = Callable[[Call], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A row of the table of tools. `run` returns JSON data and raises ContextError.

    `required` are the required parameters. `of_catalog` tools get the parameter `catalog` if a project has several.
    """

    name: str
    description: str
    run: Run
    parameters: Mapping[str, Schema] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    writes: bool = False
    of_catalog: bool = False


def in_thread(function: Callable[[Call], object]) -> Run:
    """Run a function that reads files in a thread, so that it does not block others."""

    async def run(call: Call) -> object:
        try:
            return await asyncio.to_thread(function, call)
        finally:
            call.left.set()

    return run
