"""The payload leaves the program: to a command's standard input, or to standard output."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ctxtui.core.errors import ContextError


def run_command(command: str, payload: bytes) -> int:
    """Start a command with the payload on its standard input, wait for it and return its status.

    The command is a line of shell (`/bin/sh -c`, as with fzf): whoever types `--run` expects pipes, `~` and
    `$VAR` to work, and it never comes from a project file. The status is the shell's: 127 with a message
    on stderr when the command is not found, 128 + N when signal N ended it. A command that does not read
    everything is no error. Ctrl-C belongs to the command, as in a shell: 130 if it ends by it.
    """
    if not command.strip():
        raise ContextError("invalid_request", "the command is empty", hint="example: --run 'llm -m gpt-5'")
    sys.stdout.flush()
    sys.stderr.flush()
    with (
        _interrupts_left_to_the_command(),
        subprocess.Popen(command, shell=True, stdin=subprocess.PIPE) as process,  # noqa: S602  see above
    ):
        process.communicate(payload)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def write_stdout(payload: bytes) -> int:
    """Write all bytes to standard output and return 0, also when the reader went away (`| head`).

    Raises ContextError (unavailable) when they cannot be written, as on a full disk.
    """
    if sys.stdout is None:  # the caller closed it
        raise ContextError("unavailable", "standard output is closed", hint="write to a file with -o FILE")
    try:
        sys.stdout.flush()
        rest = memoryview(payload)
        while rest:  # unbuffered (`python -u`), one write may take a part only
            rest = rest[sys.stdout.buffer.write(rest) :]
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _discard_stdout()
    except OSError as error:
        _discard_stdout()
        message = f"cannot write to standard output: {error.strerror}"
        raise ContextError("unavailable", message, hint="write to a file with -o FILE") from None
    return 0


def _discard_stdout() -> None:
    """Send what is still buffered to nowhere, else the interpreter complains about it at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


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
