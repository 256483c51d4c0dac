"""A tool: its description for callers, the arguments of a call, and the function that answers it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from ctxtui.core.base.cancel import Stopped
from ctxtui.core.base.notices import Notice
from ctxtui.core.text.data import schema
from ctxtui.core.text.data.schema import Place
from ctxtui.mcp.project import Project

Value = TypeVar("Value")
_CALL: Final = Place.named("arguments")

Schema = Mapping[str, Any]
TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": {"type": "string"}}
NUMBER: Schema = {"type": "integer", "minimum": 0}
FLAG: Schema = {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call. Null means an absent argument. Methods raise ContextError (invalid_request)."""

    values: Mapping[str, Any]
    place: Place = _CALL

    def get(self, name: str) -> Any:
        """An argument of any type, unchecked, None if absent."""
        return self.values.get(name)

    def text(self, name: str) -> str:
        """A text that must be there."""
        value = self.optional_text(name)
        if value is None:
            raise self.place.at(name).wrong("is missing")
        return value

    def optional_text(self, name: str) -> str | None:
        return self._read(name, schema.text)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, empty if absent."""
        return self._read(name, schema.texts) or ()

    def number(self, name: str) -> int | None:
        """A whole number of 0 or more, None if absent."""
        return self._read(name, schema.number)

    def flag(self, name: str) -> bool:
        """A boolean, false if absent."""
        return bool(self._read(name, schema.flag))

    def inner(self, name: str) -> Arguments | None:
        """The fields of an object, None if absent."""
        value = self.get(name)
        if value is not None and not isinstance(value, Mapping):
            raise self.place.at(name).should_be("an object", value)
        return None if value is None else Arguments(value, self.place.at(name))

    def _read(self, name: str, reader: Callable[[Place, Any], Value]) -> Value | None:
        value = self.get(name)
        return None if value is None else reader(self.place.at(name), value)


@dataclass(frozen=True, slots=True)
class Call:
    """One call: the project, the arguments, the notices of this call, and whether the caller has disconnected."""

    project: Project
    arguments: Arguments
    notices: dict[Notice, None] = field(default_factory=dict)
    left: threading.Event = field(default_factory=threading.Event)

    def tell(self, *notices: Notice) -> None:
        """Add notices to the answer, each once."""
        self.notices.update(dict.fromkeys(notices))

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
    """The `run` of a tool: a call of the function in a thread, so that reading files does not block others."""

    async def run(call: Call) -> object:
        try:
            return await asyncio.to_thread(function, call)
        finally:
            call.left.set()

    return run
