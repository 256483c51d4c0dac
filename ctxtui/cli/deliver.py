"""Delivers the payload: to a command's standard input, or to standard output."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from ctxtui.cli.streams import flush, write_stdout
from ctxtui.core.errors import ContextError
from ctxtui.core.payload.types import Payload
from ctxtui.core.plain import plain, plain_json


def run_command(command: str, payload: bytes) -> int:
    """Start a command with the payload on its standard input, wait for it and return its status.

    The command is a line of shell (`/bin/sh -c`, as with fzf): users of `--run` expect pipes, `~` and
    `$VAR` to work, and it never comes from a project file. The status is the shell's: 127 with a message
    on stderr if the command is not found, 128 + N if signal N ended it. A command that does not read
    everything is not an error. Ctrl-C goes to the command, as in a shell: 130 if that ends it.
    """
    if not command.strip():
        raise ContextError("invalid_request", "the command is empty", hint="example: --run 'llm -m gpt-5'")
    flush()
    with (
        _interrupts_left_to_the_command(),
        subprocess.Popen(command, shell=True, stdin=subprocess.PIPE) as process,  # noqa: S602  see above
    ):
        process.communicate(payload)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def print_payload(payload: Payload, form: str, exact: str = "a pipe or > FILE") -> None:
    """Print a payload of the format `form`: JSON stays the same JSON on a terminal, other text gets pictures."""
    write_stdout(payload.data(), plain_json if form == "json" else plain, exact)


@contextmanager
def _interrupts_left_to_the_command() -> Iterator[None]:
    """Survive ctrl-C, which the terminal sends to the command too, and let the command decide.

    A handler rather than SIG_IGN, because a command inherits the latter. Stopping here instead would hand
    it half a payload, or leave it fighting with the shell for the keyboard.
    """
    previous = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous or signal.SIG_DFL)
