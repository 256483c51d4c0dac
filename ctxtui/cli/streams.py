"""The one door to the standard streams: exact bytes go to pipes and files, harmless text to terminals."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from threading import Thread
from typing import TextIO

from ctxtui.core.errors import ContextError
from ctxtui.core.files.write import Data, chunks
from ctxtui.core.plain import plain, plain_line

# How long to wait for the last output of a program that has ended, in seconds.
_LAST_WORDS = 1.0
_ERASE = "\r\x1b[K"


def write_stdout(data: Data, shown: Callable[[str], str] = plain, exact: str = "a pipe or > FILE") -> None:
    """Write an artifact: every byte to a pipe or a file, and to a terminal the result of `shown` for the text.

    If the two differ, stderr says how to get the exact bytes: `exact` names the ways. A reader that closes the pipe
    (`| head`) is not an error. Raises ContextError (unavailable) if the bytes cannot be written, as on a full disk.
    """
    stream = require_stdout(exact)
    if not stream.isatty():
        _write(stream, data, exact)
        return
    text = b"".join(chunks(data)).decode("utf-8", "replace").replace("\r\n", "\n")
    harmless = shown(text)
    _write(stream, harmless.encode(stream.encoding, "replace"), exact)
    if harmless != text:
        complain(f"ctxtui: terminal control characters are replaced; for the exact bytes, use {exact}")


def put(text: str, has_ids: bool = False) -> None:
    """Write lines for people to standard output; raises as `write_stdout` does.

    They are written without secrets, unless they are rows of ids, which stay as they are for who gives one back.
    """
    stream = require_stdout()
    text = text if has_ids else _without_secrets(text)
    encoding = stream.encoding if stream.isatty() else "utf-8"
    _write(stream, f"{plain(text)}\n".encode(encoding, "replace"))


def put_lines(text: str) -> None:
    """Write lines for people or programs, without secrets but otherwise exact, as `write_stdout` does."""
    write_stdout(_without_secrets(text).encode("utf-8", "surrogateescape"))


def _without_secrets(text: str) -> str:
    # What is only one line or two needs no patterns.
    from ctxtui.core.secrets import redact  # noqa: PLC0415

    return redact(text)[0]


def complain(text: str, is_ours: bool = False) -> None:
    """Write lines for people to standard error; a closed standard error is not an error.

    They are written without secrets, which takes some time, unless all of their words are this program's.
    """
    # Python has None here when the caller closed the descriptor; `print` would then write to stdout.
    stream: TextIO | None = sys.stderr
    if stream is None:
        return
    try:
        stream.write(f"{plain(text if is_ours else _without_secrets(text))}\n")
        stream.flush()
    except OSError:
        _discard(stream)


class Progress:
    """One line on standard error that is written over, where people can see it and want to."""

    def __init__(self, what: str, is_quiet: bool) -> None:
        self._what = plain_line(what)
        is_seen = not is_quiet and sys.stderr is not None and sys.stderr.isatty()
        self._stream: TextIO | None = sys.stderr if is_seen else None
        self._said = ""

    def say(self, text: str) -> None:
        """Show how far it is."""
        if text != self._said:
            self._write(f"{_ERASE}{self._what}: {plain_line(text)}")
            self._said = text

    def end(self) -> None:
        """Take the line away."""
        if self._said:
            self._write(_ERASE)

    def _write(self, text: str) -> None:
        if self._stream is not None:
            with suppress(OSError):
                self._stream.write(text)
                self._stream.flush()


@contextmanager
def stdout_kept_clean() -> Iterator[None]:
    """What a library prints meanwhile goes to standard error."""
    with redirect_stdout(sys.stderr):
        yield


def require_stdout(exact: str = "a pipe or > FILE") -> TextIO:
    """Standard output; raises ContextError (unavailable) if the caller closed it."""
    stream: TextIO | None = sys.stdout
    if stream is None:
        raise ContextError("unavailable", "standard output is closed", hint=f"write elsewhere: {exact}")
    return stream


def stdout_failed(error: OSError, exact: str = "a pipe or > FILE") -> ContextError:
    """The error for a failed write to standard output; drops what is still buffered."""
    _discard(sys.stdout)
    message = f"cannot write to standard output: {error.strerror}"
    return ContextError("unavailable", message, hint=f"write elsewhere: {exact}")


def read_stdin() -> str:
    """All of standard input as text; raises ContextError if it is closed, is not UTF-8 or cannot be read."""
    stream = require_stdin()
    try:
        return stream.read()
    except UnicodeDecodeError as error:
        message = f"standard input is not UTF-8: byte {error.start + 1:,} cannot be read"
        raise ContextError("invalid_request", message, hint="convert it first, as with iconv") from error
    except OSError as error:
        message = f"cannot read standard input: {error.strerror}"
        raise ContextError("unavailable", message, hint="pipe the text into the command") from error


def require_stdin() -> TextIO:
    """Standard input; raises ContextError (invalid_request) if the caller closed it."""
    stream: TextIO | None = sys.stdin
    if stream is None:
        raise ContextError("invalid_request", "standard input is closed", hint="pipe the text into the command")
    return stream


def flush() -> None:
    """Flush the buffers before something else writes to the same descriptors."""
    streams: tuple[TextIO | None, ...] = (sys.stdout, sys.stderr)
    for stream in streams:
        if stream is not None:
            stream.flush()


def log_to_stderr() -> None:
    """Show log records of libraries that nothing else handles."""
    logging.lastResort = _Log(logging.WARNING)


@contextmanager
def relayed_stderr() -> Iterator[TextIO]:
    """A file for a program's standard error: its lines are relayed to ours, made harmless."""
    reader, writer = os.pipe()
    relay = Thread(target=_relay, args=(reader,), name="ctxtui-relay", daemon=True)
    relay.start()
    try:
        with open(writer, "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor
            yield file
    finally:
        # A child of the program may keep its end open forever.
        relay.join(_LAST_WORDS)


class _Log(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        complain(self.format(record))


def _relay(reader: int) -> None:
    with open(reader, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            complain(line.rstrip("\n"))


def _write(stream: TextIO, data: Data, exact: str = "a pipe or > FILE") -> None:
    try:
        stream.flush()
        for chunk in chunks(data):
            rest = memoryview(chunk)
            while rest:  # unbuffered (`python -u`), a write may be partial
                rest = rest[stream.buffer.write(rest) :]
        stream.buffer.flush()
    except BrokenPipeError:
        _discard(stream)
    except OSError as error:
        raise stdout_failed(error, exact) from None


def _discard(stream: TextIO) -> None:
    """Discard what is still buffered, or the interpreter complains about it at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
