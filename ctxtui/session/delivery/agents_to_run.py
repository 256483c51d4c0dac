"""The agents that ctxtui can start with a payload, and how each receives it.

The table is packaged. No file of a project adds to it, and no executable of a project is ever found.
"""

from __future__ import annotations

import functools
import os
import sys
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.base.executable import executable
from ctxtui.core.base.wording import byte_size
from ctxtui.core.text.data.schema import Place, Reader, choice, day, filled, flag, many, number, read

PROMPT, FILE = "{prompt}", "{file}"

# Bytes: one word of a command line on Linux, the whole line on Windows.
_LINUX_WORD, _WINDOWS_LINE = 131_071, 32_000
# Other systems limit all words and the environment together, with this many bytes of their own.
_SPARE = 16_384


@dataclass(frozen=True, slots=True)
class PromptInput:
    """A way to give an agent a prompt. The fields are explained in `agents_to_run.yaml`."""

    by: str
    words: tuple[str, ...]
    talks: bool = False
    most: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class KnownAgent:
    """A row of the table. The preferred way comes first, `src` names the documentation."""

    name: str
    title: str
    executable: str
    ways: tuple[PromptInput, ...]
    checked: date
    src: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Runnable:
    """An agent on the PATH, with the absolute path of its executable."""

    agent: KnownAgent
    path: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """The command line that gives a payload to an agent, with a placeholder for the payload or its file.

    `how` is for people.
    """

    name: str
    argv: tuple[str, ...]
    by: str
    how: str


@functools.cache
def known_agents() -> tuple[KnownAgent, ...]:
    import importlib.resources  # noqa: PLC0415 - few payloads go to an agent

    from ctxtui.core.text.data.yaml import load_own_yaml  # noqa: PLC0415

    text = importlib.resources.files(__package__).joinpath("agents_to_run.yaml").read_text(encoding="utf-8")
    place = Place.named("agents_to_run.yaml")
    return tuple(_agent(place.at(row.get("name", "")), row) for row in load_own_yaml(text))


def agent_named(command: str) -> KnownAgent | None:
    """The agent with this name, None for any other command."""
    return next((agent for agent in known_agents() if agent.name == command.strip()), None)


def found_agents(project: Path) -> tuple[Runnable, ...]:
    """The agents on the PATH in table order, without executables in the project's folder."""
    found = ((agent, executable(agent.executable, project)) for agent in known_agents())
    return tuple(Runnable(agent, path) for agent, path in found if path)


def require_agent(agent: KnownAgent, project: Path) -> Runnable:
    """The agent as found on the PATH. Raises NotFound."""
    path = executable(agent.executable, project)
    if path is None:
        hint = "install it, or name another command; nothing in the project's folder is started by its name"
        raise NotFound(f"{agent.executable} is not on the PATH", hint=hint)
    return Runnable(agent, path)


def receive(found: Runnable, payload: str, can_talk: bool) -> Receipt:
    """How an agent receives this payload.

    `can_talk` says whether a terminal is there for a conversation. Raises ContextError (invalid_request) if the
    payload is too large for every way.
    """
    receipt = _receipt(found, payload, can_talk)
    if isinstance(receipt, Receipt):
        return receipt
    hint = "set a budget, or export to a file and name it in the agent (ctxtui build -o FILE)"
    raise ContextError("invalid_request", f"{found.agent.name} cannot take the payload: {receipt}", hint=hint)


def describe_receipt(found: Runnable, payload: str, can_talk: bool) -> str:
    """A phrase that says how the agent receives this payload, or why it cannot."""
    receipt = _receipt(found, payload, can_talk)
    return receipt.how if isinstance(receipt, Receipt) else f"not possible: {receipt}"


def _receipt(found: Runnable, payload: str, can_talk: bool) -> Receipt | str:
    """The first way with room for the payload, else the obstacle of the first way."""
    size = len(payload.encode("utf-8", "replace"))
    why = ""
    for way in found.agent.ways:
        if way.talks and not can_talk:
            continue
        obstacle = _obstacle(way, found.path, payload, size)
        if obstacle:
            why = why or obstacle
            continue
        how = f"{_MEANS[way.by]}, {'a conversation' if way.talks else 'one answer'}"
        return Receipt(found.agent.name, (found.path, *way.words), way.by, f"{how}: {why}" if why else how)
    return why


_MEANS = {"argument": "as an argument", "stdin": "on stdin", "file": "as a file"}


def _obstacle(way: PromptInput, path: str, payload: str, size: int) -> str:
    """The reason why a payload cannot go this way, empty if it can."""
    if way.by == "argument":
        if size > argument_room():
            return f"{byte_size(size)} exceeds an argument"
        # The agent would read it as an option or a subcommand, or end early. A shell would read it for a batch file.
        is_batch = path.lower().endswith((".bat", ".cmd"))
        if payload.startswith("-") or len(payload.split(None, 1)) < 2 or "\0" in payload or is_batch:
            return "it cannot be an argument"
    if way.most and size > way.most:
        return f"{byte_size(size)} exceeds {byte_size(way.most)}"
    return ""


def argument_room() -> int:
    """The maximum number of bytes in one word of a command line on this system."""
    if sys.platform == "win32":
        return _WINDOWS_LINE
    taken = sum(len(os.fsencode(name)) + len(os.fsencode(value)) + 10 for name, value in os.environ.items())
    room = os.sysconf("SC_ARG_MAX") - taken - _SPARE
    return max(0, min(room, _LINUX_WORD) if sys.platform == "linux" else room)


_WAY: dict[str, Reader] = {
    "by": choice(*_MEANS),
    "words": many(filled),
    "talks": flag,
    "most": number,
    "note": filled,
}


def _way(place: Place, value: Any) -> PromptInput:
    return PromptInput(**read(place, value, _WAY, "by", "words"))


_AGENT: dict[str, Reader] = {
    "name": filled,
    "title": filled,
    "executable": filled,
    "checked": day,
    "src": many(filled),
    "ways": many(_way),
}


def _agent(place: Place, value: Any) -> KnownAgent:
    return KnownAgent(**read(place, value, _AGENT, *_AGENT))
