"""The agents that ctxtui can start with a payload, and how each receives it.

The table is packaged. No file of a project adds to it, and no executable of a project is ever found.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from ctxtui.agents.capture.launches import KnownProgram, PromptInput, known_programs
from ctxtui.core.base.errors import NotFound, invalid
from ctxtui.core.base.executable import executable
from ctxtui.core.base.wording import byte_size

PROMPT, FILE = "{prompt}", "{file}"

# Bytes: one word of a command line on Linux, the whole line on Windows.
_LINUX_WORD, _WINDOWS_LINE = 131_071, 32_000
# Other systems limit all words and the environment together, with this many bytes of their own.
_SPARE = 16_384


@dataclass(frozen=True, slots=True)
class Runnable:
    """An agent on the PATH, with the absolute path of its executable."""

    agent: KnownProgram
    path: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """The command line that gives a payload to an agent. `how` is for people.

    `argv` has a placeholder for the payload or its file. `by` is `argument`, `stdin` or `file`.
    """

    name: str
    argv: tuple[str, ...]
    by: str
    how: str


def known_agents() -> tuple[KnownProgram, ...]:
    """The programs that take a payload."""
    return tuple(each for each in known_programs() if each.ways)


def agent_named(command: str) -> KnownProgram | None:
    """The agent with this name, None for any other command."""
    return next((agent for agent in known_agents() if agent.name == command.strip()), None)


def found_agents(project: Path) -> tuple[Runnable, ...]:
    """The agents on the PATH in table order, without executables in the project's folder."""
    found = ((agent, executable(agent.name, project)) for agent in known_agents())
    return tuple(Runnable(agent, path) for agent, path in found if path)


def require_agent(agent: KnownProgram, project: Path) -> Runnable:
    """The agent as found on the PATH. Raises NotFound."""
    path = executable(agent.name, project)
    if path is None:
        hint = "install it, or name another command; nothing in the project's folder is started by its name"
        raise NotFound(f"{agent.name} is not on the PATH", hint=hint)
    return Runnable(agent, path)


def receive(found: Runnable, payload: str, can_talk: bool) -> Receipt:
    """The command line by which an agent receives this payload. Starts nothing, writes nothing.

    `can_talk` says whether a terminal is there for a conversation. Raises ContextError (invalid_request) if no way of
    the agent can take the payload.
    """
    receipt = _receipt(found, payload, can_talk)
    if isinstance(receipt, Receipt):
        return receipt
    hint = "set a budget, or export to a file and name it in the agent (ctxtui build -o FILE)"
    raise invalid(f"{found.agent.name} cannot take the payload: {receipt}", hint=hint)


def describe_receipt(found: Runnable, payload: str, can_talk: bool) -> str:
    """A phrase that says how the agent receives this payload, or why it cannot."""
    receipt = _receipt(found, payload, can_talk)
    return receipt.how if isinstance(receipt, Receipt) else f"not possible: {receipt}"


def _receipt(found: Runnable, payload: str, can_talk: bool) -> Receipt | str:
    """The receipt by the first way of the agent that can take the payload, else why its first possible way cannot."""
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
    """The reason why this way cannot give `size` bytes of payload to the agent at `path`, empty if it can."""
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
