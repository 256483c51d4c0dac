"""Deliver the payload: to an agent or a command, or to standard output."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from ctxtui.cli.output.streams import flush, write_stdout
from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.plain import plain, plain_json
from ctxtui.core.disk.own_folders import own_state, private_folder
from ctxtui.core.disk.root import Root
from ctxtui.core.payload.types import Payload
from ctxtui.session.delivery.agents_to_run import FILE, PROMPT, agent_named, receive, require_agent

# Seconds. Older files were left by a killed process.
_ABANDONED = 7 * 24 * 3_600

Word = str | bytes
Process = subprocess.Popen[bytes]
Say = Callable[[str], None]


@contextmanager
def lent_file(payload: bytes) -> Iterator[str]:
    """The path of a private file with the payload, removed at the end. Raises ContextError if writing fails.

    Files that a killed process left a week ago are removed, too.
    """
    folder = own_state() / "payloads"
    try:
        private_folder(folder)
    except OSError as error:
        hint = "make it writable, or set XDG_STATE_HOME to another folder"
        raise ContextError("unavailable", f"cannot create {folder}: {error.strerror}", hint=hint) from error
    for file in folder.glob("payload-*.md"):
        with suppress(OSError):
            if time.time() - file.lstat().st_mtime > _ABANDONED:
                file.unlink()
    root, name = Root(folder), f"payload-{secrets.token_hex(8)}.md"
    try:
        root.create(name, payload, 0o600)
        yield str(root.path / name)
    finally:
        with suppress(ContextError):
            root.remove(name)


def check_command(command: str, project: Path) -> None:
    """Raise ContextError for an empty command, NotFound for a known agent that is not on the PATH."""
    _require_words(command)
    agent = agent_named(command)
    if agent:
        require_agent(agent, project)


def run_with(command: str, payload: str, project: Path, can_talk: bool, say: Say) -> int:
    """Start a known agent by its name, or a command, with the payload. Returns its exit status.

    `say` reports how an agent receives the payload. Raises as `check_command` does, and ContextError if the agent
    takes no payload of this size or cannot be started.
    """
    agent = agent_named(command)
    if agent is None:
        return run_command(command, payload.encode())
    receipt = receive(require_agent(agent, project), payload, can_talk)
    say(f"{receipt.name} gets the payload {receipt.how}")
    data = payload.encode()
    lent = lent_file(data) if receipt.by == "file" else nullcontext("")
    with _signals_left_to_the_command() as watch, lent as path:
        if path:
            say(f"the payload is in {path} until {receipt.name} ends")
        values: dict[str, Word] = {PROMPT: data if os.name == "posix" else payload, FILE: path}
        words = [values.get(word, word) for word in receipt.argv]
        try:
            return _run(words, data if receipt.by == "stdin" else None, watch)
        except OSError as error:
            message = f"cannot start {receipt.name}: {error.strerror}"
            raise ContextError("unavailable", message, hint=f"try {receipt.argv[0]} --version") from error


def can_talk() -> bool:
    """Whether standard input and output are a terminal, as a conversation with an agent needs."""
    return os.isatty(0) and os.isatty(1)


def run_command(command: str, payload: bytes) -> int:
    """Start a command with the payload on its standard input. Returns its exit status.

    The command is a line of shell (`/bin/sh -c`, as with fzf): users of `--run` expect pipes, `~` and `$VAR` to work,
    and it never comes from a project file. The status is the shell's: 127 with a message on stderr if the command is
    not found, 128 + N if signal N ended it. A command that does not read everything is not an error. Ctrl-C goes to
    the command, as in a shell: 130 if that ends it.
    """
    _require_words(command)
    with _signals_left_to_the_command() as watch:
        return _run(command, payload, watch)


def _require_words(command: str) -> None:
    if not command.strip():
        raise invalid("the command is empty", hint="example: --run 'llm -m gpt-5'")


def _run(command: str | list[Word], stdin: bytes | None, watch: Callable[[Process], None]) -> int:
    """Run a shell line or words with `stdin` (None: our own). `watch` gets the process. Returns its status.

    The status is 128 + N if signal N ended the process.
    """
    flush()
    is_shell = isinstance(command, str)
    with subprocess.Popen(  # noqa: S603 - from the command line or the packaged table, see above
        command, shell=is_shell, stdin=None if stdin is None else subprocess.PIPE
    ) as process:
        watch(process)
        process.communicate(stdin)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def print_payload(payload: Payload, form: str, exact: str = "a pipe or > FILE") -> None:
    """Print a payload of the format `form`, harmless at a terminal. A note names `exact`, the ways to all bytes."""
    write_stdout(payload.data(), plain_json if form == "json" else plain, exact)


@contextmanager
def _signals_left_to_the_command() -> Iterator[Callable[[Process], None]]:
    """Survive ctrl-C, which the terminal also sends to the command, and let the command decide.

    The caller passes the process to the yielded function, which forwards SIGTERM and SIGHUP, so that a lent file is
    removed after the process.

    Handlers rather than SIG_IGN, because a command inherits SIG_IGN. Stopping here instead would hand the command
    half a payload, or make it compete with the shell for the keyboard.
    """
    processes: list[Process] = []
    received: list[int] = []

    def pass_on(number: int, _frame: object) -> None:
        received.append(number)
        for process in processes:
            process.send_signal(number)

    def watch(process: Process) -> None:
        processes.append(process)
        # Signals received before the process started.
        for number in received:
            process.send_signal(number)

    handlers: dict[int, Callable[[int, object], None]] = {signal.SIGINT: lambda *_: None}
    for number in (getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")):
        # Under nohup the signal is ignored, which the command inherits.
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            handlers[number] = pass_on
    previous = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield watch
    finally:
        for number, before in previous.items():
            signal.signal(number, before or signal.SIG_DFL)
